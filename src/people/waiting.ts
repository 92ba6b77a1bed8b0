/** Who has to answer something at their next sign-in, and values of fields that are gone. */
import type { Application } from "../applications/application.ts";
import * as applications from "../applications/service.ts";
import { applicationNotFound, invalidRequest } from "../lib/errors.ts";
import * as audit from "../records/audit/audit.ts";
import type { Actor } from "../records/audit/audit.ts";
import type { Context } from "../runtime/context.ts";
import { countLacking, countWithValue, listWithValue, saveProfile } from "../users/profile-field-store.ts";
import { lockUser, lockUsers } from "../users/store.ts";
import { countWithoutTerms } from "../users/terms-store.ts";
import { termsOf } from "../users/terms.ts";

const batchSize = 200;

/**
 * How many people of an application with these settings are stopped when something begins for them,
 * by step; undefined: the step is off, or optional. `server`: those who lack a required value that
 * they cannot enter, which stops nobody.
 */
export async function countWaiting(
  ctx: Context,
  { id, settings }: Pick<Application, "id" | "settings">,
): Promise<{ terms: number | undefined; profile: number | undefined; server: number | undefined }> {
  const { reader } = ctx.storage;
  const present = termsOf(settings);
  const required = (settings.profileFields ?? []).filter((field) => field.required);
  const asked = required.filter(({ editableBy, askAt }) => editableBy === "user" && askAt !== "never");
  const ofServer = required.filter(({ editableBy }) => editableBy === "server");
  return {
    terms: present?.required === true ? await countWithoutTerms(reader, id, present.version) : undefined,
    profile: asked.length > 0 ? await countLacking(reader, id, asked) : undefined,
    server: ofServer.length > 0 ? await countLacking(reader, id, ofServer) : undefined,
  };
}

/**
 * Deletes the values of a field that the application no longer has, of all its people, and returns
 * how many had one. Throws APP_NOT_FOUND, INVALID_REQUEST. If it is interrupted, run it again.
 */
export async function forgetField(
  ctx: Context,
  appId: string,
  name: string,
  { dryRun }: { dryRun: boolean },
  actor: Actor,
): Promise<number> {
  const { reader } = ctx.storage;
  const application = await applications.find(ctx, reader, appId);
  if (!application) throw applicationNotFound();
  if (!/^[A-Za-z0-9_]{1,32}$/u.test(name)) throw invalidRequest("forgetField", "the name of a field");
  if (!dryRun && application.settings.profileFields?.some((field) => field.name === name))
    throw invalidRequest("forgetField", `${name} is still a profile field; remove it from the list first`);
  const people = await countWithValue(reader, appId, name);
  if (dryRun || people === 0) return people;
  const about = { appId, target: appId, details: { field: name, people } };
  const event = { actor, action: "application.forget-field", result: "success", ...about } as const;
  await ctx.storage.write((tx) => audit.record(ctx, tx, event, ctx.clock()));
  for (let after = ""; ;) {
    const ids = await listWithValue(reader, appId, name, { after, limit: batchSize });
    await ctx.storage.write(async (tx) => {
      await lockUsers(tx, ids);
      for (const id of ids) {
        const { profile = null } = (await lockUser(tx, id)) ?? {};
        const kept = Object.entries(profile ?? {}).filter(([each]) => each !== name);
        await saveProfile(tx, id, kept.length === 0 ? null : Object.fromEntries(kept));
      }
    });
    if (ids.length < batchSize) return people;
    after = ids.at(-1) ?? "";
  }
}
