import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { bodyOf, headerLines, openConnection } from "../src/benchmark/connection.ts";
import type { Context } from "./context.ts";
import { start } from "./process.ts";
import { sources } from "./program.ts";
import { measured } from "./report.ts";
import { people, signInsPerSecond } from "./sign-ins.ts";
import { withSubject, type Subject } from "./subject.ts";

const eventsPerSecond = 1000;
const lastsSeconds = 10;

type Summary = { received: number; seconds: number; median: number; p99: number; latest: number };

/**
 * A thousand events a second for ten seconds, to one receiver, beside as many sign-ins as there is room for. Nobody can sign in a thousand times a second:
 * the service is one that makes the events itself, so it is started from the sources.
 */
export async function measureWebhooks(
  { report, seconds }: Context,
  name: string,
  environment?: Record<string, string>,
): Promise<void> {
  const eventful = {
    ...sources,
    name: "bench/webhook-server.ts",
    before: [join(import.meta.dirname, "webhook-server.ts"), String(eventsPerSecond), String(lastsSeconds)],
  };
  const receiver = await start([join(import.meta.dirname, "webhook-receiver.ts")]);
  try {
    const toThisMachine = { AUTHSVC_WEBHOOKS__ALLOW_PRIVATE_NETWORKS: "true" };
    const wanted = { program: eventful, environment: { ...environment, ...toThisMachine }, people };
    await withSubject(wanted, async (subject) => {
      const alone = await signInsPerSecond(subject, seconds);
      await register(subject, receiver.url);
      const beside = await signInsPerSecond(subject, seconds);
      const { received, seconds: took, median, p99, latest } = await untilQuiet(receiver.url);
      const sent = eventsPerSecond * lastsSeconds;
      const late = `median ${median} ms, p99 ${p99} ms, at most ${latest} ms after the event`;
      // Those of the sign-ins come on top of what was sent.
      const arrived = Math.min(received, sent) / Math.max(took, lastsSeconds);
      // The last of them may come a moment after the ten seconds.
      const bar = { atLeast: 0.98 };
      report.rate(
        `${name}: webhooks at ${measured(eventsPerSecond)} events/s (${late})`,
        arrived,
        eventsPerSecond,
        bar,
      );
      report.rate(`${name}: whole password sign-in beside them, of ${measured(alone)}/s without`, beside, alone);
    });
  } finally {
    await receiver.stop();
  }
}

/** Only a kind that sign-ins do not cause as well would leave them out; theirs are told, too. */
async function register({ server, headers }: Subject, url: string): Promise<void> {
  const connection = await openConnection(server.url);
  const body = JSON.stringify({ url, events: ["user.login"], secret: "a secret for a benchmark" });
  const lines = `${headerLines(headers)}content-type: application/json\r\n`;
  bodyOf(await connection.send("POST", "/webhooks/endpoints", lines, body), 201);
  connection.close();
}

/** What came in the end: when nothing more has for two seconds. */
async function untilQuiet(url: string): Promise<Summary> {
  let before: Summary | undefined;
  for (;;) {
    const now = (await (await fetch(url)).json()) as Summary;
    if (before?.received === now.received && now.received > 0) return now;
    before = now;
    await pause(2000);
  }
}
