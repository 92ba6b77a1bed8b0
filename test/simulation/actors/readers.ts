/** People who sign in to programs: by a browser, by single sign-on, and on a device. */
import { calling } from "../browser.ts";
import { time } from "../time.ts";
import { Lost, type Part, type World } from "../world.ts";
import { useScreen } from "./devices.ts";
import { Reader } from "./reader.ts";

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
      const act = chances.pick([...reader.acts(), () => useScreen(reader, chances.below(2))]);
      try {
        await act();
      } catch (error) {
        if (!(error instanceof Lost)) throw error;
      }
    }
  }
}
