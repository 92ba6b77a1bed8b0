import { setTimeout as sleep } from "node:timers/promises";
import { decodeProtectedHeader } from "jose";
import { beforeAll, expect, it } from "vitest";
import { freePort } from "../../support/free-port.ts";
import { invalidRequest, invalidToken } from "../../support/outcomes.ts";
import {
  openPage,
  call,
  goodPassword,
  newEmail,
  redeem,
  refresh,
  signIn,
  signUp,
  validate,
  type Tokens,
} from "../../support/person.ts";
import { useApp, describeEachDatabase } from "../../support/service.ts";

// A restarted service keeps its address, and with it its issuer.
const port = await freePort();
const sameAddress = { baseUrl: `http://localhost:${port}`, listen: { host: "127.0.0.1", port, tls: undefined } };

describeEachDatabase("a restart", sameAddress, (current, control) => {
  const app = useApp(current);
  const person = { email: newEmail() };
  beforeAll(async () => {
    await redeem(current(), app, await signUp(current(), app, person));
  });
  const restart = async (): Promise<void> => {
    await control.restart();
    // Until fetch has noticed that its connections to the service that was are closed.
    await sleep(100);
  };
  const newLogin = async (): Promise<Tokens> => await redeem(current(), app, await signIn(current(), app, person));
  const callback = async ({ session, code }: Awaited<ReturnType<typeof signIn>>) =>
    await call(current(), "POST", "/auth/callback", app.headers, { code, sessionId: session.sessionId });

  it("leaves alive what lives: access token, refresh token, API key, user and signing key", async () => {
    const login = await newLogin();
    await restart();
    expect((await validate(current(), app, login.accessToken)).body).toMatchObject({ valid: true, user: person });
    const next = await refresh(current(), app, login.refreshToken);
    expect(next.status).toBe(200);
    const kids = [login.accessToken, String(next.body["accessToken"])].map((token) => decodeProtectedHeader(token).kid);
    expect(kids[0]).toBe(kids[1]);
    expect((await newLogin()).user["id"]).toBe(login.user["id"]);
  });

  it("leaves dead what was logged out (security rule F8)", async () => {
    const [login, elsewhere] = [await newLogin(), await newLogin()];
    const bearer = { authorization: `Bearer ${login.accessToken}` };
    expect((await call(current(), "POST", "/auth/logout", bearer, {})).status).toBe(200);
    await restart();
    expect(await validate(current(), app, login.accessToken)).toMatchObject(invalidToken);
    expect(await refresh(current(), app, login.refreshToken)).toMatchObject(invalidToken);
    expect((await validate(current(), app, elsewhere.accessToken)).status).toBe(200);
  });

  it("still knows a reused refresh token, and ends its login (security rules F2, F8)", async () => {
    const first = await newLogin();
    const { body } = await refresh(current(), app, first.refreshToken);
    current().clock.advance(31_000);
    await restart();
    expect(await refresh(current(), app, first.refreshToken)).toMatchObject(invalidToken);
    expect(await refresh(current(), app, String(body["refreshToken"]))).toMatchObject(invalidToken);
  });

  it("between a refresh and its lost answer logs nobody out: the old token gets the same successor (security rule F9)", async () => {
    const first = await newLogin();
    const lost = await refresh(current(), app, first.refreshToken);
    await restart();
    const again = await refresh(current(), app, first.refreshToken);
    expect([again.status, again.body["refreshToken"]]).toEqual([200, lost.body["refreshToken"]]);
    expect((await refresh(current(), app, String(again.body["refreshToken"]))).status).toBe(200);
  });

  it("leaves a code good for its one use, and a used one used (security rule S2)", async () => {
    const [unused, used] = [await signIn(current(), app, person), await signIn(current(), app, person)];
    const tokens = (await callback(used)).body;
    await restart();
    expect((await callback(unused)).status).toBe(200);
    expect(await callback(used)).toMatchObject(invalidRequest);
    expect(await validate(current(), app, String(tokens["accessToken"]))).toMatchObject(invalidToken);
  });

  it("in the middle of a sign-in is not noticed by the person", async () => {
    const { session, visitor, page } = await openPage(current(), app, { state: "s" });
    await restart();
    const done = await visitor.submit(page, "/password", { email: person.email, password: goodPassword });
    expect(done.status).toBe(303);
    const code = done.location.searchParams.get("code") ?? "";
    expect((await redeem(current(), app, { session, code }, { state: "s" })).expiresIn).toBe(900);
  });
});
