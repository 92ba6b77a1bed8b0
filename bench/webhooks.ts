import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { bodyOf, headerLines, openConnection } from "../src/upkeep/benchmark/connection.ts";
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
 * A thousand events per second for ten seconds to one receiver, beside as many sign-ins as
 * possible. So many sign-ins are impossible, so the service creates the events itself and runs from
 * the sources.
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
      // Deliveries of the sign-ins come on top of what was sent.
      const arrived = Math.min(received, sent) / Math.max(took, lastsSeconds);
      // The last ones may arrive a moment after the ten seconds.
      const bar = { atLeast: 0.98 };
      report.rate(
        `${name}: webhooks at ${measured(eventsPerSecond)} events/s (${late})`,
        arrived,
        eventsPerSecond,
        bar,
      );
      report.rate(`${name}: full password sign-in beside them, of ${measured(alone)}/s without`, beside, alone);
    });
  } finally {
    await receiver.stop();
  }
}

/** Includes the events of the sign-ins, because no kind is free of them. */
async function register({ server, headers }: Subject, url: string): Promise<void> {
  const connection = await openConnection(server.url);
  const body = JSON.stringify({ url, events: ["user.login"], secret: "a secret for a benchmark" });
  const lines = `${headerLines(headers)}content-type: application/json\r\n`;
  bodyOf(await connection.send("POST", "/webhooks/endpoints", lines, body), 201);
  connection.close();
}

/** The result once nothing has arrived for two seconds. */
async function untilQuiet(url: string): Promise<Summary> {
  let before: Summary | undefined;
  for (;;) {
    const now = (await (await fetch(url)).json()) as Summary;
    if (before?.received === now.received && now.received > 0) return now;
    before = now;
    await pause(2000);
  }
}
