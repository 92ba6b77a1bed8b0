import { openBrowser } from "../src/benchmark/browser.ts";
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

/** initiate, the page, its form, callback. Each person has a browser of their own. */
export async function signInsPerSecond(subject: Subject, seconds: number): Promise<number> {
  return await signInUntil(subject, (_done, elapsed) => elapsed >= seconds);
}

/** Repeats sign-ins until `isOver`, and returns their rate per second. */
export async function signInUntil(
  { server, app, people: persons }: Subject,
  isOver: (done: number, elapsedSeconds: number) => boolean,
): Promise<number> {
  const browsers = await Promise.all(
    persons.slice(0, people).map(async (person) => await openBrowser(server.url, app, person)),
  );
  // The browser that has waited longest is next. Fixed turns would make a slow one delay the
  // others.
  const free = [...browsers];
  // The first sign-in in a new browser differs from later ones.
  for (const browser of browsers) await browser.signIn();
  const began = performance.now();
  const elapsed = (): number => (performance.now() - began) / 1000;
  let done = 0;
  const signInInTurns = async (): Promise<void> => {
    while (!isOver(done, elapsed())) {
      const browser = free.shift();
      if (!browser) throw new Error("there are fewer browsers than sign-ins at once");
      await browser.signIn();
      free.push(browser);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, signInInTurns));
  const perSecond = done / elapsed();
  for (const browser of browsers) browser.close();
  return perSecond;
}
