import { hash } from "@node-rs/argon2";
import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { tryPassword } from "../../support/limits.ts";
import { goodPassword, signedUp } from "../../support/person.ts";
import { withApp, describeSqliteFirst, testConfig, type TestService } from "../../support/service.ts";

const [weaker, dearer] = [
  await hash(goodPassword, { memoryCost: 16, timeCost: 1, parallelism: 2 }),
  await hash(goodPassword, { memoryCost: 128, timeCost: 2, parallelism: 1 }),
];

async function hashOf({ server }: TestService, { user }: { user: Record<string, unknown> }): Promise<string> {
  const { db, tables } = server.app.ctx.storage.reader;
  const ofUser = eq(tables.passwords.userId, String(user["id"]));
  return (await db.select().from(tables.passwords).where(ofUser))[0]?.hash ?? "";
}

async function setHash({ server }: TestService, { user }: { user: Record<string, unknown> }, to: string) {
  await server.app.ctx.storage.write(async ({ db, tables: { passwords } }) => {
    await db
      .update(passwords)
      .set({ hash: to })
      .where(eq(passwords.userId, String(user["id"])));
  });
}

describeSqliteFirst(
  "password hashes",
  { passwords: { ...testConfig.passwords, memoryKiB: 64, iterations: 2 } },
  (current) => {
    it("P3: are stored as argon2id with a salt of their own, and anew at the next sign-in when today's parameters are stronger", async () => {
      const { service, app } = await withApp(current());
      const [one, two] = [await signedUp(service, app), await signedUp(service, app)];
      const stored = [await hashOf(service, one), await hashOf(service, two)];
      for (const each of stored)
        expect(each).toMatch(/^\$argon2id\$v=19\$m=64,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/u);
      for (const part of [4, 5]) expect(new Set(stored.map((each) => each.split("$")[part])).size).toBe(2);
      await setHash(service, one, weaker);
      expect((await tryPassword(service, app, one.email, "a wrong one, on purpose")).status).toBe(401);
      expect(await hashOf(service, one)).toBe(weaker);
      expect((await tryPassword(service, app, one.email, goodPassword)).status).toBe(303);
      expect(await hashOf(service, one)).toMatch(/^\$argon2id\$v=19\$m=64,t=2,p=1\$/u);
      expect((await tryPassword(service, app, one.email, goodPassword)).status).toBe(303);
      await setHash(service, two, dearer);
      expect((await tryPassword(service, app, two.email, goodPassword)).status).toBe(303);
      expect(await hashOf(service, two)).toBe(dearer);
      expect(await service.databaseText()).not.toContain(goodPassword);
    });

    it("P3: sign in all of several tries at once while the hash is made anew", async () => {
      const { service, app } = await withApp(current());
      const person = await signedUp(service, app);
      await setHash(service, person, weaker);
      const tries = Array.from({ length: 4 }, async () => await tryPassword(service, app, person.email, goodPassword));
      expect((await Promise.all(tries)).map((page) => page.status)).toEqual([303, 303, 303, 303]);
    });
  },
);
