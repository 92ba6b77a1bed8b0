/** An operator at a command line beside the service. */
import * as people from "../../../src/people/administration.ts";
import * as profiles from "../../../src/people/profile.ts";
import { wasRefused } from "../ledger.ts";
import { Lost, type Part, type World } from "../world.ts";
import { changeAccess, drawAccess, type AccessAct } from "./access.ts";

const by = { actor: { kind: "cli", name: "operator" } } as const;
export const actor = "cli:operator";
const really = { dryRun: false };

export async function runCommands(world: World, { chances, isOver, pause }: Part): Promise<void> {
  while (!isOver()) {
    await pause(60_000);
    const known = world.people.filter(({ userId, isGone }) => userId !== undefined && !isGone);
    if (known.length === 0) continue;
    const person = chances.pick(known);
    const act = drawAccess(person, chances.next());
    try {
      await changeAccess(world, person, { act, actor }, async (userId) => await onPerson(world, act, userId));
    } catch (error) {
      if (!(error instanceof Lost)) throw error;
    }
  }
}

/** False if there is no such account. */
async function onPerson(world: World, act: AccessAct, userId: string): Promise<boolean> {
  try {
    await world.operate(async (ctx) => {
      if (act === "disable") await people.disable(ctx, userId, really, by);
      else if (act === "enable") await people.enable(ctx, userId, really, by);
      else if (act === "revoke") await people.revokeLogins(ctx, userId, really, by);
      else await profiles.remove(ctx, userId, by);
    });
    return true;
  } catch (error) {
    if (wasRefused(error)) return false;
    throw error;
  }
}
