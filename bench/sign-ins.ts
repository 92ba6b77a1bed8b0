import { repeat, type Load } from "../src/upkeep/benchmark/load.ts";
import { openSignIns } from "../src/upkeep/benchmark/sign-ins.ts";
import { inTurns, type Context } from "./context.ts";
import { measured } from "./report.ts";
import { withSubject, type Subject } from "./subject.ts";
import { hashesPerSecond } from "./yardsticks.ts";

/** More than can be hashed at once, so that no core waits for a client. */
const atOnce = 32;
/**
 * They sign in one after the other: in reality nobody signs in hundreds of times per minute, or has
 * hundreds of logins.
 */
export const people = 64;

/** Complete password sign-ins, in turns with argon2id alone. */
export async function measureSignIns(
  { program, report, rounds, seconds }: Context,
  name: string,
  environment?: Record<string, string>,
): Promise<void> {
  await withSubject({ program, environment, people }, async (subject) => {
    const { passwords } = subject.config;
    let ownMilliseconds = 0;
    // Code that runs four times per sign-in needs hundreds of them until it is compiled.
    await signInsPerSecond(subject, seconds);
    const found = await inTurns(rounds, {
      argon2: async () => await hashesPerSecond(passwords, seconds),
      signIns: async () => {
        const before = process.cpuUsage();
        const perSecond = await signInsPerSecond(subject, seconds);
        const { user, system } = process.cpuUsage(before);
        ownMilliseconds = (user + system) / 1000 / (perSecond * seconds);
        return perSecond;
      },
    });
    report.note(`${name}: of each sign-in, processor time of the people`, `${measured(ownMilliseconds)} ms`);
    report.note("argon2id alone", `${measured(found.argon2)}/s`);
    // No goal for a database on the same two processors.
    const bar = environment === undefined ? { atLeast: 0.85 } : undefined;
    report.rate(`${name}: full password sign-in, of argon2id alone`, found.signIns, found.argon2, bar);
  });
}

/** Complete password sign-ins of several people, for some seconds. */
export async function signInsPerSecond(subject: Subject, seconds: number): Promise<number> {
  return (await signInUntil(subject, (_done, elapsedSeconds) => elapsedSeconds >= seconds)).perSecond;
}

/** Repeats sign-ins until `isOver`. */
export async function signInUntil(
  { server, app, people: persons }: Subject,
  isOver: (done: number, elapsedSeconds: number) => boolean,
): Promise<Load> {
  using signIns = await openSignIns(server.url, app, persons.slice(0, people), atOnce);
  return await repeat(signIns.works, isOver);
}
