import { expect, it } from "vitest";
import * as audit from "../../../src/records/audit/audit.ts";
import { listTermsAnswers } from "../../../src/users/terms-store.ts";
import { findUser } from "../../../src/users/store.ts";
import { newDeviceParty, beginOnDevice, openDecision, poll } from "../../support/devices.ts";
import { authorize, authorizeUrl, createTestClient } from "../../support/openid.ts";
import { isLive, newEmail, redeem, refresh, signedUp, signUp, validate, Visitor } from "../../support/person.ts";
import { describeEachDatabase, describeOnSqlite, type TestService } from "../../support/service.ts";
import {
  answerTerms,
  ask,
  codeOf,
  fillIn,
  follow,
  signInToStep,
  someTerms,
  stepOf,
  team,
} from "../../support/waiting-steps.ts";
import { openAccount } from "../../support/account.ts";

async function profileOf(service: TestService, user: Record<string, unknown>) {
  return (await findUser(service.server.app.ctx.storage.reader, String(user["id"])))?.profile;
}

async function answersOf(service: TestService, user: Record<string, unknown>) {
  return await listTermsAnswers(service.server.app.ctx.storage.reader, String(user["id"]));
}

describeEachDatabase("terms and profile fields in a sign-in", (current) => {
  it("asks for the terms first, then for the profile, each once", async () => {
    const service = current();
    const app = await service.createApp();
    const { email, user } = await signedUp(service, app);
    await ask(service, app, { ...someTerms, profileFields: [team] });
    const { session, visitor, page } = await signInToStep(service, app, { email });
    expect(stepOf(page)).toBe("terms");
    expect(page.text).toContain('href="https://acme.example/terms"');
    const next = await answerTerms(visitor, page, "yes");
    expect(stepOf(next)).toBe("profile");
    const done = await fillIn(visitor, next, { team: "  Blue " });
    const tokens = await redeem(service, app, { session, code: codeOf(done) });
    expect(await isLive(service, app, tokens)).toBe(true);
    expect(await profileOf(service, user)).toEqual({ team: "Blue" });
    expect(await answersOf(service, user)).toMatchObject([
      { version: "1", url: "https://acme.example/terms", accepted: true, ipAddress: "127.0.0.1" },
    ]);
    const again = await signInToStep(service, app, { email });
    expect(codeOf(again.page)).not.toBe("");
  });

  it("keeps all proofs and the browser session of a silent continuation over the steps", async () => {
    const service = current();
    const app = await service.createApp();
    const email = newEmail();
    await signUp(service, app, { email });
    const [first, second] = [await createTestClient(service, app), await createTestClient(service, app)];
    const visitor = new Visitor();
    await authorize(service, first, { email }, {}, visitor);
    const cookies = new Map(visitor.cookies);
    await ask(service, app, { ...someTerms, profileFields: [team] });
    const silent = await visitor.get(authorizeUrl(service, second, { prompt: "none" }));
    expect(Object.fromEntries(silent.location.searchParams)).toMatchObject({
      error: "interaction_required",
      error_description: "The person must accept the terms first.",
    });
    const page = await follow(visitor, await visitor.get(authorizeUrl(service, second)));
    expect(stepOf(page)).toBe("terms");
    const next = await answerTerms(visitor, page, "yes");
    const silentNext = await visitor.get(authorizeUrl(service, second, { prompt: "none" }));
    expect(silentNext.location.searchParams.get("error_description")).toBe(
      "The person must complete the profile first.",
    );
    const done = await fillIn(visitor, next, { team: "Blue" });
    expect(codeOf(done)).not.toBe("");
    const account = [...cookies.keys()].find((name) => name.includes("account")) ?? "";
    expect(visitor.cookies.get(account)).toBe(cookies.get(account));
    expect(codeOf(await visitor.get(authorizeUrl(service, second, { prompt: "none" })))).not.toBe("");
  });

  it("H13: ends only the browser session of somebody who declines, and says access_denied", async () => {
    const service = current();
    const app = await service.createApp();
    const { email, accessToken, refreshToken, user } = await signedUp(service, app);
    const client = await createTestClient(service, app);
    const visitor = new Visitor();
    await authorize(service, client, { email }, {}, visitor);
    await ask(service, app, someTerms);
    const page = await follow(visitor, await visitor.get(authorizeUrl(service, client)));
    const declined = await answerTerms(visitor, page, "no");
    expect(Object.fromEntries(declined.location.searchParams)).toMatchObject({
      error: "access_denied",
      error_description: "The user declined the terms.",
    });
    expect((await validate(service, app, accessToken)).status).toBe(200);
    expect((await refresh(service, app, refreshToken)).status).toBe(200);
    expect(await answersOf(service, user)).toEqual([]);
    const silent = await visitor.get(authorizeUrl(service, client, { prompt: "none" }));
    expect(silent.location.searchParams.get("error")).toBe("login_required");
    const account = await openAccount(service, app, visitor);
    expect(account.status).toBe(303);
    // The session asks for a new proof.
    const back = await visitor.get(page.url);
    expect(stepOf(back)).toBeUndefined();
    expect(back.text).toContain("/password");
  });
});

