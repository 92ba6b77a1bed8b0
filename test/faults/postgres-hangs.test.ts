import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { sql, type SQL } from "drizzle-orm";
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStorage } from "../../src/storage/open.ts";
import type { Handle } from "../../src/storage/storage.ts";
import { authsvc, emptyFolder } from "../cli/command.ts";
import { bearer } from "../support/methods.ts";
import { call, refresh, signedUp, validate, type Tokens } from "../support/person.ts";
import { startPostgres, type Postgres } from "../support/postgres.ts";
import { killAll, startProcess } from "../support/process.ts";
import { testMasterKey, type TestApp, type TestService } from "../support/service.ts";
import { reportExperiment } from "./experiment.ts";
import { administer, frozenServer, startGate, type Fault } from "./postgres-faults.ts";

const maxMillisecondsOfACall = 12_000;
const maxMillisecondsOfReadiness = 4000;
const maxMillisecondsToHeal = 15_000;

let postgres: Postgres;
let gate: Awaited<ReturnType<typeof startGate>>;
let faults: Record<string, Fault>;

beforeEach(async () => {
  postgres = await startPostgres();
  gate = await startGate(postgres.url("postgres"));
  faults = { "dropped packets": gate, "a server stopped by SIGSTOP": frozenServer(postgres.url("postgres")) };
});
afterEach(async () => {
  for (const fault of Object.values(faults)) fault.end();
  await killAll();
  await gate.close();
  await postgres.stop();
});

async function startService() {
  return await startProcess(mkdtempSync(join(tmpdir(), "authsvc-hang-")), {
    AUTHSVC_DATABASE__URL: gate.url,
    AUTHSVC_DATABASE__POOL_SIZE: "5",
    AUTHSVC_MASTER_KEY: testMasterKey,
    AUTHSVC_LOG__LEVEL: "silent",
  });
}

type Answer = { what: string; status: number; milliseconds: number };

async function timed(what: string, calling: () => Promise<{ status: number }>): Promise<Answer> {
  const began = performance.now();
  const status = await calling().then(
    (answer) => answer.status,
    () => 0,
  );
  return { what, status, milliseconds: Math.round(performance.now() - began) };
}

/** One call of each kind, all at once. */
function everyCall(service: TestService, app: TestApp, tokens: Tokens): Promise<Answer>[] {
  const redirectUri = app.redirectUri;
  return [
    timed("initiate", () => call(service, "POST", "/auth/initiate", app.headers, { redirectUri })),
    timed("refresh", () => refresh(service, app, tokens.refreshToken)),
    timed("validate", () => validate(service, app, tokens.accessToken)),
    timed("profile", () => call(service, "GET", "/users/profile", bearer(tokens.accessToken))),
    timed("rename", () => call(service, "PATCH", "/users/profile", bearer(tokens.accessToken), { name: "Ann" })),
    timed("methods", () => call(service, "GET", "/users/auth-methods", bearer(tokens.accessToken))),
    timed("page", () => fetch(`${service.url}/account?app_id=${app.id}`, { redirect: "manual" })),
    timed("logout", () => call(service, "POST", "/auth/logout", bearer(tokens.accessToken), {})),
  ];
}

