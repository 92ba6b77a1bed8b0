import { chmodSync } from "node:fs";
import { expect, it, vi } from "vitest";
import { consoleAppId } from "../../src/applications/console-app.ts";
import { keptResults } from "../../src/console/parts/kept.ts";
import { startConsole } from "../../src/console/local-console.ts";
import { day, hour, minute } from "../../src/lib/clock.ts";
import { newId } from "../../src/lib/random.ts";
import { openContext } from "../../src/process/open-context.ts";
import { closeContext } from "../../src/process/core.ts";
import { addActivity } from "../../src/records/activity/activity-store.ts";
import { insertAuditEvent } from "../../src/records/audit/store.ts";
import * as mail from "../../src/records/mail/service.ts";
import * as deliveries from "../../src/records/webhooks/deliveries.ts";
import { openConsole } from "../support/console.ts";
import { resetMail } from "../support/mail-flows.ts";
import { Visitor, type Page } from "../support/person.ts";
import { describeSqliteFirst, describeOnSqlite, type TestApp, type TestService } from "../support/service.ts";
import { createEndpoint, happen, localWebhooks } from "../support/webhooks.ts";
import { mailAway } from "./somebody.ts";

const patience = { timeout: 60_000, interval: 100 };

/** Each line of what is wrong, and where its link leads. */
function alarmsOn({ text }: Page): { words: string; isGrave: boolean; path: string }[] {
  const [, list = ""] = /<section class="alarms".*?<ul>(.*?)<\/ul>/su.exec(text) ?? [];
  return [...list.matchAll(/<li class="(.*?)">\s*<p>(.*?)<\/p>\s*<a href="([^"]*)">/gsu)].map(
    ([, look = "", words = "", path = ""]) => ({
      words: words
        .replaceAll(/<[^>]*>/gu, "")
        .replaceAll(/\s+/gu, " ")
        .trim(),
      isGrave: look === "bad",
      path: path.replaceAll("&amp;", "&"),
    }),
  );
}

async function alarms(service: TestService, options: Parameters<typeof openConsole>[1] = {}) {
  const console = await openConsole(service, options);
  // On a busy machine, what was expensive is kept.
  keptResults(service.server.app.ctx).clear();
  return alarmsOn(await console.get("/overview"));
}

async function failSignIns(
  { server, clock }: TestService,
  { appId, accounts, address }: { appId: string; accounts: number; address: (account: number) => string },
): Promise<void> {
  const { ctx } = server.app;
  await ctx.storage.write(async (tx) => {
    for (let account = 0; account < accounts; account += 1) {
      await insertAuditEvent(tx, {
        id: newId("aud", clock.now, ctx.random),
        at: clock.now - account * minute,
        actor: "user:unknown",
        action: "sign-in",
        result: "failure",
        appId,
        userId: newId("usr", clock.now, ctx.random),
        ipAddress: address(account),
        requestId: null,
        details: { method: "password" },
      });
    }
  });
}

/** So many sign-ins in each hour of five weeks, and none in the last `hours`. */
async function countSignIns({ server, clock }: TestService, app: TestApp, hours: number): Promise<void> {
  const current = clock.now - (clock.now % hour);
  await server.app.ctx.storage.write(async (tx) => {
    for (let at = current - 30 * day; at < current - hours * hour; at += hour)
      await addActivity(tx, {
        appId: app.id,
        event: "sign-in",
        kind: "password",
        value: 40,
        hour: at,
        day: at - (at % day),
      });
  });
}

