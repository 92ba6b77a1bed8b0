import { decodeJwt } from "jose";
import { expect, it } from "vitest";
import * as users from "../../../src/users/service.ts";
import { givePasskey } from "../../support/methods.ts";
import {
  goodPassword,
  newEmail,
  redeem,
  signedUp,
  signIn,
  validate,
  Visitor,
  type Page,
} from "../../support/person.ts";
import { useProviders } from "../../support/providers/provider.ts";
import { auditOf, changeUser, identitiesOf, usersOf } from "../../support/providers/records.ts";
import {
  appWith,
  atProvider,
  codeOf,
  comeBack,
  signInAt,
  startFromPage,
  tokensFrom,
  type Round,
} from "../../support/providers/round.ts";
import { describeSqliteFirst, type TestApp } from "../../support/service.ts";

const [github] = await useProviders("github");

describeSqliteFirst("the first proof of an address that has an account", (service) => {
  let app: TestApp;

  const owner = (email: string) => ({ subject: "4711", email, verified: true, name: "The Owner" });

  /**
   * An account whose address nobody has proven, and its owner in front of the page that says what
   * goes.
   */
  async function shown(
    email = newEmail(),
  ): Promise<Round & { page: Page; email: string; userId: string; token: string }> {
    app = await appWith(service, [github]);
    const { user, accessToken } = await signedUp(service, app, email);
    const round = await signInAt(service, app, github, owner(email));
    expect(round.done.status).toBe(303);
    expect(round.done.location.pathname).toBe(new URL(round.session.authUrl).pathname);
    const page = await round.visitor.get(round.session.authUrl);
    return { ...round, page, email, userId: String(user["id"]), token: accessToken };
  }

  async function expectNothingHappened({ email, token }: { email: string; token: string }): Promise<void> {
    expect((await validate(service, app, token)).status).toBe(200);
    expect(await identitiesOf(service, app)).toEqual([]);
    expect(await usersOf(service, app)).toMatchObject([{ email, emailVerified: false }]);
    await signIn(service, app, { email });
    expect((await auditOf(service, app)).map(({ action }) => action)).not.toContain("user.address-proven");
  }

  it("O3: shows what is removed and why, before it happens; the name stays", async () => {
    const { page, session, visitor, email, userId, token } = await shown();
    expect(page.status).toBe(200);
    expect(page.text).toContain(email);
    expect(page.text).toContain("somebody else may have set up the account");
    expect(page.text).toContain("the password that was set before the address was confirmed");
    expect(page.text).toContain("active sign-ins: 1");
    await expectNothingHappened({ email, token });
    await changeUser(service, email, { name: "Ada" });
    const done = await visitor.submit(page, "/step/take-over", {});
    const { user } = await redeem(service, app, { session, code: codeOf(done) });
    expect(user).toMatchObject({ id: userId, name: "Ada", emailVerified: true });
    expect(user["authMethods"]).toEqual({ passkey: false, password: false, oauth: ["github"] });
    expect((await validate(service, app, token)).status).toBe(401);
  });

  it("O14: says no auth_time where the provider says none", async () => {
    const { page, session, visitor } = await shown();
    const done = await visitor.submit(page, "/step/take-over", {});
    const { accessToken } = await redeem(service, app, { session, code: codeOf(done) });
    expect(decodeJwt(accessToken)["auth_time"]).toBeUndefined();
  });

  it("O3, H10: the cookie of the sign-in changes with the identity: who planted it cannot take the account over", async () => {
    app = await appWith(service, [github]);
    const { email } = await signedUp(service, app);
    const { session, visitor, address } = await startFromPage(service, app, github);
    const attacker = visitor.copy();
    await comeBack(visitor, await atProvider(address, github, owner(email)));
    const page = await visitor.get(session.authUrl);
    const stolen = await attacker.post(`${session.authUrl}/step/take-over`, page.form("/step/take-over").fields);
    expect([stolen.status, stolen.headers.get("location")]).toEqual([403, null]);
    expect((await attacker.get(session.authUrl)).status).toBe(403);
    codeOf(await visitor.submit(page, "/step/take-over", {}));
  });

  it("O3: shows again what was added after the page was shown, and removes nothing before", async () => {
    const { page, session, visitor, userId, email, token } = await shown();
    await givePasskey(service, userId);
    const again = await visitor.submit(page, "/step/take-over", {});
    expect(again.location.pathname).toBe(new URL(session.authUrl).pathname);
    await expectNothingHappened({ email, token });
    const second = await visitor.get(session.authUrl);
    expect(second.text).toContain("passkeys: 1");
    const done = await visitor.submit(second, "/step/take-over", {});
    const { user } = await redeem(service, app, { session, code: codeOf(done) });
    expect(user["authMethods"]).toEqual({ passkey: false, password: false, oauth: ["github"] });
  });

  it("O3: changes nothing for somebody who turns back", async () => {
    const { page, session, visitor, email, token } = await shown();
    expect(page.text).toContain("/cancel");
    const back = await visitor.get(`${session.authUrl}/cancel`);
    expect(back.location.searchParams.get("error")).toBe("access_denied");
    await expectNothingHappened({ email, token });
  });

  it("O3: takes no consent from another browser, without the form's token, or with a page that another identity has replaced", async () => {
    const { page, visitor, session, email, token } = await shown();
    const { action, fields } = page.form("/step/take-over");
    const url = new URL(action, session.authUrl).href;
    expect((await new Visitor().get(session.authUrl)).status).toBe(403);
    expect((await new Visitor().post(url, fields)).headers.get("location")).toBeNull();
    expect((await visitor.post(url, { email })).headers.get("location")).toBeNull();
    const old = await visitor.post(url, { ...fields, email: newEmail() });
    expect(old.location.pathname).toBe(new URL(session.authUrl).pathname);
    await expectNothingHappened({ email, token });
  });

  it("O3: two consents at once make one sign-in and one link", async () => {
    const { page, visitor, session } = await shown();
    const { action, fields } = page.form("/step/take-over");
    const url = new URL(action, session.authUrl).href;
    const answers = await Promise.all([1, 2, 3].map(async () => await visitor.post(url, fields)));
    expect(answers.filter(({ location }) => location.searchParams.has("code"))).toHaveLength(1);
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    expect(await identitiesOf(service, app)).toHaveLength(1);
    const proven = (await auditOf(service, app)).filter(({ action: acted }) => acted === "user.address-proven");
    expect(proven).toHaveLength(1);
  });

  it("O3: looks at everything again: a user who is disabled meanwhile keeps everything, and an identity that is linked meanwhile stays", async () => {
    const first = await shown();
    await changeUser(service, first.email, { disabledAt: service.clock.now });
    const refused = await first.visitor.submit(first.page, "/step/take-over", {});
    expect(refused.status).toBe(400);
    expect(await usersOf(service, app)).toMatchObject([{ emailVerified: false }]);
    expect(await identitiesOf(service, app)).toEqual([]);

    const second = await shown();
    const elsewhere = await tokensFrom(service, app, github, owner(newEmail()));
    const late = await second.visitor.submit(second.page, "/step/take-over", {});
    expect(late.status).toBe(400);
    expect(await identitiesOf(service, app)).toMatchObject([{ userId: elsewhere.user["id"] }]);
    expect((await validate(service, app, second.token)).status).toBe(200);
  });

  it("O3: links nothing by a password in a session that waits for consent", async () => {
    app = await appWith(service, [github]);
    const { email } = await signedUp(service, app);
    const { visitor, session, address } = await startFromPage(service, app, github);
    const page = await comeBack(visitor, await atProvider(address, github, owner(email)));
    const waiting = await visitor.get(page.location.href);
    const { fields } = waiting.form("/step/take-over");
    codeOf(await visitor.post(`${session.authUrl}/password`, { ...fields, email, password: goodPassword }));
    expect(await identitiesOf(service, app)).toEqual([]);
  });

  it("O3: shows no page where there is nothing to remove", async () => {
    app = await appWith(service, [github]);
    const email = newEmail();
    const { ctx } = service.server.app;
    const { storage } = service.server.app.ctx;
    const about = { appId: app.id, email, name: "Ada", signedUp: { method: null, source: null } };
    await storage.write((tx) => users.create(ctx, tx, about, service.clock.now));
    const { user } = await tokensFrom(service, app, github, owner(email));
    expect(user).toMatchObject({ name: "Ada", emailVerified: true });
  });
});
