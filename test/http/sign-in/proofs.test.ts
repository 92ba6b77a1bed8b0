import { decodeJwt } from "jose";
import { expect, it } from "vitest";
import { prove } from "../../support/adding.ts";
import { assertion, attest, newPasskey, type Credential } from "../../support/authenticator.ts";
import { newUser } from "../../support/mail-flows.ts";
import { askedBy, type PasskeyOptions } from "../../support/passkey-ceremonies.ts";
import {
  goodPassword,
  initiate,
  redeem,
  refresh,
  Visitor,
  newEmail,
  signUp,
  type Page,
  type Tokens,
} from "../../support/person.ts";
import {
  withApp,
  describeSqliteFirst,
  describeOnSqlite,
  type TestApp,
  type TestService,
} from "../../support/service.ts";

/** Creates or uses a passkey where a page asks for it; where that leads. */
async function takeStep(
  visitor: Visitor,
  page: Page,
  step: "/step/passkey" | "/step/new-passkey",
  answer: (options: PasskeyOptions) => Credential,
): Promise<Page> {
  const { action, fields } = page.form(step);
  const asked = await visitor.post(`${new URL(action, page.url).href}/options`, fields);
  const { options } = asked.json() as { options: PasskeyOptions };
  return await visitor.submit(page, step, { credential: JSON.stringify(answer(options)) });
}

/** Signs in by password, then takes the step that the next page asks for. */
async function signInByBoth(
  service: TestService,
  app: TestApp,
  email: string,
  step: "/step/passkey" | "/step/new-passkey",
  answer: (options: PasskeyOptions) => Credential,
): Promise<Tokens> {
  const session = await initiate(service, app);
  const visitor = new Visitor();
  const page = await prove(visitor, session, email);
  const done = await takeStep(visitor, page, step, answer);
  return await redeem(service, app, { session, code: done.location.searchParams.get("code") ?? "" });
}

const amr = ({ accessToken }: { accessToken: string }): unknown => decodeJwt(accessToken)["amr"];

describeSqliteFirst("amr", (current) => {
  it("lists every proof of a sign-in, in the first token and in refreshed ones", async () => {
    const { service, app } = await withApp(current(), { authMethods: { passkey: { required: true } } });
    const { email } = await newUser(service, app, { password: goodPassword });
    let passkey = newPasskey();

    const created = await signInByBoth(service, app, email, "/step/new-passkey", (options) => {
      passkey = newPasskey("ES256", options.user?.id);
      return attest(passkey, askedBy(service, options));
    });
    // Whoever has the password could create a passkey: it is no second factor until it is used.
    expect(amr(created)).toEqual(["pwd", "pop", "user"]);

    const used = await signInByBoth(service, app, email, "/step/passkey", (options) =>
      assertion(passkey, askedBy(service, options)),
    );
    expect(amr(used)).toEqual(["pwd", "pop", "user", "mfa"]);
    // The second time the old refresh token buys the same successor, which is another path.
    for (let time = 0; time < 2; time += 1)
      expect(amr((await refresh(service, app, used.refreshToken)).body as Tokens)).toEqual(amr(used));
  });
});

describeSqliteFirst("a passkey that a person creates in the sign-in that asks for one", (current) => {
  it("M18: is used before acr says so: anybody who has the password could create it", async () => {
    const authMethods = { passkey: { required: true } };
    const { service, app } = await withApp(current(), { authMethods, settings: { secondFactor: "required" } });
    const { email } = await newUser(service, app, { password: goodPassword });
    const session = await initiate(service, app, { acr: "urn:authsvc:acr:2" });
    const visitor = new Visitor();
    let passkey = newPasskey();
    const created = await takeStep(visitor, await prove(visitor, session, email), "/step/new-passkey", (options) => {
      passkey = newPasskey("ES256", options.user?.id);
      return attest(passkey, askedBy(service, options));
    });
    expect(created.location.searchParams.has("code")).toBe(false);
    const next = await visitor.get(session.authUrl);
    const { fields } = next.form("/step/passkey");
    const skipped = await visitor.post(`${session.authUrl}/step/continue`, fields);
    expect(skipped.location.searchParams.has("code")).toBe(false);
    const done = await takeStep(visitor, next, "/step/passkey", (options) =>
      assertion(passkey, askedBy(service, options)),
    );
    const tokens = await redeem(service, app, { session, code: done.location.searchParams.get("code") ?? "" });
    expect(decodeJwt(tokens.accessToken)).toMatchObject({ acr: "phr", amr: ["pwd", "pop", "user", "mfa"] });
  });
});

const mark = /aria-describedby="used-last"/u;

describeOnSqlite("the way that was used last in a browser", (current) => {
  it("is marked for that application alone, once a sign-in is finished", async () => {
    const service = current();
    const [app, other] = [await service.createApp(), await service.createApp()];
    const email = newEmail();
    await signUp(service, app, { email });
    const visitor = new Visitor();
    const open = async (of = app) => await visitor.get((await initiate(service, of)).authUrl);

    const before = await open();
    expect(before.text).not.toMatch(mark);
    await visitor.submit(before, "/password", { email, password: "not the password at all" });
    expect((await open()).text).not.toMatch(mark);

    const done = await visitor.submit(await open(), "/password", { email, password: goodPassword });
    expect(done.status).toBe(303);
    const cookies = done.headers.getSetCookie().filter((line) => /=password;/u.test(line));
    expect(cookies).toEqual([
      expect.stringMatching(/^authsvc-\w+=password; Path=\/; Max-Age=31536000; HttpOnly; SameSite=Lax/u),
    ]);
    expect((await open()).text).toMatch(mark);
    expect((await open(other)).text).not.toMatch(mark);
  });
});