describe.each(["dropped packets", "a server stopped by SIGSTOP"])("a database that hangs: %s", (name) => {
  it("every call is answered within 12 s, readiness within 2 s, and the service heals within 15 s", async () => {
    const { service, app } = await startService();
    const bystander = await signedUp(service, app);
    const people = [];
    for (let person = 0; person < 6; person += 1) people.push(await signedUp(service, app));
    const control = new Client({ connectionString: gate.url });
    control.on("error", () => {});
    await control.connect();

    const fault = faults[name] as Fault;
    await fault.begin();
    let controlIsAnswered = false;
    const answered = (): void => {
      controlIsAnswered = true;
    };
    control.query("SELECT 1").then(answered, answered);
    const calls: Promise<Answer>[] = [];
    const looks: Answer[] = [];
    // Into connections that hang, into a pool without a free one, and after the first of them were
    // given up.
    for (const person of people) {
      calls.push(...everyCall(service, app, person));
      looks.push(await timed("readyz", () => fetch(`${service.url}/readyz`)));
      await pause(2000);
    }
    const answers = await Promise.all(calls);
    expect(answers.filter(({ milliseconds }) => milliseconds > maxMillisecondsOfACall)).toEqual([]);
    expect(looks.filter(({ milliseconds }) => milliseconds > maxMillisecondsOfReadiness)).toEqual([]);
    expect(new Set(looks.map(({ status }) => status))).toEqual(new Set([503]));
    expect(answers.filter(({ status }) => status !== 500)).toEqual([]);
    // Without a deadline of our own nobody hears of it.
    expect(controlIsAnswered).toBe(false);

    fault.end();
    const healing = await timed("healing", async () => {
      for (;;) {
        const { status } = await call(service, "POST", "/auth/initiate", app.headers, { redirectUri: app.redirectUri });
        if (status === 200) return { status };
      }
    });
    expect(healing.milliseconds).toBeLessThan(maxMillisecondsToHeal);
    await expect.poll(async () => (await fetch(`${service.url}/readyz`)).status).toBe(200);
    const again = await refresh(service, app, bystander.refreshToken);
    const next = { ...bystander, ...(again.body as Tokens) };
    const afterwards = await Promise.all(everyCall(service, app, next).slice(0, -1));
    expect(afterwards.filter(({ status }) => status >= 500 || status === 0)).toEqual([]);
    const lost = again.status === 200 ? [] : [`a login, whose refresh answered ${again.status}`];
    const slowest = Math.max(...answers.map(({ milliseconds }) => milliseconds));
    const figures = `slowest call ${slowest} ms, recovered in ${healing.milliseconds} ms`;
    await control.end().catch(() => {});
    reportExperiment(`PostgreSQL hangs, ${name}: ${figures}`, {
      rounds: 1,
      checks: answers.length + looks.length + 1,
      lost,
    });
  });

  it("SIGTERM answers its callers, and ends the process", async () => {
    const { service, app, process } = await startService();
    const person = await signedUp(service, app);
    await (faults[name] as Fault).begin();
    const calls = everyCall(service, app, person);
    await pause(500);
    const ended = new Promise<number | null>((resolve) => process.once("exit", resolve));
    const began = performance.now();
    process.kill("SIGTERM");
    expect((await Promise.all(calls)).filter(({ status }) => status !== 500)).toEqual([]);
    expect(await ended).toBe(0);
    expect(performance.now() - began).toBeLessThan(maxMillisecondsOfACall);
  });

  it("a start says so in one sentence, and ends", async () => {
    await (faults[name] as Fault).begin();
    const env = { AUTHSVC_DATABASE__URL: gate.url, AUTHSVC_MASTER_KEY: testMasterKey, AUTHSVC_LISTEN__PORT: "0" };
    const failed = await authsvc(["serve"], { cwd: emptyFolder(), env });
    expect(failed.stderr).toMatch(/^authsvc: The PostgreSQL database is not usable: [^\n]*\n$/u);
    expect(failed).toMatchObject({ code: 1, stdout: "" });
  });
});

describe("a transaction on a connection that hangs", () => {
  async function insertFact({ db, tables }: Handle, name: string): Promise<void> {
    await db.insert(tables.facts).values({ name, value: name });
  }

  async function execute({ db }: Handle, statement: string): Promise<void> {
    await (db as unknown as { execute(query: SQL): Promise<unknown> }).execute(sql.raw(statement));
  }

  it("is not run again when nobody answered its COMMIT, and fails, whether it was committed or not", async () => {
    const storage = await openStorage({ url: gate.url, poolSize: 1, file: "" }, Date.now(), () => {});
    gate.swallowAfter("COMMIT");
    let runs = 0;
    const work = async (tx: Handle): Promise<void> => {
      runs += 1;
      await insertFact(tx, "unknown");
    };
    await expect(storage.write(work)).rejects.toThrow("PostgreSQL did not respond in time");
    expect(runs).toBe(1);
    expect(await administer(postgres.url("postgres"), "SELECT name FROM facts WHERE name = 'unknown'")).toHaveLength(1);
    await storage.close();
  });

  it("ends within 12 s however many statements it has, and leaves nothing, and the next one works", async () => {
    const storage = await openStorage({ url: gate.url, poolSize: 1, file: "" }, Date.now(), () => {});
    const began = performance.now();
    const work = async (tx: Handle): Promise<void> => {
      await insertFact(tx, "slow");
      for (let statement = 0; statement < 10; statement += 1) await execute(tx, "SELECT pg_sleep(2)");
    };
    await expect(storage.write(work)).rejects.toThrow("PostgreSQL did not respond in time");
    expect(performance.now() - began).toBeLessThan(maxMillisecondsOfACall);
    await storage.write((tx) => insertFact(tx, "next"));
    const rows = await administer(postgres.url("postgres"), "SELECT name FROM facts WHERE name IN ('slow', 'next')");
    expect(rows).toEqual([{ name: "next" }]);
    await storage.close();
  });
});
