import { inTurns, type Context } from "./context.ts";
import { allowedCores, freeCores, pin } from "./cores.ts";
import { refreshesOf, validatesOf, withSubject } from "./subject.ts";

const users = 64;

/**
 * Validate and refresh with N HTTP threads, in turns with one: each service on the same N + 1
 * cores, the load on another one. On a machine with fewer free cores it says so, without a ratio.
 */
export async function measureThreads({ program, report, load, rounds, seconds, threads }: Context): Promise<void> {
  const needed = threads + 2;
  const free = await freeCores();
  if (typeof free === "string" || free.length < needed) {
    const here = typeof free === "string" ? free : `${free.length} are free here`;
    report.note(`${threads} threads`, `not measured: it needs ${needed} free cores (N + 2), and ${here}`);
    return;
  }
  const [own = 0, ...cores] = free.slice(0, needed);
  const allowed = allowedCores();
  pin(process.pid, [own]);
  const pinned = {
    ...program,
    command: "taskset",
    before: ["-c", cores.join(","), program.command, ...program.before],
  };
  const wanted = (count: number) => ({
    program: pinned,
    environment: { PATH: process.env["PATH"] ?? "", AUTHSVC_LISTEN__THREADS: String(count) },
    logins: users * (rounds + 1),
  });
  report.note(`${threads} threads`, `services on the cores ${cores.join(", ")}, load on ${own}`);
  try {
    await withSubject(wanted(1), async (single) => {
      await withSubject(wanted(threads), async (several) => {
        const validate = (subject: typeof single) => validatesOf(subject, subject.logins.slice(0, users));
        const refresh = (subject: typeof single, round: number) =>
          refreshesOf(subject, subject.logins.slice(users * round, users * (round + 1)));
        const pace = { seconds, connections: 32 * threads };
        const rate = async (traffic: Parameters<typeof load>[0]) => (await load(traffic, pace)).perSecond;
        for (const subject of [single, several]) {
          await load(validate(subject), { seconds: 1 });
          await load(refresh(subject, rounds), { seconds: 2 });
        }
        const round = { single: 0, several: 0 };
        const found = await inTurns(rounds, {
          validate: async () => await rate(validate(single)),
          validates: async () => await rate(validate(several)),
          refresh: async () => await rate(refresh(single, round.single++)),
          refreshes: async () => await rate(refresh(several, round.several++)),
        });
        report.rate("validate, of one thread", found.validates, found.validate, { atLeast: 0.8 * threads });
        report.rate("refresh, of one thread", found.refreshes, found.refresh, { atLeast: 1 });
      });
    });
  } finally {
    // The programs of later parts inherit the cores of this process.
    pin(process.pid, allowed);
  }
}
