import { setImmediate as turn, setTimeout as pause } from "node:timers/promises";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { createAuthsvc, type Authsvc } from "../packages/sdk/src/index.ts";
import { repeat } from "../src/upkeep/benchmark/load.ts";
import type { TestLogin } from "../src/upkeep/benchmark/logins.ts";
import { percentile } from "../src/upkeep/benchmark/percentiles.ts";
import { freePort } from "../test/support/free-port.ts";
import { inTurns, type Context } from "./context.ts";
import { withPostgres } from "./databases.ts";
import { start, type Running } from "./process.ts";
import { inFolder } from "./program.ts";
import { measured } from "./report.ts";
import { appId, bearer, withSubject, type Subject } from "./subject.ts";

const users = 64;
/** More than `verify` remembers: in turns, each is a new one. */
const tokenCount = 12_000;
/** A server verifies for some requests at the same time. */
const atOnce = 8;
/** Verifications of one work: reading the clock costs as much as a remembered one. */
const batch = 100;
const logouts = 200;

/** What an app's server has of packages/sdk: verified tokens, and logouts that it hears of. */
export async function measureSdk(context: Context): Promise<void> {
  await measureVerify(context);
  const { program } = context;
  await withSubject({ program, logins: logouts }, async (subject) => {
    await measureLogouts(context, "one node (SQLite)", subject, subject.server.url, 200);
  });
  await withPostgres(async ({ environment }) => {
    await withSubject({ program, environment: await environment(), logins: logouts }, async (subject) => {
      await withSecondNode(context, subject, async (second) => {
        await measureLogouts(context, "the other of two nodes (PostgreSQL)", subject, second.url, 1000);
      });
    });
  });
}

/** In turns with `jose` alone, on one thread of this process: new tokens, and remembered ones. */
async function measureVerify({ program, report, rounds, seconds }: Context): Promise<void> {
  await withSubject({ program, logins: users }, async (subject) => {
    const client = clientOf(subject);
    const tokens = await manyTokens(client, subject.logins);
    const keys = createRemoteJWKSet(new URL(`${subject.server.url}/.well-known/jwks.json`));
    const wanted = { issuer: addressOf(subject), audience: appId, typ: "at+jwt" };
    const rate = async (list: string[], verify: (token: string) => Promise<unknown>): Promise<number> => {
      let next = 0;
      const work = async (): Promise<void> => {
        for (let count = 0; count < batch; count += 1) {
          next = (next + 1) % list.length;
          await verify(list[next] ?? "");
        }
      };
      const works = Array.from({ length: atOnce }, () => work);
      return (await repeat(works, (_done, elapsed) => elapsed >= seconds)).perSecond * batch;
    };
    const measures = {
      jose: async () => await rate(tokens, async (token) => await jwtVerify(token, keys, wanted)),
      fresh: async () => await rate(tokens, client.verify),
      remembered: async () => await rate(tokens.slice(0, users), client.verify),
    };
    // Warm up. The service decides once on each login from before this client listened.
    for (const measure of Object.values(measures)) await measure();
    const found = await inTurns(rounds, measures);
    report.note("jose alone: jwtVerify", `${measured(found.jose)}/s`);
    report.rate("verify, new tokens, of jose alone", found.fresh, found.jose);
    report.value("verify, remembered tokens", found.remembered, "/s", { atLeast: 100_000 });
    client.close();
  });
}

/** From the answer of a logout to the moment when `verify` at a server of the app refuses. */
async function measureLogouts(
  { report }: Context,
  where: string,
  subject: Subject,
  feedUrl: string,
  mostMilliseconds: number,
): Promise<void> {
  const client = clientOf(subject, feedUrl);
  const took: number[] = [];
  for (const login of subject.logins) {
    await client.verify(login.accessToken);
    // At all moments between two looks of the node.
    await pause((took.length * 37) % 250);
    const headers = { ...bearer(login), "content-type": "application/json" };
    const response = await fetch(`${subject.server.url}/auth/logout`, { method: "POST", headers, body: "{}" });
    if (!response.ok) throw new Error(`a logout was answered with ${response.status}: ${await response.text()}`);
    await response.text();
    const answered = performance.now();
    await untilRefused(client, login);
    took.push(performance.now() - answered);
  }
  client.close();
  const figure = `logout to refusal, ${where}, of ${took.length}`;
  report.value(`${figure}: median`, percentile(took, 0.5), "ms");
  report.value(`${figure}: p99`, percentile(took, 0.99), "ms", { atMost: mostMilliseconds });
}

async function untilRefused(client: Authsvc, { accessToken }: TestLogin): Promise<void> {
  for (;;) {
    try {
      await client.verify(accessToken);
    } catch (error) {
      if ((error as { code?: string }).code === "INVALID_TOKEN") return;
      throw error;
    }
    await turn();
  }
}

/** Its calls go to the node at `url`; all nodes have one address, as behind a balancer. */
function clientOf(subject: Subject, url = subject.server.url): Authsvc {
  const issuer = addressOf(subject);
  return createAuthsvc({
    issuer,
    appId,
    apiKey: subject.app.apiKey,
    fetch: async (address, init) => await fetch(address.replace(issuer, url), init),
  });
}

function addressOf({ config, server }: Subject): string {
  return config.baseUrl ?? server.url;
}

async function manyTokens(client: Authsvc, logins: TestLogin[]): Promise<string[]> {
  const lists = logins.map(async ({ refreshToken: first }) => {
    const made: string[] = [];
    for (let refreshToken = first; made.length < tokenCount / users;) {
      const tokens = await client.refresh(refreshToken);
      ({ refreshToken } = tokens);
      made.push(tokens.accessToken);
    }
    return made;
  });
  return (await Promise.all(lists)).flat();
}

/** Another process on the same database. */
async function withSecondNode(
  { program }: Context,
  { environment }: Subject,
  work: (second: Running) => Promise<void>,
): Promise<void> {
  await inFolder(async (folder) => {
    const args = ["serve", "--port", String(await freePort()), "--data", folder];
    const log = `${folder}/log`;
    const second = await start([...program.before, ...args], environment, { command: program.command, log });
    try {
      await work(second);
    } finally {
      await second.stop();
    }
  });
}
