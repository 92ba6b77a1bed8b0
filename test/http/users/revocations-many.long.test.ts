import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { loginIdOf } from "../../../src/sessions/login-administration.ts";
import { signedUpIn } from "../../support/adding.ts";
import { startVerifier } from "../../support/feed.ts";
import { bearer } from "../../support/methods.ts";
import { call } from "../../support/person.ts";
import { useApp, describeEachDatabase } from "../../support/service.ts";

describeEachDatabase("the revocation feed", (current) => {
  const app = useApp(current);

  it("has one entry for thousands of logins of a user that end together", async () => {
    // A user has at most 100. PostgreSQL announces so many within the 8 s of a transaction.
    const batches = current().dialect === "sqlite" ? 100 : 20;
    const person = await signedUpIn(current(), app);
    const { storage } = current().server.app.ctx;
    const { logins } = storage.reader.tables;
    const [row] = await storage.reader.db
      .select()
      .from(logins)
      .where(eq(logins.id, await loginIdOf(current().server.app.ctx, person.accessToken)));
    if (!row) throw new Error("no login");
    await storage.write(async ({ db }) => {
      for (let batch = 0; batch < batches; batch += 1)
        await db
          .insert(logins)
          .values(Array.from({ length: 100 }, (_, one) => ({ ...row, id: `lgn_many_${batch}_${one}` })));
    });
    const verifier = await startVerifier(current(), app);
    const answer = await call(current(), "POST", "/auth/logout", bearer(person.accessToken), { allSessions: true });
    expect(answer.status).toBe(200);
    await verifier.listen();
    expect(verifier.received).toEqual([{ sub: person.user["id"], before: expect.any(String) }]);
    expect(verifier.verdict(person.accessToken)).toBe("in doubt");
  });
});
