import type { Application } from "../applications/application.ts";
import { fileKeyOf } from "../applications/setting.ts";
import { applicationRows } from "../applications/settings.ts";
import type { Context } from "../runtime/context.ts";
import type { AppSettings } from "../storage/column-types.ts";
import type { Change } from "./desired-state/difference.ts";

/** The settings that stop people, and what each of them counts. */
const counted = {
  termsVersion: "terms",
  termsUrl: "terms",
  termsRequired: "terms",
  profileFields: "profile",
  secondFactor: "factor",
  signUpEmailDomains: "proof",
  signUpRequireVerified: "proof",
  signUpApproval: "proof",
} as const;

const stops = {
  terms: "accept the terms at the next sign-in",
  profile: "complete the profile at the next sign-in",
  factor: "set up a second factor at the next sign-in, and nothing is refreshed before",
  proof: "prove the address at the first sign-in",
};

function noteOf(kind: keyof typeof stops, count: number): string {
  return `${count === 1 ? "1 person" : `${count} people`} must ${stops[kind]}.`;
}

/**
 * How many people are stopped by a second factor that a client, groups or an organization requires.
 * `groups`: who may use the client; null: everybody.
 */
export async function factorNoteOf(
  ctx: Context,
  whose: { organizationId: string } | { appId: string; groups: readonly string[] | null },
): Promise<string> {
  const { reader } = ctx.storage;
  if ("organizationId" in whose) {
    const { countMembersWithoutFactor } = await import("../organizations/membership-store.ts");
    return noteOf("factor", await countMembersWithoutFactor(reader, whose.organizationId));
  }
  const { countWithoutFactor } = await import("../people/waiting-store.ts");
  return noteOf("factor", await countWithoutFactor(reader, whose));
}

/**
 * How many people a change of an application stops, and what it lacks to have an effect. `names`:
 * of the settings that it changes.
 */
export async function notesOf(
  ctx: Context,
  application: Pick<Application, "id" | "settings">,
  names: readonly string[],
): Promise<string[]> {
  const kinds = new Set(Object.entries(counted).flatMap(([name, kind]) => (names.includes(name) ? [kind] : [])));
  const notes: string[] = [];
  for (const kind of kinds) {
    const { countWaiting } = await import("../people/waiting.ts");
    const count = await countWaiting(ctx, application, kind);
    if (count !== undefined) notes.push(noteOf(kind, count));
  }
  const { signUpBlockDisposable = false } = application.settings;
  if (names.includes("signUpBlockDisposable") && signUpBlockDisposable && !ctx.config.disposableDomainsFile)
    notes.push(
      "No disposable address is refused yet: this node has no list of their domains. Set disposableDomainsFile.",
    );
  return notes;
}

const settingOfKey = new Map(
  applicationRows.flatMap(([field, row]) =>
    field.startsWith("settings.") ? [[fileKeyOf(field, row), field.slice("settings.".length)]] : [],
  ),
);

/** The same for the changes of a state file, made or planned. */
export async function notesOfChanges(ctx: Context, changes: readonly Change[]): Promise<string[]> {
  const { findApplication } = await import("../applications/store.ts");
  const notes: string[] = [];
  for (const { kind, action, application: id, fields } of changes) {
    if (kind !== "application" || action !== "update") continue;
    const changed = fields.flatMap((one): [string, unknown][] => {
      const name = settingOfKey.get(one.field);
      return name !== undefined && "after" in one ? [[name, one.after]] : [];
    });
    const present = await findApplication(ctx.storage.reader, id);
    const settings = { ...present?.settings, ...Object.fromEntries(changed) } as AppSettings;
    const names = changed.map(([name]) => name);
    notes.push(...(await notesOf(ctx, { id, settings }, names)).map((note) => `${id}: ${note}`));
  }
  return notes;
}
