/** People who sign in to programs: by a browser, by single sign-on, and on a device. */
import { calling } from "../browser.ts";
import { time } from "../time.ts";
import { Lost, type Part, type World } from "../world.ts";
import { useScreen } from "./devices.ts";
import { Reader } from "./reader.ts";
import { signInAndRedeem } from "./reader-codes.ts";
import {
  endWhile,
  revoke,
  signInAgain,
  signOut,
  signOutWhileRedeeming,
  withdraw,
  withdrawWhileRedeeming,
} from "./reader-ends.ts";
import { look, refreshAsAnother, refreshLate, refreshTwice, refreshWith } from "./reader-logins.ts";

export async function readers(world: World, { chances, isOver }: Part): Promise<void> {
  world.people.push(...world.programs.people);
  await Promise.all(
    world.programs.people.map(async (known) => {
      const reader = new Reader(world, known, chances.fork(known.name));
      const network = { world, ipAddress: known.ipAddress, chances: reader.chances.fork("network") };
      await calling(network, async () => await live(reader, isOver));
    }),
  );
}

/** Busy for some time, and then hardly there. */
async function live(reader: Reader, isOver: () => boolean): Promise<void> {
  const { chances, known } = reader;
  while (!isOver()) {
    const pace = chances.pick([15_000, 50_000, 50_000, 300_000]);
    const until = time.now() + 900_000;
    while (time.now() < until && !isOver()) {
      await time.pause(chances.wait(pace) + 1);
      if (isOver() || known.isGone) continue;
      const act = chances.pick([...actsOf(reader), () => useScreen(reader, chances.below(2))]);
      try {
        await act();
      } catch (error) {
        if (!(error instanceof Lost)) throw error;
      }
    }
  }
}

/** What may be done next, the frequent more than once. */
function actsOf(reader: Reader): (() => Promise<unknown>)[] {
  const { chances, world } = reader;
  const browserAt = chances.below(2);
  const program = chances.pick(world.programs.web);
  const signIn = async (): Promise<unknown> => await signInAndRedeem(reader, program, browserAt);
  const login = reader.login();
  if (!login) return [signIn];
  return [
    signIn,
    signIn,
    signIn,
    () => refreshWith(reader, login),
    () => refreshWith(reader, login),
    () => refreshTwice(reader, login),
    () => refreshLate(reader, login),
    () => refreshAsAnother(reader, login),
    () => look(reader, login),
    () => look(reader, login),
    () => endWhile(reader, login, () => revoke(reader, login)),
    () => endWhile(reader, login, () => withdraw(reader, login.program)),
    () => signOut(reader, browserAt),
    () => signInAgain(reader, browserAt),
    () => withdrawWhileRedeeming(reader, program, browserAt),
    () => signOutWhileRedeeming(reader, browserAt),
  ];
}
