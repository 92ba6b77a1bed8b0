/** One act on many people: each in a transaction of their own, with an audit entry of their own. */
import { AppError } from "../lib/errors.ts";
import type { By } from "../records/audit/audit.ts";
import type { Context } from "../runtime/context.ts";
import * as administration from "./administration.ts";
import type { Listed } from "./list.ts";
import * as requiredPasswords from "./required-passwords.ts";

export type BulkAct = "disable" | "enable" | "revokeLogins" | "requireNewPassword";

/** `words`: what was done, or why not. */
export type Outcome = { person: Listed; isDone: boolean; words: string };

/** How many at once: on SQLite they share a commit. */
const atOnce = 10;

/** All are tried, in this order, unless one fails for a reason of the service's own. */
export async function forEach(ctx: Context, act: BulkAct, people: readonly Listed[], by: By): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  let isBroken = false;
  async function tried(person: Listed): Promise<Outcome> {
    if (isBroken) return { person, isDone: false, words: "Not tried, because of the error above." };
    try {
      return { person, isDone: true, words: await acts[act](ctx, person, by) };
    } catch (error) {
      if (error instanceof Unchanged) return { person, isDone: false, words: error.message };
      if (error instanceof AppError)
        return { person, isDone: false, words: `${error.message} ${error.details}`.trim() };
      isBroken = true;
      ctx.log.error("an act on many people failed", error, { userId: person.id });
      return { person, isDone: false, words: "Failed for a reason that the log says." };
    }
  }
  for (let at = 0; at < people.length; at += atOnce)
    outcomes.push(...(await Promise.all(people.slice(at, at + atOnce).map(tried))));
  return outcomes;
}

/** Somebody is as they should be. */
class Unchanged extends Error {}

const acts: Record<BulkAct, (ctx: Context, person: Listed, by: By) => Promise<string>> = {
  async disable(ctx, { id, disabledAt, state }, by) {
    if (state === "pending") throw new Unchanged("Waits for approval.");
    if (disabledAt !== null) throw new Unchanged("Was disabled already.");
    await administration.disable(ctx, id, { dryRun: false }, by);
    return "Disabled, and signed out everywhere.";
  },

  async enable(ctx, { id, disabledAt, state }, by) {
    if (state === "pending") throw new Unchanged("Waits for approval.");
    if (disabledAt === null) throw new Unchanged("Was not disabled.");
    await administration.enable(ctx, id, { dryRun: false }, by);
    return "Enabled.";
  },

  async revokeLogins(ctx, { id }, by) {
    const { ended } = await administration.revokeLogins(ctx, id, { dryRun: false }, by);
    return ended === 1 ? "1 login ended." : `${ended} logins ended.`;
  },

  async requireNewPassword(ctx, { id }, by) {
    const done = await requiredPasswords.requireOf(ctx, id, { dryRun: false }, by);
    const words = requiredPasswords.requiredWords(done);
    if (!done.required) throw new Unchanged(words);
    return words;
  },
};
