/** What operators, commands and servers do to a person's access, and what must follow from it. */
import { Violation, type KnownPerson } from "../model.ts";
import { checkNothingIsLeft } from "../oracles/deleted.ts";
import { time } from "../time.ts";
import type { World } from "../world.ts";

/** `becomes` undefined: it stays what it is. */
const acts = {
  disable: { becomes: "disabled", ends: true },
  enable: { becomes: "allowed", ends: false },
  revoke: { becomes: undefined, ends: true },
  delete: { becomes: "deleted", ends: true },
} as const;

export type AccessAct = keyof typeof acts;

/**
 * `work` returns false if there is no such account, and undefined if it was refused. Throws if
 * nobody knows whether it happened.
 */
export async function changeAccess(
  world: World,
  person: KnownPerson,
  { act, actor }: { act: AccessAct; actor: string },
  work: (userId: string) => Promise<boolean | undefined>,
): Promise<void> {
  const { userId = "", name } = person;
  const from = time.now();
  const before = person.access.all;
  const { becomes } = acts[act];
  const leaving = { actor, act, about: userId };
  const { exists } = await world.ledger.leaving(
    leaving,
    async () =>
      await person.beingChanged(acts[act], async () => {
        const exists = await work(userId);
        if (exists === false && !person.access.allows("deleted"))
          throw new Violation("O4", `the account of ${name} is not there, though nobody deleted it`);
        return exists;
      }),
    ({ exists, isAlone }) => {
      if (exists !== true) return false;
      if (act === "revoke" || act === "delete") return true;
      return isAlone && before.length === 1 ? before[0] !== becomes : undefined;
    },
  );
  world.note(`${actor.split(":")[0]}: ${act} ${name}: ${exists}`);
  if (!person.isGone) return;
  world.reached("an account deleted");
  // Deleted by an earlier call without an answer: since then, somebody may have named the address.
  await checkNothingIsLeft(world, person, exists === true ? from : 0);
}

/** Nobody stays shut out, or half deleted. */
export function drawAccess({ access }: KnownPerson, drawn: number): AccessAct {
  if (access.allows("deleted") || drawn < 0.05) return "delete";
  if (!access.isOnly("allowed")) return "enable";
  return drawn < 0.4 ? "disable" : "revoke";
}