describeSqliteFirst("what is wrong", { ...mailAway, ...localWebhooks }, (service) => {
  it("is nothing, in one line, as long as all is well", async () => {
    const { text } = await (await openConsole(service)).get("/overview");
    expect(text).toContain("Nothing is wrong.");
    expect(text).not.toContain('class="alarms"');
  });

  it("is mail that waits for five minutes, since the first, with what waits and the way to it", async () => {
    const app = await service.createApp();
    const { ctx } = service.server.app;
    const at = service.clock.now;
    await ctx.storage.write((tx) => mail.enqueue(ctx, tx, resetMail(service, app.id), at));
    service.clock.advance(4.9 * minute);
    expect((await alarms(service)).filter(({ words }) => words.includes("mail"))).toEqual([]);
    service.clock.advance(minute);
    const [alarm] = await alarms(service);
    expect(alarm).toMatchObject({ isGrave: true, path: "/console/mail" });
    expect(alarm?.words).toMatch(/^Serious: No mail is sent\. 1 mail waits\. Began \d+ \w+ \d{4}/u);
    const other = await service.createApp();
    expect(await alarms(service, { appId: other.id })).toEqual([]);
    expect(await alarms(service, { appId: app.id })).toHaveLength(1);
    service.clock.advance(hour);
    await mail.sweep(ctx);
  });

  it("is a webhook whose last ten attempts failed, not one that failed nine times", async () => {
    const app = await service.createApp();
    const id = await createEndpoint(service, app, { url: "http://127.0.0.1:9/hook" });
    const failed = async (events: number): Promise<void> => {
      for (let event = 0; event < events; event += 1) await happen(service, app);
      await vi.waitFor(async () => {
        const all = await deliveries.list(service.server.app.ctx, id, { limit: 20 });
        expect(all.every(({ attempts }) => attempts.length > 0)).toBe(true);
      }, patience);
    };
    await failed(9);
    expect(await alarms(service, { appId: app.id })).toEqual([]);
    await failed(1);
    const [alarm] = await alarms(service, { appId: app.id });
    expect(alarm).toMatchObject({ isGrave: true, path: `/console/webhooks/${id}` });
    expect(alarm?.words).toContain("127.0.0.1:9 is failing: its last ten attempts failed. 10 events wait.");
    expect(await alarms(service, { appId: (await service.createApp()).id })).toEqual([]);
  });

  it("are sign-ins that stopped two whole hours ago, of the own application only", async () => {
    const [busy, quiet] = [await service.createApp(), await service.createApp()];
    await countSignIns(service, busy, 1);
    expect(await alarms(service, { appId: busy.id })).toEqual([]);
    await countSignIns(service, quiet, 2);
    const [alarm] = await alarms(service, { appId: quiet.id });
    expect(alarm?.words).toContain(
      "Far fewer people sign in than usual: 0 in the last two whole hours, where 80 are usual.",
    );
    expect(alarm?.path).toMatch(/^\/console\/overview\?from=[\dT%A:-]+&until=/u);
    expect(await alarms(service, { appId: busy.id })).toEqual([]);
  });

  it("are failures at ten accounts from one network within an hour", async () => {
    const [app, sixth, other] = [await service.createApp(), await service.createApp(), await service.createApp()];
    await failSignIns(service, { appId: app.id, accounts: 9, address: () => "192.0.2.7" });
    expect(await alarms(service, { appId: app.id })).toEqual([]);
    await failSignIns(service, { appId: app.id, accounts: 1, address: () => "192.0.2.7" });
    expect(await alarms(service, { appId: app.id })).toMatchObject([
      { isGrave: false, path: "/console/audit?action=sign-in&result=failure&since=1h&address=192.0.2.7" },
    ]);
    await failSignIns(service, { appId: sixth.id, accounts: 10, address: (n) => `2001:db8:0:7::${n + 1}` });
    const [network] = await alarms(service, { appId: sixth.id });
    expect(network?.words).toMatch(/Sign-ins from 2001:db8:0:7::\/64 failed at 10 accounts within an hour\./u);
    expect(network?.words).not.toContain("trustedProxies");
    const behind = await service.createApp();
    await failSignIns(service, { appId: behind.id, accounts: 10, address: () => "172.18.0.1" });
    expect((await alarms(service, { appId: behind.id }))[0]?.words).toContain("until trustedProxies lists it");
    await failSignIns(service, { appId: other.id, accounts: 30, address: (n) => `198.51.100.${n}` });
    expect(await alarms(service, { appId: other.id })).toEqual([]);
    service.clock.advance(hour);
    expect(await alarms(service, { appId: app.id })).toEqual([]);
  });

  it("J8: is nothing about the sign-ins of operators, to others than owners", async () => {
    await failSignIns(service, { appId: consoleAppId, accounts: 12, address: () => "203.0.113.9" });
    const about = async (role: "owner" | "support" | "viewer") =>
      (await alarms(service, { role })).filter(({ words }) => words.includes("203.0.113.9")).length;
    expect([await about("owner"), await about("support"), await about("viewer")]).toEqual([1, 0, 0]);
  });
});

describeOnSqlite("what is wrong with the service itself", (service) => {
  it("is a backup older than seven days, and none at all once the service is older than that", async () => {
    const about = async () => (await alarms(service)).filter(({ path }) => path === "/console/service#backup");
    expect(await about()).toEqual([]);
    service.clock.advance(7.1 * day);
    await vi.waitFor(async () => expect(await about()).toHaveLength(1), patience);
    const app = await service.createApp();
    expect(await alarms(service, { appId: app.id })).toEqual([]);
    service.clock.advance(-7.1 * day);
  });

  it("is what doctor calls a problem, with the way to the command that fixes it", async () => {
    chmodSync(service.dataDir, 0o755);
    await vi.waitFor(
      async () =>
        expect(await alarms(service)).toContainEqual(
          expect.objectContaining({ isGrave: true, path: "/console/service#files" }),
        ),
      patience,
    );
    chmodSync(service.dataDir, 0o700);
  });

  it("is a signing key whose successor is a day late", async () => {
    await fetch(`${service.url}/.well-known/jwks.json`);
    const found = async (after: number) => {
      // A process that does not serve publishes no successor.
      const ctx = await openContext(service.config, { clock: () => service.clock.now + after });
      const operator = { actor: { kind: "cli", name: "test" }, role: "owner", name: "test", appId: undefined } as const;
      const console = await startConsole(ctx, { host: "127.0.0.1", port: 0, hosts: [], operator });
      const visitor = new Visitor();
      await visitor.get(console.link);
      const page = await visitor.get(`${new URL(console.link).origin}/console/overview`);
      await console.close();
      await closeContext(ctx);
      return alarmsOn(page).filter(({ path }) => path === "/console/service#signing-keys");
    };
    expect(await found(29.9 * day)).toEqual([]);
    const late = await found(30.1 * day);
    expect(
      late.map(({ words }) => /^Warning: The successor of the (\w+) signing key is late/u.exec(words)?.[1]),
    ).toContain("ES256");
  });
});
