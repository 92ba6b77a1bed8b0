import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { systemRandom } from "../../../src/lib/random.ts";
import { backUpDatabase } from "../../../src/database/maintenance.ts";
import { call, newEmail, redeem, refresh, signIn, signUp, type Tokens } from "../../support/person.ts";
import { bearer } from "../../support/methods.ts";
import { describeSqliteFirst } from "../../support/service.ts";

describeSqliteFirst("refresh tokens at rest", (current) => {
  it("F11: stand in no table, no file and no backup, live or dead, whole or in part", async () => {
    const service = current();
    const app = await service.createApp();
    const person = { email: newEmail() };
    const issued: string[] = [];
    const keep = ({ refreshToken }: Tokens): string => {
      issued.push(refreshToken);
      return refreshToken;
    };
    await redeem(service, app, await signUp(service, app, person));
    for (let login = 0; login < 5; login += 1) {
      const tokens = await redeem(service, app, await signIn(service, app, person));
      let token = keep(tokens);
      for (let generation = 0; generation < 4; generation += 1)
        token = keep((await refresh(service, app, token)).body as Tokens);
      if (login === 0) await call(service, "POST", "/auth/logout", bearer(tokens.accessToken), {});
      if (login === 1) expect((await refresh(service, app, tokens.refreshToken)).status).toBe(401);
    }

    const surroundings = { clock: () => service.clock.now, random: systemRandom, onProgress: () => {} };
    const file = join(service.dataDir, "copy.backup");
    await backUpDatabase(service.config, file, { kind: "cli", name: "test" }, surroundings);
    for (const text of [await service.databaseText(), readFileSync(file, "latin1")]) {
      // It is the right text, and searching finds what is there.
      expect(text).toContain(person.email);
      expect(issued).toHaveLength(25);
      for (const token of issued) {
        const secret = Buffer.from(token, "base64url").subarray(-48);
        for (const form of [
          token,
          token.slice(-43),
          Buffer.from(token).toString("base64"),
          secret.toString("latin1"),
          secret.toString("hex"),
          secret.toString("base64"),
          secret.subarray(0, 32).toString("base64url"),
          secret.subarray(0, 32).toString("latin1"),
        ])
          expect(text.includes(form)).toBe(false);
      }
    }
  });
});
