import type { Frame } from "./frame.ts";

/** What a scope gives away. Those of the application's own have only their name. */
export function scopeWords({ texts }: Frame, scope: string): string {
  const words: Record<string, string> = {
    openid: texts.scopeOpenid,
    profile: texts.scopeProfile,
    email: texts.scopeEmail,
    groups: texts.scopeGroups,
    offline_access: texts.scopeOfflineAccess,
  };
  return words[scope] ?? scope;
}
