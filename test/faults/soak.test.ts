import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { startMailServer } from "../support/mail.ts";
import { askForAccount, codeIn, mailTo } from "../support/mail-flows.ts";
import { call, redeem, refresh, signIn, validate, Visitor, type Tokens } from "../support/person.ts";
import { startProcess, threads } from "../support/process.ts";
import { startReceiver, until } from "../support/receiver.ts";
import type { TestApp, TestService } from "../support/service.ts";
import { webhookSecret as secret } from "../support/webhooks.ts";
import { printFigures, reportExperiment } from "./experiment.ts";
import { emptyFolder } from "../cli/command.ts";

/**
 * `AUTHSVC_TEST_SOAK_SECONDS=600` is the soak of docs/reliability.md; a run of all tests has a
 * minute for it.
 */
const seconds = Number(process.env["AUTHSVC_TEST_SOAK_SECONDS"] ?? 60);
const workers = 4;
/** Without it the test would measure how fast it is itself. */
const pauseBetweenPeople = 250;
const [sampledEvery, warmUpShare] = [1000, 0.4];
const megabyte = 1024 * 1024;
/** What the service may grow by after it has warmed up: caches fill, and each heap breathes. */
const [maxGrowth, maxMoreDescriptors, maxLogLines] = [64 * threads, 30, 20];

type Sample = { memory: number; descriptors: number };
type Counts = { people: number; calls: number; logins: number };

function sampleOf(pid: number): Sample {
  // Without the mapped pages of the database, which the system takes back as it likes.
  const [, kibibytes = "0"] = /RssAnon:\s+(\d+) kB/u.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return { memory: Number(kibibytes) / 1024, descriptors: readdirSync(`/proc/${pid}/fd`).length };
}

function databaseMegabytes(data: string): number {
  const files = readdirSync(data).filter((file) => file.startsWith("authsvc.db"));
  return files.reduce((total, file) => total + statSync(join(data, file)).size, 0) / megabyte;
}

const most = (samples: Sample[], what: keyof Sample): number => Math.max(...samples.map((sample) => sample[what]));

it.skipIf(process.platform !== "linux")(
  `sign-ins, refreshes, validates, logouts, webhooks and mails for ${seconds} s leave memory, descriptors and log as they were`,
  async () => {
    const [data, mailServer, receiver] = [emptyFolder(), await startMailServer(), await startReceiver()];
    const {
      service,
      app,
      process: running,
      log,
    } = await startProcess(data, {
      AUTHSVC_MAIL__SMTP_URL: `smtp://127.0.0.1:${mailServer.port}`,
      AUTHSVC_MAIL__FROM: "auth@service.example",
      AUTHSVC_MAIL__PER_HOUR: "1000000",
      AUTHSVC_TRUSTED_PROXIES: "127.0.0.1",
      AUTHSVC_WEBHOOKS__ALLOW_PRIVATE_NETWORKS: "true",
    });
    const events = ["user.login", "user.logout"];
    expect(
      (await call(service, "POST", "/webhooks/endpoints", app.headers, { url: receiver.url, events, secret })).status,
    ).toBe(201);

    const lost: string[] = [];
    const counts: Counts = { people: 0, calls: 0, logins: 0 };
    const endsAt = performance.now() + seconds * 1000;
    const working = Array.from({ length: workers }, async () => {
      while (performance.now() < endsAt) {
        counts.people += 1;
        await live(service, app, counts, async (email) => codeIn(await mailTo(mailServer, email))).catch(
          (error: unknown) => lost.push(String(error)),
        );
        await pause(pauseBetweenPeople);
      }
    });
    const samples: Sample[] = [];
    while (performance.now() < endsAt) {
      await pause(sampledEvery);
      samples.push(sampleOf(running.pid ?? 0));
    }
    await Promise.all(working);

    await until(() => receiver.received.length >= 2 * counts.logins, "every webhook");
    const ids = new Set(receiver.received.map(({ id }) => id)).size;
    if (ids !== 2 * counts.logins) lost.push(`${ids} events for ${counts.logins} logins`);
    const warm = samples.splice(0, Math.floor(samples.length * warmUpShare));
    const growth = most(samples, "memory") - most(warm, "memory");
    const lines = log().trim() === "" ? 0 : log().trim().split("\n").length;
    printFigures(
      `soak | ${seconds} s | ${counts.people} people | ${counts.calls} calls | ${ids} webhooks | ${mailServer.received.length} mails | ` +
        `memory ${most(warm, "memory").toFixed(0)} → ${most(samples, "memory").toFixed(0)} MB | ` +
        `descriptors ${most(warm, "descriptors")} → ${most(samples, "descriptors")} | ` +
        `log ${lines} lines | database ${databaseMegabytes(data).toFixed(1)} MB`,
    );
    expect(growth).toBeLessThan(maxGrowth);
    expect(most(samples, "descriptors") - most(warm, "descriptors")).toBeLessThan(maxMoreDescriptors);
    expect(lines).toBeLessThan(maxLogLines);
    // 4 KiB a person and a write-ahead log.
    expect(databaseMegabytes(data)).toBeLessThan(32 + (counts.people * 16) / 1024);
    await Promise.all([mailServer.close(), receiver.stop()]);
    reportExperiment("soak", { rounds: counts.people, checks: counts.calls, lost });
  },
  seconds * 1000 + 180_000,
);

/** What one person does: two logins, and each of them ends. */
async function live(
  service: TestService,
  app: TestApp,
  counts: Counts,
  codeOf: (email: string) => Promise<string>,
): Promise<void> {
  const expectStatus = (answer: { status: number }, wanted: number): void => {
    counts.calls += 1;
    if (answer.status !== wanted) throw new Error(`status ${answer.status}, not ${wanted}`);
  };
  // Everybody has an address of their own: one network is sent 50 mails an hour.
  const address = `10.${(counts.people >> 16) & 255}.${(counts.people >> 8) & 255}.${counts.people & 255}`;
  const visitor = new Visitor({ "x-forwarded-for": address });
  const { session, email, page } = await askForAccount(service, app, { visitor });
  const confirmed = await visitor.submit(page, "/confirm", { code: await codeOf(email) });
  expectStatus(confirmed, 303);
  const first = { session, code: confirmed.location.searchParams.get("code") ?? "" };
  for (const signedIn of [first, await signIn(service, app, { email }, {}, visitor)]) {
    let tokens = await redeem(service, app, signedIn);
    counts.logins += 1;
    for (let times = 0; times < 3; times += 1) {
      expectStatus(await validate(service, app, tokens.accessToken), 200);
      const next = await refresh(service, app, tokens.refreshToken);
      expectStatus(next, 200);
      tokens = next.body as Tokens;
    }
    const authorization = `Bearer ${tokens.accessToken}`;
    expectStatus(await call(service, "POST", "/auth/logout", { authorization }, {}), 200);
    expectStatus(await validate(service, app, tokens.accessToken), 401);
  }
}
