import { expect, it } from "vitest";
import { openForm, tryPassword, tryToSignUp } from "../../support/limits.ts";
import { goodPassword, newEmail, signedUp } from "../../support/person.ts";
import { withApp, describeSqliteFirst, testConfig } from "../../support/service.ts";

describeSqliteFirst("passwords", (current) => {
  it("L6, L7: five failures are free, then the account waits 1, 2, 4 … seconds; a success clears them", async () => {
    const { service, app } = await withApp(current());
    const { email } = await signedUp(service, app);
    const works = async (): Promise<boolean> => (await tryPassword(service, app, email, goodPassword)).status === 303;
    const fail = async (times: number): Promise<void> => {
      for (let time = 0; time < times; time += 1) await tryPassword(service, app, email, "a wrong one");
    };
    await fail(5);
    expect(await works()).toBe(true);
    await fail(6);
    expect(await works()).toBe(false);
    service.clock.advance(1000);
    await fail(1);
    service.clock.advance(1000);
    expect(await works()).toBe(false);
    service.clock.advance(1000);
    expect(await works()).toBe(true);
    for (let step = 0; step < 20; step += 1) {
      await fail(1);
      service.clock.advance(900_000);
    }
    expect(await works()).toBe(true);
  });

  it.each([
    ["too short", "fourteen chars"],
    ["too long", "x1".repeat(129)],
    ["the address", "EMAIL"],
    ["nothing", ""],
  ])("P2: are refused with what to fix when they are %s", async (_, password) => {
    const { service, app } = await withApp(current());
    const email = newEmail();
    const page = await tryToSignUp(service, app, {
      email,
      name: "Ada",
      password: password.replace("EMAIL", email.toUpperCase()),
    });
    expect(page.status).toBe(422);
    expect(page.text).toContain('aria-invalid="true"');
    expect(page.text).toContain(email);
    expect(page.text).not.toContain(password || "no such password");
  });

  it("one of many sign-ups with the same address wins", async () => {
    const { service, app } = await withApp(current());
    const email = newEmail();
    const pages = await Promise.all(
      Array.from({ length: 20 }, async () => await tryToSignUp(service, app, { email, password: goodPassword })),
    );
    expect(pages.filter((page) => page.status === 303)).toHaveLength(1);
    expect(pages.filter((page) => page.status === 422)).toHaveLength(19);
    for (const { text } of pages) expect(text).not.toMatch(/exists|taken|already registered/iu);
  });
});

describeSqliteFirst(
  "passwords under pressure",
  {
    trustedProxies: ["127.0.0.1"],
    passwords: {
      ...testConfig.passwords,
      memoryKiB: 19_456,
      iterations: 2,
      concurrency: 1,
      queueSize: 4,
      attemptsPerMinute: 10,
    },
  },
  (current) => {
    it("allows ten tries a minute from one network, then 429 with the time to wait, on the page (docs/spec/decisions.md, 7)", async () => {
      const { service, app } = await withApp(current());
      service.clock.now = Math.ceil(service.clock.now / 60_000) * 60_000 + 30_000;
      const claimed = async (): Promise<number> => {
        const { db, tables } = service.server.app.ctx.storage.reader;
        const sessions = await db.select().from(tables.signInSessions);
        return sessions.filter(({ appId, browserDigest }) => appId === app.id && browserDigest !== null).length;
      };
      for (let time = 0; time < 10; time += 1)
        expect((await tryPassword(service, app, newEmail(), "a wrong one")).status).toBe(401);
      expect(await claimed()).toBe(10);
      const page = await tryPassword(service, app, newEmail(), "a wrong one");
      expect(page.status).toBe(429);
      expect(Number(page.headers.get("retry-after"))).toBe(30);
      expect(page.text).toContain("30 seconds");
      // Nothing was written for it.
      expect(await claimed()).toBe(10);
      service.clock.advance(30_000);
      expect((await tryPassword(service, app, newEmail(), "a wrong one")).status).toBe(401);
    });

    it("a full hash queue refuses within 100 ms, and validate stays fast (docs/spec/decisions.md, 7)", async () => {
      const { service, app } = await withApp(current());
      const { accessToken } = await signedUp(service, app);
      const sessions = await Promise.all(Array.from({ length: 60 }, async () => await openForm(service, app)));
      // A network of its own for each, so that it is the queue that refuses.
      const timed = sessions.map(async ({ visitor, page }, index) => {
        const start = performance.now();
        const answer = await visitor.submit(
          page,
          "/password",
          { email: newEmail(), password: "a wrong one" },
          { "x-forwarded-for": `10.1.${index}.1` },
        );
        return { answer, milliseconds: performance.now() - start };
      });
      const results = await Promise.all(timed);
      const refused = results.filter(({ answer }) => answer.status === 429);
      expect(refused.length).toBeGreaterThan(20);
      for (const { answer } of refused) {
        expect(answer.headers.get("retry-after")).toBe("1");
        expect(answer.text).toContain("busy");
      }
      expect(results.filter(({ answer }) => answer.status === 401).length + refused.length).toBe(60);
      const counted = await service.server.app.ctx.storage.reader.db
        .select()
        .from(service.server.app.ctx.storage.reader.tables.passwordFailures);
      expect(counted.filter((row) => row.failures > 0).length).toBeLessThanOrEqual(60 + 11 - refused.length);
      const validated = await fetch(`${service.url}/auth/validate`, {
        headers: { authorization: `Bearer ${accessToken}`, "x-service-app-id": app.id },
      });
      expect(validated.status).toBe(200);
    });
  },
);
