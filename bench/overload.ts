import { setTimeout as pause } from "node:timers/promises";
import { openBrowser, type Browser } from "../src/upkeep/benchmark/browser.ts";
import { bodyOf, headerLines, openConnection } from "../src/upkeep/benchmark/connection.ts";
import { repeat, type Load } from "../src/upkeep/benchmark/load.ts";
import { percentile } from "../src/upkeep/benchmark/percentiles.ts";
import type { Context } from "./context.ts";
import type { Pace } from "./load.ts";
import { measured } from "./report.ts";
import { signInsPerSecond } from "./sign-ins.ts";
import { bearer, validatesOf, withSubject, type Subject } from "./subject.ts";
import { hashesPerSecond } from "./yardsticks.ts";

const times = 10;
const lastsSeconds = 10;
/** Sign-ins wait in the hash queue, and surplus ones for the next arrival. */
const browsers = 400;
/** A few hundred calls per second: measures their latency, not their maximum rate. */
const validating = { connections: 8, pauseMilliseconds: 10 } satisfies Partial<Pace>;
/**
 * Callers that validate are already connected, like an application's server. One call in fifty
 * precedes the forms, and counts.
 */
const headStartMilliseconds = 200;

type OpenPage = { browser: Browser; page: Awaited<ReturnType<Browser["open"]>> };

type Arrivals = {
  signedIn: number;
  refused: number[];
  /** Neither a code nor 429. */
  failed: number;
  /** Sign-ins without a free browser. */
  unsent: number;
};

/**
 * Sign-ins that arrive ten times as fast as their passwords can be hashed, whether or not any is
 * answered; validates beside them.
 */
export async function measureOverload({ program, report, load, seconds }: Context): Promise<void> {
  await withSubject({ program, logins: 64, people: browsers }, async (subject) => {
    const { server, config } = subject;
    const perSecond = times * (await hashesPerSecond(config.passwords, 2));
    const validates = validatesOf(subject, subject.logins);
    const before = await load(validates, { ...validating, seconds });
    const signInsBefore = await signInsPerSecond(subject, seconds);

    const opened = await openPages(subject);
    using watch = watchMemory(subject);
    const own = process.threadCpuUsage();
    const [arrived, newcomers, beside] = await Promise.all([
      pause(headStartMilliseconds).then(async () => await arrive(opened, perSecond)),
      pause(headStartMilliseconds).then(async () => await connectAnew(subject)),
      load(validates, { ...validating, seconds: lastsSeconds }),
    ]);
    const { user, system } = process.threadCpuUsage(own);
    const most = watch.most();
    for (const { browser } of opened) browser.close();
    await pause(5000);
    const signInsAfter = await signInsPerSecond(subject, seconds);
    const after = await load(validates, { ...validating, seconds });

    const { signedIn, refused, failed, unsent } = arrived;
    const all = signedIn + refused.length + failed + unsent;
    report.note(
      `overload: ${measured(perSecond)} sign-ins/s for ${lastsSeconds} s`,
      `${signedIn} signed in, ${refused.length} answered 429, ${failed} otherwise, ${unsent} of ${all} not sent`,
    );
    report.value("overload: processor time of those who arrive", (user + system) / 1e4 / lastsSeconds, "% of a core");
    report.value("overload: validate p99 before", before.p99Milliseconds, "ms");
    report.value("overload: validate median meanwhile", beside.medianMilliseconds, "ms");
    report.value("overload: validate p99 meanwhile", beside.p99Milliseconds, "ms", { atMost: 20 });
    report.value("overload: validate on a new connection meanwhile, median", newcomers.medianMilliseconds, "ms");
    report.value("overload: validate on a new connection meanwhile, latest", newcomers.maxMilliseconds, "ms");
    report.value("overload: 429 median", percentile(refused, 0.5), "ms");
    report.value("overload: 429 p99", percentile(refused, 0.99), "ms", { atMost: 100 });
    report.value("overload: 429 latest", percentile(refused, 1), "ms");
    report.note("overload: memory before, at most", `${measured(watch.before)} MB, ${measured(most)} MB`);
    report.rate("overload: sign-ins 5 s later, of those before", signInsAfter, signInsBefore, { atLeast: 0.9 });
    report.value("overload: validate p99 5 s later", after.p99Milliseconds, "ms", { atMost: 20 });
    report.value("overload: memory 5 s later", server.residentMegabytes(), "MB");
  });
}

async function openPages({ server, app, people }: Subject): Promise<OpenPage[]> {
  const opened: OpenPage[] = [];
  for (const person of people) {
    const browser = await openBrowser(server.url, app, person);
    opened.push({ browser, page: await browser.open() });
  }
  return opened;
}

function watchMemory({ server }: Subject) {
  const before = server.residentMegabytes();
  let most = before;
  const looking = setInterval(() => (most = Math.max(most, server.residentMegabytes())), 100);
  return { before, most: () => most, [Symbol.dispose]: () => clearInterval(looking) };
}

/**
 * The waiting times of new connections, from before connecting: libuv accepts one connection per
 * event-loop turn. Includes the delay of this process, which also posts the forms.
 */
async function connectAnew({ server, logins: [login] }: Subject): Promise<Load> {
  if (!login) throw new Error("nobody is signed in");
  const headers = headerLines(bearer(login));
  const validate = async (): Promise<void> => {
    const connection = await openConnection(server.url);
    bodyOf(await connection.send("GET", "/auth/validate", headers), 200);
    connection.close();
  };
  const isOver = (_done: number, elapsedSeconds: number): boolean => elapsedSeconds >= lastsSeconds;
  return await repeat([validate], isOver, { pauseMilliseconds: 100 });
}

/**
 * Posts forms at a steady rate. Each browser already has its page open, so only the form arrives.
 * Browsers that are let in redeem the code and open the next page; others keep the page.
 */
async function arrive(opened: OpenPage[], perSecond: number): Promise<Arrivals> {
  const found: Arrivals = { signedIn: 0, refused: [], failed: 0, unsent: 0 };
  const ready = [...opened];
  const under = new Set<Promise<void>>();

  async function send(one: OpenPage): Promise<void> {
    const began = performance.now();
    const answer = await one.browser.submit(one.page);
    if (answer.status === 429) found.refused.push(performance.now() - began);
    else if (answer.status === 303) {
      await one.browser.redeem(one.page, answer);
      found.signedIn += 1;
      one.page = await one.browser.open();
    } else found.failed += 1;
    ready.push(one);
  }

  const began = performance.now();
  let due = 0;
  for (let elapsed = 0; elapsed < lastsSeconds; elapsed = (performance.now() - began) / 1000) {
    for (const target = elapsed * perSecond; due < target; due += 1) {
      const next = ready.shift();
      if (!next) {
        found.unsent += 1;
        continue;
      }
      const sending = send(next)
        .catch(() => void (found.failed += 1))
        .finally(() => under.delete(sending));
      under.add(sending);
    }
    await pause(2);
  }
  await Promise.all(under);
  return found;
}
