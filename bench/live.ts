import { followRequests, readLive } from "../src/live/client.ts";
import { percentile } from "../src/upkeep/benchmark/percentiles.ts";
import { inTurns, type Context } from "./context.ts";
import { measured } from "./report.ts";
import { validatesOf, withSubject, type Subject } from "./subject.ts";

const users = 64;
const pollMilliseconds = 1000;

/** Processor time for a validate: nobody watches, somebody looks, somebody reads each request. */
export async function measureLive({ program, report, load, rounds, seconds }: Context): Promise<void> {
  const wanted = { program, logins: users };
  const [alone, looked, read]: number[][] = [[], [], []];
  const noted = async (costs: number[] = [], subject: Subject): Promise<number> => {
    const before = subject.server.processorSeconds();
    const { calls, perSecond } = await load(validatesOf(subject, subject.logins), { seconds });
    costs.push(((subject.server.processorSeconds() - before) * 1e6) / calls);
    return perSecond;
  };
  // A service counts for half a minute after the last look, so each kind has one of its own.
  await withSubject(wanted, async (unwatched) => {
    await withSubject(wanted, async (watched) => {
      await withSubject(wanted, async (followed) => {
        const polling = setInterval(() => void readLive(watched.config), pollMilliseconds);
        const following = await followRequests(followed.config, () => {});
        try {
          for (const subject of [unwatched, watched, followed])
            await load(validatesOf(subject, subject.logins), { seconds: 1 });
          await inTurns(rounds, {
            alone: async () => await noted(alone, unwatched),
            looked: async () => await noted(looked, watched),
            read: async () => await noted(read, followed),
          });
        } finally {
          clearInterval(polling);
          following?.stop();
        }
      });
    });
  });
  const median = (costs: number[] = []): string => `${measured(percentile(costs, 0.5))} µs of processor`;
  report.note("validate while nobody watches", median(alone));
  report.note("validate while authsvc top looks", median(looked));
  report.note("validate while authsvc logs reads each request", median(read));
}
