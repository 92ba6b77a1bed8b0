// `npm run bench`: starts what it measures, side by side in one run, and prints absolutes and ratios. Loopback only, about a minute.
import { hash } from "@node-rs/argon2";
import { randomBytes } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "../test/support/postgres.ts";
import { redeem, signUp } from "../test/support/person.ts";
import type { TestApp, TestService } from "../test/support/service.ts";
import { start, type Running } from "./process.ts";
import { signInsPerSecond } from "./sign-ins.ts";
import { measureWebhooks } from "./webhooks.ts";
import { getScript, hasWrk, load, refreshScript } from "./wrk.ts";

const seconds = 5;
const root = join(import.meta.dirname, "..");
const unlimited = {
  AUTHSVC_RATE_LIMITS__AUTHENTICATION: "1000000",
  AUTHSVC_PASSWORDS__ATTEMPTS_PER_MINUTE: "1000000",
};

type Row = { figure: string; value: string; ratio: string };
const rows: Row[] = [];

function note(figure: string, perSecond: number, yardstick: number, unit = "/s"): void {
  rows.push({
    figure,
    value: `${Math.round(perSecond).toLocaleString("en")} ${unit}`,
    ratio: yardstick > 0 ? (perSecond / yardstick).toFixed(3) : "",
  });
}

async function hashesPerSecond(): Promise<number> {
  const until = performance.now() + 2000;
  let done = 0;
  const worker = async (): Promise<void> => {
    while (performance.now() < until) {
      await hash("correct horse battery staple", { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: cpus().length }, worker));
  return done / 2;
}

async function measure(name: string, environment: Record<string, string>, bare: number, hashes: number): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), "authsvc-bench-"));
  const program = [join(root, "bin/authsvc.ts"), "serve", "--dev", "--port", "0", "--data", data];
  const server: Running = await start(program, { ...unlimited, ...environment });
  try {
    rows.push({ figure: `${name}: start to ready`, value: `${Math.round(server.readyMilliseconds)} ms`, ratio: "" });
    rows.push({ figure: `${name}: memory at rest`, value: `${Math.round(server.residentMegabytes())} MB`, ratio: "" });
    const apiKey = /API key\s+(\S+)/u.exec(server.output)?.[1] ?? "";
    const headers = { authorization: `Bearer ${apiKey}`, "x-service-app-id": "app_demo" };
    const app: TestApp = { id: "app_demo", apiKey, redirectUri: `${server.url}/dev/demo/callback`, headers };
    const service = { url: server.url } as TestService;
    const logins = await Promise.all(
      Array.from({ length: 64 }, async () => await redeem(service, app, await signUp(service, app))),
    );

    const bearer = { authorization: `Bearer ${logins[0]?.accessToken}`, "x-service-app-id": "app_demo" };
    await load(`${server.url}/auth/validate`, getScript(bearer), 1);
    const validates = await load(`${server.url}/auth/validate`, getScript(bearer), seconds);
    note(
      `${name}: validate (p99 ${validates.p99Milliseconds} ms, ${validates.failures} failed)`,
      validates.perSecond,
      bare,
    );
    const refreshes = await load(
      `${server.url}/auth/refresh`,
      refreshScript(
        headers,
        logins.map((login) => login.refreshToken),
      ),
      seconds,
    );
    note(
      `${name}: refresh (p99 ${refreshes.p99Milliseconds} ms, ${refreshes.failures} failed)`,
      refreshes.perSecond,
      bare,
    );
    note(
      `${name}: whole password sign-in, against argon2 alone`,
      await signInsPerSecond(service, app, seconds),
      hashes,
    );
    rows.push({
      figure: `${name}: memory after all that`,
      value: `${Math.round(server.residentMegabytes())} MB`,
      ratio: "",
    });
  } finally {
    await server.stop();
  }
}

async function webhooks(name: string, environment: Record<string, string>): Promise<void> {
  const { signIns, sent, received, lateness } = await measureWebhooks(
    { ...unlimited, ...environment },
    async (service, app) => await signInsPerSecond(service, app, seconds),
  );
  const { median, p99, latest } = lateness;
  const late = `median ${median} ms, p99 ${p99} ms, at most ${latest} ms after the event`;
  // Those of the sign-ins come on top of what was sent.
  note(`${name}: webhooks at 1,000 events a second (${late})`, Math.min(received, sent), sent, "arrived");
  note(`${name}: whole password sign-in beside them, against without`, signIns.beside, signIns.alone);
}

if (!hasWrk()) {
  console.error("npm run bench needs wrk: apt-get install wrk");
  process.exit(1);
}
const bareServer = await start([join(import.meta.dirname, "bare-server.ts")]);
const bare = (await load(bareServer.url, "", seconds)).perSecond;
await bareServer.stop();
note("bare node:http, same bytes", bare, bare);
const hashes = await hashesPerSecond();
note("argon2id alone, m=19456 KiB t=2 p=1", hashes, hashes);
await measure("SQLite", {}, bare, hashes);
await webhooks("SQLite", {});
const postgres = await startPostgres();
try {
  const environment = {
    AUTHSVC_DATABASE__URL: postgres.url("postgres"),
    AUTHSVC_MASTER_KEY: randomBytes(32).toString("base64url"),
  };
  await measure("PostgreSQL", environment, bare, hashes);
  await webhooks("PostgreSQL", environment);
} finally {
  await postgres.stop();
}
console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, load generator on the same machine\n`);
const width = Math.max(...rows.map((row) => row.figure.length));
for (const { figure, value, ratio } of rows) console.log(`${figure.padEnd(width)}  ${value.padStart(12)}  ${ratio}`);
