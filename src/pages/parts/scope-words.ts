import type { Frame } from "./frame.ts";

/** The access that a scope gives. The application's own scopes have only their name. */
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
