import { expect, it } from "vitest";
import { aggregatedEvents } from "../../../src/records/audit/aggregated-events.ts";
import * as audit from "../../../src/records/audit/audit.ts";
import { addingSession, prove } from "../../support/adding.ts";
import { assertion, newPasskey } from "../../support/authenticator.ts";
import { askForReset, linkIn, mailTo, newUser } from "../../support/mail-flows.ts";
import { useMailServer } from "../../support/mail.ts";
import { methodsOf, removeMethod } from "../../support/methods.ts";
import {
  askedBy,
  askOptions,
  post,
  signUpByPasskey,
  makePasskey,
  openAdding,
} from "../../support/passkey-ceremonies.ts";
import { goodPassword, initiate, newEmail, redeem, signedUp, signIn, Visitor } from "../../support/person.ts";
import { startProvider } from "../../support/providers/provider.ts";
import { appWith, atProvider, comeBack, setProvider, signInAt } from "../../support/providers/round.ts";
import { describeSqliteFirst, type TestApp } from "../../support/service.ts";

describeSqliteFirst("a failed sign-in", (service) => {
  async function failuresOf({ id }: TestApp) {
    const { ctx } = service.server.app;
    await aggregatedEvents(ctx).flush();
    const events = await audit.list(ctx, { appId: id, action: "sign-in", limit: 1000 });
    return events
      .filter(({ result }) => result === "failure")
      .map(({ userId, details }) => [details["method"], userId]);
  }

  it("is noted whatever it was tried with, also where a right proof was for another account than the session asked for", async () => {
    const app = await service.createApp();
    const failures = async () => await failuresOf(app);
    const asked = await signedUp(service, app);
    const owner = await newUser(service, app, { password: goodPassword });
    const session = async () => await addingSession(service, app, asked.accessToken, { type: "passkey" });
    expect((await prove(new Visitor(), await session(), owner.email)).status).toBe(401);
    expect(await failures()).toEqual([["password", owner.id]]);

    const holder = await signUpByPasskey(service, app);
    const visitor = new Visitor();
    const own = await session();
    const ceremony = { visitor, session: own, page: await visitor.get(own.authUrl) };
    const options = await askOptions(ceremony);
    expect((await post(ceremony, assertion(holder.passkey, askedBy(service, options)))).status).toBe(401);
    expect(await failures()).toContainEqual(["passkey", holder.user["id"]]);
    expect(await failures()).toHaveLength(2);

    // An identity that may not sign in before the owner of its address has agreed.
    const provider = await startProvider("github");
    await setProvider(service, app, provider);
    const unproven = await signedUp(service, app);
    const third = await session();
    const left = await visitor.submit(await visitor.get(third.authUrl), "/oauth/github", {});
    const person = { subject: "4711", email: unproven.email, verified: true };
    const back = await comeBack(visitor, await atProvider(left.location, provider, person));
    await provider.close();
    expect(back.text).toContain("That&#39;s another account");
    expect(await failures()).toContainEqual(["oauth", null]);
    expect(await failures()).toHaveLength(3);
  });

  it("is noted with an unknown passkey, a refused identity and a failing provider", async () => {
    const provider = await startProvider("openid");
    const [app, bare] = [await appWith(service, [provider]), await service.createApp()];
    const session = await initiate(service, bare);
    const visitor = new Visitor();
    const ceremony = { visitor, session, page: await visitor.get(session.authUrl) };
    const options = await askOptions(ceremony);
    const unknown = assertion(newPasskey("ES256", "nobody"), askedBy(service, options));
    expect((await post(ceremony, unknown)).status).toBe(401);
    expect(await failuresOf(bare)).toEqual([["passkey", null]]);

    const person = { subject: "1", email: newEmail(), verified: false };
    expect((await signInAt(service, app, provider, person)).done.status).toBe(400);
    expect(await failuresOf(app)).toEqual([["oauth", null]]);
    provider.instead.set("/token", () => ({ status: 500 }));
    expect((await signInAt(service, app, provider, person)).done.status).toBe(400);
    expect(await failuresOf(app)).toHaveLength(2);
    await provider.close();
  });
});

const server = await useMailServer();

describeSqliteFirst("what an owner is told", { mail: server.mail }, (service) => {
  it("G5: by mail of a method that was added, of one that was removed, and of a new password", async () => {
    const app = await service.createApp();
    const { email } = await newUser(service, app, { password: goodPassword });
    const visitor = new Visitor();
    const tokens = await redeem(service, app, await signIn(service, app, { email }, {}, visitor));

    const { done } = await makePasskey(service, await openAdding(service, app, { ...tokens, visitor }));
    expect(done.location.searchParams.get("status")).toBe("added");
    const added = await mailTo(server, email, 1, /^New way to sign in/u);
    expect(added.text).toMatch(/passkey/iu);

    const passkey = (await methodsOf(service, tokens)).find(({ type }) => type === "passkey");
    expect((await removeMethod(service, tokens, passkey?.id ?? "")).status).toBe(200);
    await mailTo(server, email, 1, /was removed$/u);

    await askForReset(service, app, email);
    const link = linkIn(await mailTo(server, email, 1, /Reset/u));
    const stranger = new Visitor();
    const form = await stranger.get(link);
    await stranger.submit(form, new URL(link).pathname, { password: "another password altogether" });
    await mailTo(server, email, 1, /password was changed$/u);
  });
});
