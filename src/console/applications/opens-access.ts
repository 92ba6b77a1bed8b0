/** Which settings require the passkey of a team's operator: those that open access. */
import { applicationRows } from "../../applications/settings.ts";
import type { Setting as Row } from "../../applications/setting.ts";
import { clientRows } from "../../applications/clients/settings.ts";
import type { Context } from "../../runtime/context.ts";
import { changedSettings, edited, type Setting } from "../parts/edit.ts";
import type { AsksIf, Post } from "../route.ts";

/** For each field of a change whether it opens access, by its path. */
type Access = Readonly<Record<string, boolean>>;

function accessOf(rows: readonly (readonly [field: string, row: Row])[]): Access {
  return Object.fromEntries(rows.map(([field, { opensAccess }]) => [field, opensAccess]));
}

export const applicationAccess: Access = {
  ...accessOf(applicationRows),
  addedRedirectUris: true,
  removedRedirectUris: true,
};

export const clientAccess: Access = accessOf(clientRows);

/** Whether a change has a field that opens access. A field without a row does. */
function opens(access: Access, value: unknown, path: string): boolean {
  if (value === undefined) return false;
  const known = access[path];
  if (known !== undefined || typeof value !== "object" || value === null || Array.isArray(value)) return known ?? true;
  return Object.entries(value).some(([name, each]) => opens(access, each, path === "" ? name : `${path}.${name}`));
}

/** For an act that saves such settings: requires a passkey if a changed field opens access. */
export function ifItOpensAccess<Change extends object>(
  access: Access,
  settingsOf: (ctx: Context, post: Post) => Promise<readonly Setting<never, Change>[]>,
): AsksIf {
  return async (ctx, post) => {
    if (post.form.has("check")) return false;
    const settings = await settingsOf(ctx, post);
    const form = edited(settings, post);
    return changedSettings(settings, form).some(({ name, change }) => {
      try {
        return opens(access, change(form.values[name] ?? ""), "");
      } catch {
        // The act reports an invalid value after the passkey.
        return true;
      }
    });
  };
}
