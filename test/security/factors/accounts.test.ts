import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import {
  codesIn,
  codeAt,
  firstProof,
  keyIn,
  setUpTotp,
  signedInWithTotp,
  signedUpWithTotp,
} from "../../support/factors.ts";
import { askForReset, codeIn, mailTo, newUser } from "../../support/mail-flows.ts";
import { useMailServer } from "../../support/mail.ts";
import { call, goodPassword, initiate, newEmail, signedUp, Visitor, type Page } from "../../support/person.ts";
import { useProviders } from "../../support/providers/provider.ts";
import { setProvider, startFromPage, atProvider, comeBack } from "../../support/providers/round.ts";
import { describeOnSqlite, describeSqliteFirst, updateApp, withApp } from "../../support/service.ts";

const required = { settings: { secondFactor: "required" } } as const;
const server = await useMailServer();
const [github] = await useProviders("github");

const hasCode = (page: Page): boolean => page.location.searchParams.has("code");

describeSqliteFirst("an account with a second factor", (current) => {
  it("M4, M17, CVE-2026-34727, Kratos-4174: a provider's sign-in links nothing before the factor, and asks for it afterwards", async () => {
    const { service, app } = await withApp(current(), { ...required, methods: ["password", "oauth"] });
    await setProvider(service, app, github);
    const { email } = await newUser(service, app, { password: goodPassword });
    const { key } = await setUpTotp(service, app, email);
    const { db, tables } = service.server.app.ctx.storage.reader;
    const identities = async (): Promise<number> =>
      (await db.select().from(tables.oauthIdentities)).filter(({ appId }) => appId === app.id).length;
    const person = { subject: "4711", email, verified: true };
    const round = await startFromPage(service, app, github);
    const waits = await comeBack(round.visitor, await atProvider(round.address, github, person));
    expect(hasCode(waits)).toBe(false);
    expect(await identities()).toBe(0);
    const form = waits.status === 303 ? await round.visitor.get(waits.location.href) : waits;
    const proven = await round.visitor.submit(form, "/password", { email, password: goodPassword });
    expect(await identities()).toBe(0);
    service.clock.advance(60_000);
    const page = await round.visitor.get(proven.location.href);
    const done = await round.visitor.submit(page, "/step/code", { code: codeAt(key, service.clock.now) });
    expect(hasCode(done)).toBe(true);
    expect(await identities()).toBe(1);
    // Now the provider is a first proof of the account, and no more than that.
    const again = await startFromPage(service, app, github);
    const next = await comeBack(again.visitor, await atProvider(again.address, github, person));
    expect(hasCode(next)).toBe(false);
    expect((await again.visitor.get(next.location.href)).text).toContain("/step/code");
  });

  it("M9, Supabase-2565, Logto-9430: a token of the password alone changes no method and deletes nothing", async () => {
    const { service, app } = await withApp(current(), { settings: { secondFactor: "optional" } });
    const { email, accessToken } = await signedUp(service, app);
    const bearer = { authorization: `Bearer ${accessToken}` };
    const acts = [
      ["DELETE", "/users/profile"],
      ["POST", "/users/auth-methods", { type: "passkey", redirectUri: app.redirectUri }],
      ["DELETE", "/users/auth-methods/mth_00000000000000000000000000"],
    ] as const;
    await updateApp(service, app, required);
    const { visitor, page } = await firstProof(service, app, email);
    await visitor.submit(page, "/step/set-up", { code: codeAt(keyIn(page), service.clock.now) });
    for (const [method, address, body] of acts) {
      const refused = await call(service, method, address, bearer, body);
      expect([method, refused.status, refused.body.error?.code]).toEqual([method, 403, "INSUFFICIENT_SCOPE"]);
      expect(refused.body.error?.details).toContain("urn:authsvc:acr:2");
    }
  });

  it("M11, BetterAuth-8711: an abandoned set-up changes nothing; of two open pages the first that is confirmed counts, once", async () => {
    const { service, app } = await withApp(current(), required);
    const email = newEmail();
    await updateApp(service, app, { settings: { secondFactor: "off" } });
    await signedUp(service, app, email);
    await updateApp(service, app, required);
    const abandoned = await firstProof(service, app, email);
    expect(abandoned.page.text).toContain("/step/set-up");
    const [one, two] = [await firstProof(service, app, email), await firstProof(service, app, email)];
    const codeOf = (page: Page): string => codeAt(keyIn(page), service.clock.now);
    const confirmed = await one.visitor.submit(one.page, "/step/set-up", { code: codeOf(one.page) });
    expect(codesIn(confirmed)).toHaveLength(10);
    const posted = await one.visitor.submit(one.page, "/step/set-up", { code: codeOf(one.page) });
    expect(codesIn(posted)).toHaveLength(0);
    // The other page was open all the time: its secret is not the account's any more.
    const late = await two.visitor.submit(two.page, "/step/set-up", { code: codeOf(two.page) });
    expect(codesIn(late)).toHaveLength(0);
    service.clock.advance(60_000);
    const key = keyIn(one.page);
    const { visitor, page } = await firstProof(service, app, email);
    const wrong = await visitor.submit(page, "/step/code", { code: codeAt(keyIn(two.page), service.clock.now) });
    expect(wrong.status).toBe(422);
    expect(hasCode(await visitor.submit(page, "/step/code", { code: codeAt(key, service.clock.now) }))).toBe(true);
  });
});