describeOnSqlite("what a sign-in asks for", (current) => {
  it("asks a new account for fields of the sign-up, and an old one not", async () => {
    const service = current();
    const app = await service.createApp();
    const { email, user } = await signedUp(service, app);
    await ask(service, app, { profileFields: [{ ...team, askAt: "signUp" }] });
    expect(codeOf((await signInToStep(service, app, { email })).page)).not.toBe("");
    expect(await profileOf(service, user)).toBeNull();
    const newcomer = newEmail();
    const { location } = await signUp(service, app, { email: newcomer });
    expect(location.searchParams.get("code")).toBeNull();
    const { visitor, page } = await signInToStep(service, app, { email: newcomer });
    expect(stepOf(page)).toBe("profile");
    expect(codeOf(await fillIn(visitor, page, { team: "Red" }))).not.toBe("");
  });

  it("asks for an optional field once, and lets it be empty", async () => {
    const service = current();
    const app = await service.createApp();
    const { email, user } = await signedUp(service, app);
    await ask(service, app, { profileFields: [{ ...team, required: false }] });
    const { visitor, page } = await signInToStep(service, app, { email });
    expect(stepOf(page)).toBe("profile");
    expect(codeOf(await fillIn(visitor, page, {}))).not.toBe("");
    expect(await profileOf(service, user)).toEqual({ team: null });
    expect(codeOf((await signInToStep(service, app, { email })).page)).not.toBe("");
    await ask(service, app, { profileFields: [team] });
    expect(stepOf((await signInToStep(service, app, { email })).page)).toBe("profile");
  });

  it("asks nobody for what only the server writes, or what is never asked", async () => {
    const service = current();
    const app = await service.createApp();
    const { email } = await signedUp(service, app);
    const profileFields = [
      { ...team, editableBy: "server" as const },
      { ...team, name: "desk", askAt: "never" as const },
    ];
    await ask(service, app, { profileFields });
    expect(codeOf((await signInToStep(service, app, { email })).page)).not.toBe("");
  });

  it("refuses what breaks a field's rule beside the field, and ignores what was not asked", async () => {
    const service = current();
    const app = await service.createApp();
    const { email, user } = await signedUp(service, app);
    const label = { en: "Label" };
    const options = [{ value: "s", label: { en: "Small" } }];
    const common = { label, askAt: "nextSignIn", required: true } as const;
    await ask(service, app, {
      profileFields: [
        { ...common, name: "size", type: "choice", options },
        { ...common, name: "age", type: "number" },
        { ...common, name: "born", type: "date" },
        { ...common, name: "tel", type: "phone" },
        { ...common, name: "adult", type: "checkbox" },
        { ...common, name: "nick", type: "text", maxLength: 3 },
        { ...common, name: "rank", type: "text", editableBy: "server" },
      ],
    });
    const { visitor, page } = await signInToStep(service, app, { email });
    const wrong = { size: "XL", age: "1e3", born: "2026-02-30", tel: "call me", nick: "long" };
    const refused = await fillIn(visitor, page, wrong);
    expect(refused.status).toBe(422);
    for (const words of ["one of the options", "such as 12.5", "a date that exists", "Tick this box", "at most 3"])
      expect(refused.text).toContain(words);
    const good = { size: "s", age: "-1.5", born: "2026-02-28", tel: "+44 (20) 7946-0018", nick: "Ada", adult: "true" };
    const done = await fillIn(visitor, refused, { ...good, rank: "general" });
    expect(codeOf(done)).not.toBe("");
    expect(await profileOf(service, user)).toEqual({
      size: "s",
      age: -1.5,
      born: "2026-02-28",
      tel: "+442079460018",
      adult: true,
      nick: "Ada",
    });
  });

  it("lets people continue without terms that are not required, asks once, and never in silence", async () => {
    const service = current();
    const app = await service.createApp();
    const { email, user } = await signedUp(service, app);
    await ask(service, app, { ...someTerms, termsRequired: false });
    const client = await createTestClient(service, app);
    const visitor = new Visitor();
    const page = await follow(visitor, await authorize(service, client, { email }, {}, visitor));
    expect(stepOf(page)).toBe("terms");
    expect(codeOf(await answerTerms(visitor, page, "no"))).not.toBe("");
    expect(await answersOf(service, user)).toMatchObject([{ version: "1", accepted: false }]);
    expect(codeOf((await signInToStep(service, app, { email })).page)).not.toBe("");
    await ask(service, app, { termsVersion: "2" });
    expect(codeOf(await visitor.get(authorizeUrl(service, client, { prompt: "none" })))).not.toBe("");
    expect(stepOf((await signInToStep(service, app, { email })).page)).toBe("terms");
    await ask(service, app, { termsVersion: "1", termsRequired: true });
    expect(stepOf((await signInToStep(service, app, { email })).page)).toBe("terms");
  });

  it("H13: accepts only the version that the form showed", async () => {
    const service = current();
    const app = await service.createApp();
    const { email, user } = await signedUp(service, app);
    await ask(service, app, someTerms);
    const { visitor, page } = await signInToStep(service, app, { email });
    await ask(service, app, { termsVersion: "2" });
    const again = await answerTerms(visitor, page, "yes");
    expect(stepOf(again)).toBe("terms");
    expect(await answersOf(service, user)).toEqual([]);
    const forged = await visitor.submit(again, "/step/terms", { answer: "yes", version: "3" });
    expect(stepOf(await follow(visitor, forged))).toBe("terms");
    expect(codeOf(await answerTerms(visitor, again, "yes"))).not.toBe("");
    expect(await answersOf(service, user)).toMatchObject([{ version: "2", accepted: true }]);
  });

  it("only continues where a step is no longer asked for when its page is opened", async () => {
    const service = current();
    const app = await service.createApp();
    const { email } = await signedUp(service, app);
    await ask(service, app, someTerms);
    const { visitor, page } = await signInToStep(service, app, { email });
    await ask(service, app, { termsVersion: null, termsUrl: null });
    const left = await answerTerms(visitor, page, "yes");
    expect(left.text).toContain("There is nothing more to answer.");
    expect(codeOf(await fillIn(visitor, left, {}))).not.toBe("");
  });

  it("stops a device until its person accepts, and tells it of a no", async () => {
    const service = current();
    const party = await newDeviceParty(service);
    await ask(service, party.app, someTerms);
    const codes = await beginOnDevice(service, party);
    const visitor = new Visitor();
    const page = await openDecision(service, party, codes, visitor);
    expect(stepOf(page)).toBe("terms");
    expect(await poll(service, party, codes)).toMatchObject({ body: { error: "authorization_pending" } });
    const decision = await answerTerms(visitor, page, "yes");
    expect(decision.text).toContain("/step/consent");
    const other = await beginOnDevice(service, party);
    await ask(service, party.app, { termsVersion: "2" });
    const asked = await openDecision(service, party, other);
    const declining = new Visitor();
    expect(asked.status).toBe(200);
    const third = await beginOnDevice(service, party);
    const declined = await answerTerms(declining, await openDecision(service, party, third, declining), "no");
    expect(declined.text).toContain("Nothing was allowed");
    expect(await poll(service, party, third)).toMatchObject({ body: { error: "access_denied" } });
  });

  it("asks at the door of the account page, and not for a new proof within it", async () => {
    const service = current();
    const app = await service.createApp();
    const { email } = await signedUp(service, app);
    await ask(service, app, someTerms);
    const visitor = new Visitor();
    const opened = await openAccount(service, app, visitor);
    const start = await visitor.get(opened.location.href);
    const page = await follow(
      visitor,
      await visitor.submit(start, "/password", { email, password: "correct horse battery staple" }),
    );
    expect(stepOf(page)).toBe("terms");
    const { ctx } = service.server.app;
    await answerTerms(visitor, page, "yes");
    expect((await openAccount(service, app, visitor)).status).toBe(200);
    const [event] = await audit.list(ctx, { action: "user.terms", appId: app.id, limit: 1 });
    expect(event).toMatchObject({ result: "success", details: { version: "1", accepted: true } });
  });
});
