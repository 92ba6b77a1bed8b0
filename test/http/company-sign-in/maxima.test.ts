import { expect, it } from "vitest";
import * as browserSessions from "../../../src/sessions/browser-sessions.ts";
import { loginMaxima } from "../../../src/storage/column-types.ts";
import { companyConfig, useCompanyProvider } from "../../support/company-provider.ts";
import { withEmma } from "../../support/company-sign-in.ts";
import { isLive } from "../../support/person.ts";
import { describeSqliteFirst, updateApp } from "../../support/service.ts";

const company = await useCompanyProvider();

describeSqliteFirst("who runs a company's provider", { ...companyConfig, dev: true }, (current) => {
  it("Q23: pushes out no own login, however often they sign in as somebody, but the oldest of theirs", async () => {
    const service = current();
    const emma = await withEmma(service, company);
    await updateApp(service, emma.app, { settings: { maxLogins: 2 } });
    const live = async (tokens: Record<string, unknown>) => await isLive(service, emma.app, tokens);
    const confined: Record<string, unknown>[] = [];
    for (let times = 0; times < 3; times += 1) {
      service.clock.advance(1000);
      confined.push(await emma.tokens(await emma.came()));
    }
    expect(await live(emma.own)).toBe(true);
    expect(await Promise.all(confined.map(live))).toEqual([false, true, true]);
    // An own sign-in makes room among the own ones alone.
    for (let times = 0; times < 2; times += 1) {
      service.clock.advance(1000);
      await emma.tokens(await emma.byPassword());
    }
    expect(await Promise.all([emma.own, ...confined].map(live))).toEqual([false, false, true, true]);
  });

  it("Q23: replaces no own login in the same browser", async () => {
    const service = current();
    const emma = await withEmma(service, company);
    await updateApp(service, emma.app, { settings: { maxLogins: 5 } });
    const signedIn = await emma.byPassword();
    const own = await emma.tokens(signedIn);
    await emma.tokens(await emma.came(signedIn.visitor));
    expect(await isLive(service, emma.app, own)).toBe(true);
  });

  it("pushes out no own login beyond the most that anybody has, where no maximum is set", async () => {
    const service = current();
    const emma = await withEmma(service, company);
    const { db, tables } = service.server.app.ctx.storage.reader;
    const [own] = (await db.select().from(tables.logins)).filter(({ userId }) => userId === emma.userId);
    if (!own) throw new Error("no login");
    await service.server.app.ctx.storage.write(async (tx) => {
      const confined = { signedInWith: "organization", organizationId: emma.organization.id } as const;
      const many = Array.from({ length: loginMaxima.most }, (_, n) => n);
      const copies = many.map((n) => ({ ...own, ...confined, id: `${own.id}${n}`, createdAt: own.createdAt + 1 + n }));
      for (const copy of copies) await tx.db.insert(tables.logins).values(copy);
      await tx.db.update(tables.users).set({ loginCount: loginMaxima.most + 1 });
    });
    service.clock.advance(1000);
    await emma.tokens(await emma.came());
    expect(await isLive(service, emma.app, emma.own)).toBe(true);
    const pushedOut = async (): Promise<string[]> => {
      const rows = await db.select().from(tables.logins);
      return rows.filter(({ userId, endedAt }) => userId === emma.userId && endedAt !== null).map(({ id }) => id);
    };
    expect(await pushedOut()).toEqual([`${own.id}0`]);
    // And none of the company's by own sign-ins.
    await emma.tokens(await emma.byPassword());
    expect(await pushedOut()).toHaveLength(1);
  });

  it("makes the person's own browsers not unknown, however many they come in", async () => {
    const service = current();
    const emma = await withEmma(service, company);
    const { ctx } = service.server.app;
    const before = await browserSessions.known(ctx.storage.reader, emma.userId);
    expect(before).toHaveLength(1);
    await ctx.storage.write(async (tx) => {
      const others = Array.from({ length: 250 }, (_, n) => `${emma.organization.id} ${String(n).padStart(43, "x")}`);
      const expiresAt = service.clock.now + 1e12;
      for (const digest of others)
        await tx.db.insert(tx.tables.knownBrowsers).values({ userId: emma.userId, digest, expiresAt });
    });
    await emma.came();
    expect(await browserSessions.known(ctx.storage.reader, emma.userId)).toEqual(before);
    const rows = await ctx.storage.reader.db.select().from(ctx.storage.reader.tables.knownBrowsers);
    expect(rows.filter(({ digest }) => digest.startsWith(emma.organization.id)).length).toBeLessThan(250);
  });
});
