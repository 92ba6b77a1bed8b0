/** Who has to answer something at their next sign-in, and values of fields that are gone. */
import type { Application } from "../applications/application.ts";
import { needsProof } from "../applications/sign-up/rules.ts";
import * as applications from "../applications/service.ts";
import { applicationNotFound, invalidRequest } from "../lib/errors.ts";
import { isFactorRequired } from "../factors/assurance.ts";
import * as audit from "../records/audit/audit.ts";
import type { Actor } from "../records/audit/audit.ts";
import type { Context } from "../runtime/context.ts";
import type { ProfileField } from "../storage/column-types.ts";
import { countLacking, countWithValue, listWithValue, saveProfile } from "../users/profile-field-store.ts";
import { lockUser, lockUsers } from "../users/store.ts";
import { countWithoutTerms } from "../users/terms-store.ts";
import { termsOf } from "../users/terms.ts";
import { countUnproved, countWithoutFactor } from "./waiting-store.ts";

const batchSize = 200;

/** What stops people; `server`: required values that they cannot enter, which stops nobody. */
export type Stop = "terms" | "profile" | "server" | "factor" | "proof";

/**
 * How many people of an application with these settings are stopped when something begins for them;
 * undefined: nothing is required of this kind.
 */
export async function countWaiting(
  ctx: Context,
  { id, settings }: Pick<Application, "id" | "settings">,
  stop: Stop,
): Promise<number | undefined> {
  const { reader } = ctx.storage;
  const required = (settings.profileFields ?? []).filter((field) => field.required);
  const lacking = async (fields: ProfileField[]) =>
    fields.length > 0 ? await countLacking(reader, id, fields) : undefined;
  switch (stop) {
    case "terms": {
      const present = termsOf(settings);
      return present?.required === true ? await countWithoutTerms(reader, id, present.version) : undefined;
    }
    case "profile":
      return await lacking(required.filter(({ editableBy, askAt }) => editableBy === "user" && askAt !== "never"));
    case "server":
      return await lacking(required.filter(({ editableBy }) => editableBy === "server"));
    case "factor":
      return isFactorRequired({ settings }, undefined) ? await countWithoutFactor(reader, { appId: id }) : undefined;
    case "proof":
      return needsProof(settings) ? await countUnproved(reader, id) : undefined;
  }
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
