import { hash } from "@node-rs/argon2";
import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { tryPassword } from "../../support/limits.ts";
import { goodPassword, signedUp } from "../../support/person.ts";
import { describeSqliteFirst, testConfig } from "../../support/service.ts";

describeSqliteFirst(
  "password hashes",
  (current) => {
    it("P3: are stored as argon2id with a salt of their own, and stored anew when today's parameters are stronger", async () => {
      const service = current();
      const app = await service.createApp();
      const [one, two] = [await signedUp(service, app), await signedUp(service, app)];
      const { reader, write } = service.server.app.storage;
      const hashOf = async (userId: unknown): Promise<string> =>
        (
          await reader.db
            .select()
            .from(reader.tables.passwords)
            .where(eq(reader.tables.passwords.userId, String(userId)))
        )[0]?.hash ?? "";
      expect(await hashOf(one.user["id"])).toMatch(/^\$argon2id\$v=19\$m=64,t=2,p=1\$/u);
      expect(await hashOf(one.user["id"])).not.toBe(await hashOf(two.user["id"]));
      const weaker = await hash(goodPassword, { memoryCost: 16, timeCost: 1, parallelism: 2 });
      const dearer = await hash(goodPassword, { memoryCost: 128, timeCost: 2, parallelism: 1 });
      await write(
        async ({ db, tables }) =>
          void (await db
            .update(tables.passwords)
            .set({ hash: weaker })
            .where(eq(tables.passwords.userId, String(one.user["id"])))),
      );
      expect((await tryPassword(service, app, one.email, goodPassword)).status).toBe(303);
      expect(await hashOf(one.user["id"])).toMatch(/^\$argon2id\$v=19\$m=64,t=2,p=1\$/u);
      expect((await tryPassword(service, app, one.email, goodPassword)).status).toBe(303);
      await write(
        async ({ db, tables }) =>
          void (await db
            .update(tables.passwords)
            .set({ hash: dearer })
            .where(eq(tables.passwords.userId, String(two.user["id"])))),
      );
      expect((await tryPassword(service, app, two.email, goodPassword)).status).toBe(303);
      expect(await hashOf(two.user["id"])).toBe(dearer);
    });

    it("P3: sign in all of several tries at once while the hash is made anew", async () => {
      const service = current();
      const app = await service.createApp();
      const { email, user } = await signedUp(service, app);
      const weaker = await hash(goodPassword, { memoryCost: 16, timeCost: 1, parallelism: 1 });
      await service.server.app.storage.write(
        async ({ db, tables }) =>
          void (await db
            .update(tables.passwords)
            .set({ hash: weaker })
            .where(eq(tables.passwords.userId, String(user["id"])))),
      );
      const tries = Array.from({ length: 4 }, async () => await tryPassword(service, app, email, goodPassword));
      expect((await Promise.all(tries)).map((page) => page.status)).toEqual([303, 303, 303, 303]);
    });
  },
  { passwords: { ...testConfig.passwords, memoryKiB: 64, iterations: 2 } },
);
