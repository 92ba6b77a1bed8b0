// The service with synthetic events: a fixed number per second once an application has a webhook
// endpoint, each in its own transaction, like a redeemed code.
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { loadConfig } from "../src/config/load.ts";
import * as events from "../src/records/webhooks/events.ts";
import * as webhooks from "../src/records/webhooks/service.ts";
import { startServer } from "../src/process/server.ts";

// webhook-server.ts EVENTS-PER-SECOND SECONDS serve --port PORT --data DIR
const { positionals, values } = parseArgs({
  options: { port: { type: "string" }, data: { type: "string" } },
  allowPositionals: true,
});
const [perSecond, seconds] = positionals.map(Number);
const turn = 10;

const { config } = loadConfig({ flags: values, env: process.env, cwd: process.cwd() });
const server = await startServer({ ...config, log: { ...config.log, level: "error" } });
const { ctx } = server.app;
const { storage } = ctx;
const source = {
  ipAddress: "192.0.2.7",
  userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0",
};

function happen(appId: string, index: number): void {
  const sessionId = `lgn_${String(index).padStart(26, "0")}`;
  const event = { kind: "user.login", appId, userId: null, authMethod: "passkey", source, sessionId } as const;
  void storage.write((tx) => events.record(ctx, tx, event, Date.now()));
}

async function untilSomebodyListens(): Promise<string> {
  for (;;) {
    const [endpoint] = await webhooks.list(ctx);
    if (endpoint) return endpoint.appId;
    await pause(50);
  }
}

void untilSomebodyListens().then((appId) => {
  if (perSecond === undefined || seconds === undefined) throw new Error("how many, and for how long?");
  const began = performance.now();
  let made = 0;
  const making = setInterval(() => {
    const elapsed = Math.min(performance.now() - began, seconds * 1000);
    while (made < (elapsed / 1000) * perSecond) happen(appId, (made += 1));
    if (elapsed === seconds * 1000) clearInterval(making);
  }, turn);
});

process.on("SIGTERM", () => void server.close().then(() => process.exit(0)));
console.log(`listening on ${server.url}`);
