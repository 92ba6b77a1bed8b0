import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { call } from "../test/support/person.ts";
import type { TestApp, TestService } from "../test/support/service.ts";
import { start } from "./process.ts";

const eventsPerSecond = 1000;
const seconds = 10;

export type WebhookFigures = {
  /** Sign-ins a second before any endpoint exists, and beside the events. */
  signIns: { alone: number; beside: number };
  sent: number;
  received: number;
  /** From the moment of an event to its arrival, milliseconds. */
  lateness: { median: number; p99: number; latest: number };
};

type Summary = { received: number; median: number; p99: number; latest: number };

/** A thousand events a second for ten seconds, to one receiver, beside as many sign-ins as there is room for. */
export async function measureWebhooks(
  environment: Record<string, string>,
  signInsPerSecond: (service: TestService, app: TestApp) => Promise<number>,
): Promise<WebhookFigures> {
  const receiver = await start([join(import.meta.dirname, "webhook-receiver.ts")]);
  const data = mkdtempSync(join(tmpdir(), "authsvc-bench-"));
  const program = [join(import.meta.dirname, "webhook-server.ts"), String(eventsPerSecond), String(seconds), data];
  const server = await start(program, environment);
  try {
    const apiKey = /API key\s+(\S+)/u.exec(server.output)?.[1] ?? "";
    const headers = { authorization: `Bearer ${apiKey}`, "x-service-app-id": "app_demo" };
    const app: TestApp = { id: "app_demo", apiKey, redirectUri: `${server.url}/dev/demo/callback`, headers };
    const service = { url: server.url } as TestService;
    const alone = await signInsPerSecond(service, app);
    // Only a kind that sign-ins do not cause as well would leave them out; theirs are told, too.
    const endpoint = { url: receiver.url, events: ["user.login"], secret: "a secret for a benchmark" };
    const { status } = await call(service, "POST", "/webhooks/endpoints", headers, endpoint);
    if (status !== 201) throw new Error(`the endpoint was answered ${status}`);
    const beside = await signInsPerSecond(service, app);
    const summary = await untilQuiet(receiver.url);
    const { received, ...lateness } = summary;
    return { signIns: { alone, beside }, sent: eventsPerSecond * seconds, received, lateness };
  } finally {
    await server.stop();
    await receiver.stop();
  }
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