describeSqliteFirst("a forgotten password beside a second factor", { mail: server.mail }, (current) => {
  it("M8, flask-security-258, ovumcy-571: a reset replaces the password, signs nobody in, and asks for the factor all the same", async () => {
    const { service, app } = await withApp(current(), required);
    const { email } = await newUser(service, app, { password: goodPassword });
    const { key, codes } = await setUpTotp(service, app, email);
    const asking = await askForReset(service, app, email);
    const code = codeIn(await mailTo(server, email, 1, /Reset/u));
    const password = "a wholly different phrase";
    // A recovery code is no code of a mail.
    const refused = await asking.visitor.submit(asking.page, "/reset", { email, password, code: codes[0] ?? "" });
    expect(refused.status).toBe(422);
    const reset = await asking.visitor.submit(asking.page, "/reset", { email, password, code });
    expect(hasCode(reset)).toBe(false);
    const session = await initiate(service, app);
    const visitor = new Visitor();
    const done = await visitor.submit(await visitor.get(session.authUrl), "/password", { email, password });
    expect(hasCode(done)).toBe(false);
    service.clock.advance(60_000);
    const page = await visitor.get(done.location.href);
    expect(hasCode(await visitor.submit(page, "/step/code", { code: codeAt(key, service.clock.now) }))).toBe(true);
  });
});

describeOnSqlite("a second factor at rest", (current) => {
  it("M14, CVE-2024-8796, BetterAuth-7231: has 160 bits, and neither its key nor a recovery code is in a file", async () => {
    const { service, app } = await withApp(current(), required);
    const person = await signedUpWithTotp(service, app);
    const key = person.key.replaceAll(" ", "");
    expect(key).toMatch(/^[A-Z2-7]{32}$/u);
    expect(new Set(person.codes).size).toBe(10);
    await signedInWithTotp(service, app, person);
    const { dataDir } = service.server.app.ctx.config;
    const bytes = readdirSync(dataDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(path.join(entry.parentPath, entry.name)));
    const plain = person.codes.map((code) => code.replaceAll("-", ""));
    for (const secret of [key, person.key, ...person.codes, ...plain])
      expect(bytes.some((content) => content.includes(secret))).toBe(false);
    // The test can find what is there.
    const digest = createHash("sha256")
      .update(plain[0] ?? "")
      .digest("base64url");
    expect(bytes.some((content) => content.includes(digest))).toBe(true);
  });
});
