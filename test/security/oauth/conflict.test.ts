import { describe, expect, it } from "vitest";
import { useService } from "../../support/one-service.ts";
import { goodPassword, initiate, newEmail, redeem, signedUp, Visitor, type Page } from "../../support/person.ts";
import { useProviders } from "../../support/providers/provider.ts";
import { changeUser, identitiesOf } from "../../support/providers/records.ts";
import {
  appWith,
  atProvider,
  codeOf,
  comeBack,
  signInAt,
  startFromPage,
  tokensFrom,
} from "../../support/providers/round.ts";
import type { TestApp } from "../../support/service.ts";

const [facebook, github] = await useProviders("facebook", "github");

const service = useService();

/**
 * Facebook proves no address, so that whoever comes with one that is taken must prove the account
 * another way.
 */
describe("somebody from a provider whose address has an account already", () => {
  let app: TestApp;

  async function conflict(email: string, extra: Record<string, unknown> = {}) {
    const round = await signInAt(service, app, facebook, { subject: email, email, name: "Ada" }, extra);
    expect(round.done.status).toBe(400);
    expect(round.done.headers.get("location")).toBeNull();
    return round;
  }

  async function byPassword(visitor: Visitor, page: Page, email: string): Promise<Page> {
    return await visitor.submit(page, "/password", { email, password: goodPassword });
  }

  it("O2: is offered the other ways in a session for one provider, and is linked by the one that succeeds", async () => {
    app = await appWith(service, [facebook, github]);
    const { email, user } = await signedUp(service, app);
    const { session, visitor, done } = await conflict(email);
    expect(done.text).toContain("your Facebook account will be linked to it");
    // The session's own address shows the same page, and goes to no provider any more.
    const again = await visitor.get(session.authUrl);
    expect(again.status).toBe(200);
    expect(again.text).toContain("your Facebook account will be linked to it");
    expect(again.text).toContain("/oauth/github");
    expect(again.text).not.toContain("/oauth/facebook");
    expect(again.text).not.toContain("/create-account");
    expect(await identitiesOf(service, app)).toEqual([]);
    const signedIn = await byPassword(visitor, again, email);
    const tokens = await redeem(service, app, { session, code: codeOf(signedIn) });
    expect(tokens.user).toMatchObject({ id: user["id"], authMethods: { oauth: ["facebook"], password: true } });
    const next = await tokensFrom(service, app, facebook, { subject: email, email });
    expect(next.user["id"]).toBe(user["id"]);
  });

  it("O2: is linked after another provider that knows the account, too", async () => {
    app = await appWith(service, [facebook, github]);
    const ada = { subject: "42", email: newEmail(), verified: true };
    const { user } = await tokensFrom(service, app, github, ada);
    const { session, visitor, done } = await conflict(ada.email);
    github.person = ada;
    const start = await visitor.submit(done, "/oauth/github", {});
    const atGithub = await fetch(start.location, { redirect: "manual" });
    const signedIn = await visitor.get(atGithub.headers.get("location") ?? "");
    const tokens = await redeem(service, app, { session, code: codeOf(signedIn) });
    expect(tokens.user).toMatchObject({ id: user["id"], authMethods: { oauth: ["facebook", "github"] } });
  });

  it("O2: links nothing to another account that is proven in the session", async () => {
    app = await appWith(service, [facebook]);
    const victim = await signedUp(service, app);
    const attacker = await signedUp(service, app);
    const { session, visitor, done } = await conflict(victim.email);
    const tokens = await redeem(service, app, {
      session,
      code: codeOf(await byPassword(visitor, done, attacker.email)),
    });
    expect(tokens.user["id"]).toBe(attacker.user["id"]);
    expect(await identitiesOf(service, app)).toEqual([]);
  });

  it("O2: links nothing by a proof in another browser, or in another session of the same", async () => {
    app = await appWith(service, [facebook]);
    const victim = await signedUp(service, app);
    const { session, visitor } = await conflict(victim.email);
    expect((await new Visitor().get(session.authUrl)).status).toBe(403);
    const other = await signInAt(service, app, facebook, { subject: "x", email: newEmail() });
    codeOf(other.done);
    const fresh = await initiate(service, app);
    codeOf(await byPassword(visitor, await visitor.get(fresh.authUrl), victim.email));
    expect((await identitiesOf(service, app)).map(({ userId }) => userId)).not.toContain(victim.user["id"]);
  });

  it("O2: links nothing by an earlier sign-in of the browser: only a new proof does", async () => {
    app = await appWith(service, [facebook]);
    const { email } = await signedUp(service, app);
    // From the page that shows all methods: an app that asks for one offers nobody to continue.
    const { session, visitor, address } = await startFromPage(service, app, facebook);
    const back = await atProvider(address, facebook, { subject: email, email, name: "Ada" });
    expect((await comeBack(visitor, back)).text).toContain("your Facebook account will be linked to it");
    const other = await initiate(service, app);
    codeOf(await byPassword(visitor, await visitor.get(other.authUrl), email));
    const page = await visitor.get(session.authUrl);
    expect(page.text).not.toContain("/continue");
    const { token = "" } = page.form("/password").fields;
    const continued = await visitor.post(`${session.authUrl}/continue`, { token });
    expect(continued.location.href).toBe(session.authUrl);
    expect(await identitiesOf(service, app)).toEqual([]);
    codeOf(await byPassword(visitor, page, email));
    expect(await identitiesOf(service, app)).toHaveLength(1);
  });

  it("O2: links nothing by a wrong password, and says no more of the account than that the address has one", async () => {
    app = await appWith(service, [facebook, github]);
    const withPassword = await signedUp(service, app);
    const { user } = await tokensFrom(service, app, github, { subject: "7", email: newEmail(), verified: true });
    const byPage = async (email: string): Promise<string> => {
      const { session, done } = await conflict(email);
      return done.text
        .replaceAll(session.sessionId, "sis")
        .replaceAll(/name="token" value="[^"]*"/gu, "")
        .replaceAll(email, "email");
    };
    // Which ways the account has is not told: both pages are the same.
    expect(await byPage(String(user["email"]))).toBe(await byPage(withPassword.email));
    const { visitor, done } = await conflict(withPassword.email);
    const wrong = await visitor.submit(done, "/password", { email: withPassword.email, password: "another password!" });
    expect(wrong.status).toBe(401);
    expect(wrong.text).toContain("your Facebook account will be linked to it");
    expect((await identitiesOf(service, app)).map(({ provider }) => provider)).toEqual(["github"]);
  });

  it("O11: signs in without a link when the identity was linked elsewhere meanwhile", async () => {
    app = await appWith(service, [facebook]);
    const first = await signedUp(service, app);
    const { visitor, done, session } = await conflict(first.email);
    const second = await signedUp(service, app);
    const again = await signInAt(service, app, facebook, { subject: first.email, email: second.email });
    codeOf(await byPassword(again.visitor, again.done, second.email));
    await changeUser(service, first.email, { emailVerified: true });
    const tokens = await redeem(service, app, {
      session,
      code: codeOf(await byPassword(visitor, done, first.email)),
    });
    expect(tokens.user).toMatchObject({ id: first.user["id"], authMethods: { oauth: [] } });
    expect(await identitiesOf(service, app)).toMatchObject([{ userId: second.user["id"] }]);
  });
});
