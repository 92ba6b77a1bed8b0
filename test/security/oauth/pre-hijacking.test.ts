import { eq } from "drizzle-orm";
import { expect, it, vi } from "vitest";
import { hasher } from "../../../src/credentials/passwords/hasher.ts";
import { openAccount } from "../../support/account.ts";
import { giveIdentity, givePasskey } from "../../support/methods.ts";
import {
  goodPassword,
  initiate,
  newEmail,
  redeem,
  refresh,
  signedUp,
  signIn,
  validate,
  Visitor,
} from "../../support/person.ts";
import { useProviders } from "../../support/providers/provider.ts";
import { auditOf, identitiesOf, usersOf } from "../../support/providers/records.ts";
import { appWith, signInAt, tokensFrom } from "../../support/providers/round.ts";
import { describeSqliteFirst, type TestService } from "../../support/service.ts";

const [google, facebook, microsoft] = await useProviders("google", "facebook", "microsoft");

describeSqliteFirst("an address that a stranger took first", (service) => {
  const victim = (email: string) => ({ subject: "4711", email, verified: true, name: "The Owner" });

  it("O3, CVE-2024-38351, CVE-2026-44166: the owner of an address, who proves it first, leaves the attacker no password, passkey, identity, login, token or code, and says so in the audit log", async () => {
    const app = await appWith(service, [google, facebook, microsoft]);
    const email = newEmail();
    // An account by password, with a live login, a second one, a rotated one, and a code that
    // waits.
    const first = await signedUp(service, app, email);
    const browser = new Visitor();
    const second = await redeem(service, app, await signIn(service, app, { email }, {}, browser));
    expect((await openAccount(service, app, browser)).status).toBe(200);
    const rotated = (await refresh(service, app, second.refreshToken)).body;
    const waiting = await signIn(service, app, { email });
    const userId = String(first.user["id"]);
    await givePasskey(service, userId, "Evil");
    await giveIdentity(service, app, userId, "facebook");

    const owner = await tokensFrom(service, app, google, victim(email));
    expect(owner.user).toMatchObject({
      id: userId,
      email,
      emailVerified: true,
      name: null,
      authMethods: { passkey: false, password: false, oauth: [google.name] },
    });
    for (const token of [first.accessToken, second.accessToken, String(rotated["accessToken"])])
      expect((await validate(service, app, token)).status).toBe(401);
    for (const token of [first.refreshToken, second.refreshToken, String(rotated["refreshToken"])])
      expect((await refresh(service, app, token)).status).toBe(401);
    await expect(redeem(service, app, waiting)).rejects.toThrow("400");
    await expect(signIn(service, app, { email })).rejects.toThrow("401");
    expect((await openAccount(service, app, browser)).location.pathname).toMatch(/^\/sign-in\//u);
    // The owner's browser, and none that the attacker has used.
    expect(await knownBrowsersOf(service, userId)).toBe(1);
    const stranger = await signInAt(service, app, facebook, { subject: "evil", email, name: "Evil" });
    expect(stranger.done.status).toBe(400);
    expect(await rowsOf(service, userId)).toEqual({ passwords: 0, passkeys: 0, identities: [google.name] });

    const audit = await auditOf(service, app);
    expect(audit.filter(({ action }) => action === "user.address-proven")).toMatchObject([
      { userId, result: "success", actor: "service:linking", details: { endedLogins: 2 } },
    ]);
    expect(audit.filter(({ action }) => action === "method.added")).toMatchObject([
      { userId, details: { provider: google.name, how: "take-over-unproven" } },
    ]);
    // The owner's own login was not touched by any of it.
    expect((await validate(service, app, owner.accessToken)).status).toBe(200);
    expect((await refresh(service, app, owner.refreshToken)).status).toBe(200);
  });

  it.each(["facebook", "microsoft"] as const)(
    "O3, CVE-2026-44166: the proof of an address undoes an account that was made by %s with the victim's address",
    async (name) => {
      const evil = name === "facebook" ? facebook : microsoft;
      const app = await appWith(service, [google, evil]);
      const email = newEmail();
      const attacker = await tokensFrom(service, app, evil, { subject: "evil", email, verified: true, name: "Evil" });
      expect(attacker.user).toMatchObject({ emailVerified: false });
      const owner = await tokensFrom(service, app, google, { subject: "owner", email, verified: true });
      expect(owner.user).toMatchObject({ id: attacker.user["id"], name: "Evil", authMethods: { oauth: ["google"] } });
      expect((await validate(service, app, attacker.accessToken)).status).toBe(401);
      expect((await refresh(service, app, attacker.refreshToken)).status).toBe(401);
      const again = await signInAt(service, app, evil, { subject: "evil", email, verified: true });
      expect(again.done.status).toBe(400);
      expect((await identitiesOf(service, app)).map(({ provider }) => provider)).toEqual(["google"]);
      // Under another address the attacker is somebody else.
      const elsewhere = await tokensFrom(service, app, evil, { subject: "evil", email: newEmail(), verified: true });
      expect(elsewhere.user["id"]).not.toBe(owner.user["id"]);
    },
  );

  it("O3: the proof of an address leaves a page that the attacker keeps open good for nothing", async () => {
    const app = await appWith(service, [google]);
    const email = newEmail();
    await signedUp(service, app, email);
    const session = await initiate(service, app);
    const attacker = new Visitor();
    const page = await attacker.get(session.authUrl);
    await attacker.submit(page, "/password", { email, password: "a wrong one, on purpose" });
    await tokensFrom(service, app, google, { subject: "owner", email, verified: true });
    const late = await attacker.submit(page, "/password", { email, password: goodPassword });
    expect(late.status).toBe(401);
    expect((await usersOf(service, app))[0]).toMatchObject({ email, emailVerified: true });
  });

  it("O3: the proof of an address signs an attacker out of a race: a password that was checked before the owner came is worth nothing after", async () => {
    const app = await appWith(service, [google]);
    const email = newEmail();
    await signedUp(service, app, email);
    const session = await initiate(service, app);
    const attacker = new Visitor();
    const page = await attacker.get(session.authUrl);
    const { ctx } = service.server.app;
    const { verify } = hasher(ctx);
    // The hash takes its time; the owner arrives between its end and the attacker's transaction.
    const verifying = vi.spyOn(hasher(ctx), "verify").mockImplementationOnce(async (...tried) => {
      const verified = await verify(...tried);
      await tokensFrom(service, app, google, { subject: "owner", email, verified: true });
      return verified;
    });
    const late = await attacker.submit(page, "/password", { email, password: goodPassword });
    expect(verifying).toHaveBeenCalledOnce();
    verifying.mockRestore();
    expect(late.headers.get("location")).toBeNull();
    expect(late.status).toBe(401);
  });
});

async function rowsOf(service: TestService, userId: string) {
  const { db, tables } = service.server.app.ctx.storage.reader;
  const mine = <R extends { userId: string }>(rows: R[]): R[] => rows.filter((row) => row.userId === userId);
  return {
    passwords: mine(await db.select().from(tables.passwords)).length,
    passkeys: mine(await db.select().from(tables.passkeys)).length,
    identities: mine(await db.select().from(tables.oauthIdentities)).map(({ provider }) => provider),
  };
}

async function knownBrowsersOf(service: TestService, userId: string): Promise<number> {
  const { db, tables } = service.server.app.ctx.storage.reader;
  return (await db.select().from(tables.knownBrowsers).where(eq(tables.knownBrowsers.userId, userId))).length;
}
