import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import * as newPasswords from "../../../src/credentials/passwords/new-passwords.ts";
import { digestOf } from "../../../src/lib/random.ts";
import { openForm } from "../../support/limits.ts";
import { goodPassword, initiate, newEmail, signedUp, Visitor } from "../../support/person.ts";
import { scrape } from "../../support/scrape.ts";
import { withApp, describeOnSqlite, testConfig, type TestService } from "../../support/service.ts";

const triesAMinute = 10;

/**
 * Keeps the queue of hashes full while `work` runs: whoever leaves it, another one takes the place
 * before any form can.
 */
async function whileBusy<T>({ server }: TestService, work: () => Promise<T>): Promise<T> {
  const { ctx } = server.app;
  const over = new AbortController();
  const hashing = Array.from({ length: 10 }, async () => {
    // BUSY for those that there is no place for at the moment.
    while (!over.signal.aborted) await newPasswords.hash(ctx, goodPassword, undefined).catch(() => turn());
  });
  try {
    return await work();
  } finally {
    over.abort();
    await Promise.all(hashing);
  }
}

async function writtenFor({ server }: TestService, sessionId: string) {
  const { db, tables } = server.app.ctx.storage.reader;
  const sessions = await db.select().from(tables.signInSessions);
  const failures = await db.select().from(tables.passwordFailures);
  return {
    session: sessions.find(({ digest }) => digest === digestOf(sessionId)),
    failures: failures.toSorted((a, b) => a.accountDigest.localeCompare(b.accountDigest)),
  };
}

describeOnSqlite(
  "a form that cannot be hashed",
  {
    metrics: { host: "127.0.0.1", port: 0, hosts: [] },
    passwords: { ...testConfig.passwords, concurrency: 1, queueSize: 4, attemptsPerMinute: triesAMinute },
  },
  (current) => {
    it("costs no write and counts as no try, and the page keeps what was typed and works a moment later", async () => {
      const { service, app } = await withApp(current());
      const { email } = await signedUp(service, app);
      const { visitor, page } = await openForm(service, app);
      const sessionId = page.url.split("/").at(-1) ?? "";
      const before = await writtenFor(service, sessionId);
      const shown = await whileBusy(service, async () => {
        let last = page;
        for (let time = 0; time <= triesAMinute; time += 1)
          last = await visitor.submit(last, "/password", { email, password: goodPassword });
        return last;
      });
      expect(shown.status).toBe(429);
      expect(shown.headers.get("retry-after")).toBe("1");
      expect(shown.text).toContain("A lot of people are signing in right now.");
      expect(shown.text).toContain(`value="${email}"`);
      expect(shown.text).not.toContain(goodPassword);
      expect(await writtenFor(service, sessionId)).toEqual(before);
      expect(before.session?.browserDigest).toBeNull();
      expect((await visitor.submit(shown, "/password", { email, password: goodPassword })).status).toBe(303);
    });

    it("is told so in the reader's language", async () => {
      const service = current();
      const { visitor, page } = await openForm(service, await service.createApp());
      const shown = await whileBusy(service, () =>
        visitor.submit(page, "/password", { email: newEmail(), password: goodPassword }, { "accept-language": "ar" }),
      );
      expect(shown.status).toBe(429);
      expect(shown.text).toContain('lang="ar" dir="rtl"');
    });

    it("creates no account, and keeps the address and the name", async () => {
      const { service, app } = await withApp(current());
      const visitor = new Visitor();
      const { authUrl, sessionId } = await initiate(service, app);
      const page = await visitor.get(`${authUrl}/create-account`);
      const values = { email: newEmail(), name: "Ada Lovelace", password: goodPassword };
      const before = await writtenFor(service, sessionId);
      const shown = await whileBusy(service, () => visitor.submit(page, "/create-account", values));
      expect(shown.status).toBe(429);
      expect(shown.headers.get("retry-after")).toBe("1");
      expect(shown.text).toContain(`value="${values.email}"`);
      expect(shown.text).toContain('value="Ada Lovelace"');
      expect(await writtenFor(service, sessionId)).toEqual(before);
      expect((await visitor.submit(shown, "/create-account", values)).status).toBe(303);
    });

    it("is still refused as another site's, and shows another browser nothing", async () => {
      const { service, app } = await withApp(current());
      const { visitor, page } = await openForm(service, app);
      const values = { email: newEmail(), password: goodPassword };
      await whileBusy(service, async () => {
        const elsewhere = { "sec-fetch-site": "cross-site" };
        expect((await visitor.submit(page, "/password", values, elsewhere)).status).toBe(403);
        expect((await visitor.submit(page, "/password", { ...values, token: "forged" })).status).toBe(403);
        expect((await new Visitor().submit(page, "/password", values)).status).toBe(400);
      });
    });

    it("is counted under the limit that it met", async () => {
      const service = current();
      const { visitor, page } = await openForm(service, await service.createApp());
      const met = async (): Promise<number> =>
        (await scrape(service)).value("authsvc_rate_limited_total", { limit: "password-hashes" }) ?? 0;
      const before = await met();
      await whileBusy(service, () => visitor.submit(page, "/password", { email: newEmail(), password: goodPassword }));
      expect(await met()).toBe(before + 1);
    });
  },
);
