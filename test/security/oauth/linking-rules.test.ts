import { describe, expect, it } from "vitest";
import { newEmail, redeem, signedUp, signIn } from "../../support/person.ts";
import { useProviders } from "../../support/providers/provider.ts";
import { auditOf, changeUser, closeSignUp, identitiesOf, usersOf } from "../../support/providers/records.ts";
import { appWith, atProvider, comeBack, signInAt, startRound, tokensFrom } from "../../support/providers/round.ts";
import { describeSqliteFirst } from "../../support/service.ts";

const [google, github] = await useProviders("google", "github");

describeSqliteFirst("identities at providers", (service) => {
  it("O1: the same subject at two providers, or in two apps, is two people", async () => {
    const app = await appWith(service, [google, github]);
    const other = await appWith(service, [google]);
    const one = await tokensFrom(service, app, google, { subject: "77", email: newEmail(), verified: true });
    const two = await tokensFrom(service, app, github, { subject: "77", email: newEmail(), verified: true });
    const three = await tokensFrom(service, other, google, { subject: "77", email: newEmail(), verified: true });
    expect(new Set([one, two, three].map(({ user }) => user["id"])).size).toBe(3);
  });

  it("O1: subjects are compared byte for byte", async () => {
    const app = await appWith(service, [google]);
    const ids = new Set<unknown>();
    for (const subject of ["Case", "case", "case ", "case\u00e9", "casee\u0301"])
      ids.add((await tokensFrom(service, app, google, { subject, email: newEmail(), verified: true })).user["id"]);
    expect(ids.size).toBe(5);
  });

  it("O2: links the same address in any letter case, once, and says so in the audit log", async () => {
    const app = await appWith(service, [google]);
    const email = newEmail();
    const local = await signedUp(service, app, email);
    await changeUser(service, email, { emailVerified: true });
    const person = { subject: "caps", email: ` ${email.toUpperCase()} `, verified: true, name: "Somebody Else" };
    for (let n = 0; n < 2; n += 1) {
      const { user } = await tokensFrom(service, app, google, person);
      expect(user).toMatchObject({ id: local.user["id"], email, name: null });
    }
    // The password opens the same account as before.
    expect((await redeem(service, app, await signIn(service, app, { email }))).user["id"]).toBe(local.user["id"]);
    const added = (await auditOf(service, app)).filter(({ action }) => action === "method.added");
    expect(added).toMatchObject([{ userId: local.user["id"], details: { provider: "google", how: "link" } }]);
    expect(JSON.stringify(added)).not.toContain(email);
    expect(JSON.stringify(added)).not.toContain("caps");
  });

  it("O1: the list of methods names each provider once, however many identities of it a user has", async () => {
    const app = await appWith(service, [google]);
    const email = newEmail();
    await tokensFrom(service, app, google, { subject: "work", email, verified: true });
    const { user } = await tokensFrom(service, app, google, { subject: "home", email, verified: true });
    expect(user["authMethods"]).toMatchObject({ oauth: ["google"] });
  });

  it("O2, O9: an identity refuses a disabled user, by a known identity and by a verified address, and takes nothing over", async () => {
    const app = await appWith(service, [google]);
    const email = newEmail();
    await tokensFrom(service, app, google, { subject: "out", email, verified: true });
    await changeUser(service, email, { disabledAt: service.clock.now });
    const local = newEmail();
    await signedUp(service, app, local);
    await changeUser(service, local, { disabledAt: service.clock.now });
    for (const [subject, address] of [
      ["out", email],
      ["new", email],
      ["newer", local],
    ]) {
      const { done } = await signInAt(service, app, google, { subject: subject ?? "", email: address, verified: true });
      expect(done.status).toBe(400);
      expect(done.text).not.toContain("disabled");
    }
    expect(await identitiesOf(service, app)).toHaveLength(1);
    const users = await usersOf(service, app);
    expect(users.find((user) => user.email === local)).toMatchObject({ emailVerified: false });
  });

  it("O2: a provider lets nobody new in where sign-up is closed, but those who are known or can be linked", async () => {
    const app = await appWith(service, [google]);
    const known = await tokensFrom(service, app, google, { subject: "k", email: newEmail(), verified: true });
    const email = newEmail();
    const local = await signedUp(service, app, email);
    await changeUser(service, email, { emailVerified: true });
    const stranger = { subject: "x", email: newEmail(), verified: true };
    const pending = await startRound(service, app, google);
    await closeSignUp(service, app);
    const refused = await comeBack(pending.visitor, await atProvider(pending.address, google, stranger));
    const refusedToo = (await signInAt(service, app, google, stranger)).done;
    for (const page of [refused, refusedToo]) {
      expect(page.status).toBe(400);
      expect(page.text).toMatch(/This Google account isn&#39;t linked to any .* account/u);
    }
    expect(await usersOf(service, app)).toHaveLength(2);
    const again = await tokensFrom(service, app, google, { subject: "k", email: newEmail() });
    expect(again.user["id"]).toBe(known.user["id"]);
    const linked = await tokensFrom(service, app, google, { subject: "l", email, verified: true });
    expect(linked.user["id"]).toBe(local.user["id"]);
  });

  describe("two at once", () => {
    it("O1: makes one user of ten first sign-ins of the same subject", async () => {
      const app = await appWith(service, [google]);
      const person = { subject: "twin", email: newEmail(), verified: true };
      const rounds = await Promise.all(Array.from({ length: 10 }, () => startRound(service, app, google)));
      const backs = await Promise.all(rounds.map(({ address }) => atProvider(address, google, person)));
      const pages = await Promise.all(
        rounds.map(({ visitor }, n) => comeBack(visitor, backs[n] ?? { url: "", fields: {} })),
      );
      expect(pages.filter(({ status }) => status >= 500)).toEqual([]);
      expect(pages.some(({ status }) => status === 303)).toBe(true);
      expect(await usersOf(service, app)).toHaveLength(1);
      expect(await identitiesOf(service, app)).toHaveLength(1);
    });

    it("O3: makes one user of a password and a provider with the same new address", async () => {
      for (let n = 0; n < 5; n += 1) {
        const app = await appWith(service, [google]);
        const email = newEmail();
        const [round, local] = await Promise.allSettled([
          signInAt(service, app, google, { subject: "race", email, verified: true }),
          signedUp(service, app, email),
        ]);
        expect(await usersOf(service, app)).toHaveLength(1);
        if (round.status === "rejected") throw round.reason;
        expect([303, 400]).toContain(round.value.done.status);
        // Whoever was first: the owner of the address is in, or only the unproven password is
        // there.
        if (round.value.done.status !== 303) expect(local.status).toBe("fulfilled");
      }
    });
  });
});
