import { expect, it } from "vitest";
import { apiRoutes } from "../../../src/api/routes.ts";
import { routes } from "../../../src/routes.ts";
import { companyConfig, useCompanyProvider } from "../../support/company-provider.ts";
import { giveTotp, withEmma, type CameTo } from "../../support/company-sign-in.ts";
import { beginOnDevice, poll, typeCode } from "../../support/devices.ts";
import { exchange, introspected } from "../../support/exchange.ts";
import { createProxy, forProxies } from "../../support/forward-auth.ts";
import { HostVisitor, program } from "../../support/host-visitor.ts";
import { basic, newParty, post } from "../../support/openid-tokens.ts";
import { authorizeUrl, createTestClient } from "../../support/openid.ts";
import { initiate, isLive, redeem, Visitor, type Page } from "../../support/person.ts";
import { createResource, newMachine } from "../../support/resources.ts";
import { parseJwt } from "../../../src/tokens/jwt.ts";
import { describeOnSqlite, type TestService } from "../../support/service.ts";

const company = await useCompanyProvider();
const given = { ...companyConfig, ...forProxies, dev: true };

/** What a page does with a browser whose person came by their company. A new route needs a row. */
const rows = {
  /** Knows nobody: the answer of a browser without cookies. */
  closed: `
    GET /account, GET /account/signed-out, GET /account/forgot-password, POST /account/sign-out, GET /account/profile,
    POST /account/profile, GET /account/picture, POST /account/picture, POST /account/picture/remove,
    POST /account/picture/undo, GET /account/verify-email, POST /account/verify-email, POST /account/verify-email/code,
    GET /account/email, POST /account/email, GET /account/email/code, POST /account/email/code, POST /account/email/again,
    POST /account/add, GET /account/methods/:methodId/rename, POST /account/methods/:methodId/rename,
    GET /account/methods/:methodId/remove, POST /account/methods/:methodId/remove, GET /account/factor,
    POST /account/factor, GET /account/remove-factor, POST /account/remove-factor, GET /account/recovery-codes,
    POST /account/recovery-codes, POST /account/trusted-browsers/:browserId/end, POST /account/logins/:loginId/end,
    POST /account/logins/end-others, POST /account/logins/end-all, GET /account/new-token, POST /account/new-token,
    POST /account/tokens/:tokenId/end, POST /account/programs/:clientId/remove, GET /account/data, POST /account/data,
    GET /account/delete, POST /account/delete, GET /account/deleted, GET /organization, POST /organization,
    GET /organization/provider, POST /organization/provider, GET /organization/invitation/:token,
    POST /organization/invitation/:token, GET /organization/invitations/:id, POST /organization/invitations/:id,
    GET /device, POST /device, GET /device/end, GET /, GET /docs, GET /assets/:file, GET /pictures/:random/:digest,
    GET /favicon.ico, GET /robots.txt, GET /.well-known/change-password`,
  /** Asks for what was mailed, or what the provider said: no browser opens it. */
  link: `
    GET /confirm/:token, POST /confirm/:token, GET /reset/:token, POST /reset/:token, POST /reset/:token/password-check,
    GET /invite/:token, POST /invite/:token, GET /recover/:token, POST /recover/:token, GET /restore/:token,
    POST /restore/:token, GET /organization/setup/:token, POST /organization/setup/:token, GET /oauth/:provider/callback,
    POST /oauth/:provider/callback, GET /oauth/:provider/start, POST /oauth/:provider/start`,
  /** Of a sign-in: nothing of the account changes by it, nor does a program get a code. */
  session: `
    GET /sign-in/:sessionId, GET /sign-in/:sessionId/create-account, GET /sign-in/:sessionId/cancel,
    POST /sign-in/:sessionId/password, POST /sign-in/:sessionId/create-account, GET /sign-in/:sessionId/confirm,
    POST /sign-in/:sessionId/confirm, POST /sign-in/:sessionId/confirm/again, GET /sign-in/:sessionId/email-code,
    POST /sign-in/:sessionId/email-code, GET /sign-in/:sessionId/code, POST /sign-in/:sessionId/code,
    POST /sign-in/:sessionId/code/again, GET /sign-in/:sessionId/forgot-password,
    POST /sign-in/:sessionId/forgot-password, POST /sign-in/:sessionId/reset, POST /sign-in/:sessionId/password-check,
    POST /sign-in/:sessionId/passkey, POST /sign-in/:sessionId/create-account/passkey,
    POST /sign-in/:sessionId/passkey/options, POST /sign-in/:sessionId/create-account/passkey/options,
    POST /sign-in/:sessionId/step/passkey, POST /sign-in/:sessionId/step/new-passkey,
    POST /sign-in/:sessionId/step/take-over, POST /sign-in/:sessionId/step/consent, POST /sign-in/:sessionId/step/deny,
    POST /sign-in/:sessionId/step/terms, POST /sign-in/:sessionId/step/profile,
    POST /sign-in/:sessionId/step/organization, POST /sign-in/:sessionId/step/other-account,
    POST /sign-in/:sessionId/step/password, POST /sign-in/:sessionId/step/new-password,
    POST /sign-in/:sessionId/step/new-password/code, POST /sign-in/:sessionId/step/code,
    POST /sign-in/:sessionId/step/set-up, POST /sign-in/:sessionId/step/continue, POST /sign-in/:sessionId/step/skip,
    POST /sign-in/:sessionId/step/passkey/options, POST /sign-in/:sessionId/step/new-passkey/options,
    POST /sign-in/:sessionId/add/passkey, POST /sign-in/:sessionId/add/password, POST /sign-in/:sessionId/add/oauth,
    POST /sign-in/:sessionId/add/passkey/options, POST /sign-in/:sessionId/oauth/:provider,
    GET /sign-in/:sessionId/company, POST /sign-in/:sessionId/company, POST /sign-in/:sessionId/company/agree,
    POST /sign-in/:sessionId/company/leave, POST /sign-in/:sessionId/company/mail, GET /sign-in/:sessionId/company/code,
    POST /sign-in/:sessionId/company/code, GET /sign-in/:sessionId/first-method, POST /sign-in/:sessionId/first-method,
    GET /sign-in/:sessionId/first-method/code, POST /sign-in/:sessionId/first-method/code`,
  /** Continues for programs that take such a sign-in, and ends the browser's session. */
  opens: `
    POST /sign-in/:sessionId/continue, GET /oauth2/authorize, POST /oauth2/authorize, GET /oauth2/end-session,
    POST /oauth2/end-session, POST /oauth2/end-session/confirm`,
};

const namesIn = (text: string): string[] => text.split(",").map((name) => name.trim());
const pages = routes.filter((route) => !apiRoutes.some((line) => line === route));
const named = (kind: keyof typeof rows) => {
  const names = namesIn(rows[kind]);
  return pages.filter(({ method, path }) => names.includes(`${method} ${path}`));
};

const claimsOf = (token: unknown) => parseJwt(String(token))?.claims ?? {};

/** Somebody confined, who has a password, an invitation elsewhere, and another organization. */
async function emmaOf(service: TestService, fields = {}) {
  const emma = await withEmma(service, company, fields);
  const other = await emma.newOrganization({ name: "Globex" });
  await emma.send("PUT", `${other.path}/members/${emma.userId}`, { roles: ["member"] });
  const inviting = await emma.newOrganization({ name: "Hooli" });
  const invited = { invitations: [{ email: emma.email, roles: ["member"] }] };
  await emma.send("POST", `${inviting.path}/invitations`, invited);
  const { db, tables } = service.server.app.ctx.storage.reader;
  const invitations = await db.select().from(tables.organizationInvitations);
  const invitation = invitations.find(({ organizationId }) => organizationId === inviting.id)?.id ?? "";
  const [login] = (await db.select().from(tables.logins)).filter(({ userId }) => userId === emma.userId);
  return { ...emma, other, invitation, ownLogin: login?.id ?? "" };
}

/** All that belongs to accounts, without what only says when something was used. */
async function accountRows(service: TestService): Promise<string> {
  const { db, tables } = service.server.app.ctx.storage.reader;
  const kept = ["users", "passkeys", "passwords", "secondFactors", "recoveryCodes", "trustedBrowsers"] as const;
  const more = ["personalTokens", "oauthIdentities", "consents", "organizationMembers", "organizations"] as const;
  const others = ["organizationInvitations", "organizationIdentities", "pictures", "termsAnswers"] as const;
  const read = [...kept, ...more, ...others].filter((name) => name in tables);
  const all = await Promise.all(read.map(async (name) => [name, await db.select().from(tables[name as "users"])]));
  const used = /"(?:lastLoginAt|loginCount|lastUsedAt|usedAt|offeredAt|lastLogin\w+)":[^,}]+/gu;
  return JSON.stringify(all).replaceAll(used, "");
}

/** Presses "continue as" in a sign-in, whether or not its page has the button. */
async function continued(visitor: Visitor, { url, text }: Page): Promise<Page> {
  const [, token = ""] = /name="token" value="([^"]+)"/u.exec(text) ?? [];
  return await visitor.post(`${url.split("?")[0]}/continue`, { token });
}

const hasCode = ({ location }: Page): boolean => location.searchParams.has("code");
const plain = (text: string) => text.replaceAll(/sis_[\w-]+|[\w-]{22,}/gu, "…");

describeOnSqlite("the matrix of confinement", given, (current) => {
  it("has a row for every page", () => {
    const all = Object.values(rows).flatMap(namesIn);
    expect(all.toSorted()).toEqual(pages.map(({ method, path }) => `${method} ${path}`).toSorted());
  });

  it("knows nobody on the pages of accounts, with the ids of what the person has", async () => {
    const service = current();
    const emma = await emmaOf(service);
    const { visitor } = await emma.came();
    const nobody = new Visitor();
    const signOut = await visitor.get(`${service.url}/oauth2/end-session?client_id=${emma.app.id}`);
    const { token = "" } = signOut.form("/oauth2/end-session/confirm").fields;
    const before = await accountRows(service);
    const ids: Record<string, string> = { ":id": emma.invitation, ":loginId": emma.ownLogin };
    for (const { method, path } of named("closed")) {
      const filled = path.replaceAll(/:\w+/gu, (name) => ids[name] ?? "x");
      const address = `${service.url}${filled}?app_id=${emma.app.id}&organization=${emma.organization.id}`;
      const asked = async (who: Visitor) => {
        const fields = { token, answer: "yes", act: "create", name: "Eve", email: "eve@evil.example" };
        const page = method === "GET" ? await who.copy().get(address) : await who.copy().post(address, fields);
        return [`${method} ${path}`, page.status, plain(page.location.pathname)];
      };
      const [name, status, led] = await asked(visitor);
      if (method === "GET") expect([name, status, led]).toEqual(await asked(nobody));
      else expect([name, [303, 400, 403, 404, 410, 415, 422].includes(Number(status))]).toEqual([name, true]);
    }
    expect(await accountRows(service)).toBe(before);
    expect(await isLive(service, emma.app, emma.own)).toBe(true);
  });

  for (const waits of ["own-proof", "second-factor"] as const)
    it(`gives no code and changes nothing on any page of a sign-in that waits for ${waits}`, async () => {
      const service = current();
      const emma = await emmaOf(service);
      if (waits === "second-factor") await giveTotp(service, emma);
      else await emma.send("PATCH", emma.organization.path, { secondFactor: "required" });
      const waiting = async (): Promise<CameTo> => {
        // Whoever is named is not known in this browser.
        const came = await emma.came(new Visitor());
        const { db, tables } = service.server.app.ctx.storage.reader;
        const open = (await db.select().from(tables.signInSessions)).filter(
          ({ provenUserId, provenWith }) => provenUserId === emma.userId && provenWith === "organization",
        );
        expect(open.length).toBeGreaterThan(0);
        return came;
      };
      let at = await waiting();
      const before = await accountRows(service);
      for (const { method, path } of named("session").concat(named("opens").slice(0, 1))) {
        const shown = await at.visitor.get(at.session.authUrl);
        const { token } = /name="token" value="(?<token>[^"]+)"/u.exec(shown.text)?.groups ?? {};
        if (token === undefined) at = await waiting();
        const sessionId = at.session.authUrl.split("/").at(-1) ?? "";
        const address = service.url + path.replace(":sessionId", sessionId).replace(":provider", "google");
        const fields = {
          token:
            token ?? /name="token" value="([^"]+)"/u.exec((await at.visitor.get(at.session.authUrl)).text)?.[1] ?? "",
          email: emma.email,
          password: "the password of somebody else",
          newPassword: "a new password of somebody else",
          code: "12345678",
          credential: "{}",
          answer: "yes",
          invitation: emma.invitation,
          organization: emma.other.id,
          version: "1",
          accepts: "on",
          trust: "yes",
        };
        const page = method === "GET" ? await at.visitor.get(address) : await at.visitor.post(address, fields);
        expect([`${method} ${path}`, hasCode(page)]).toEqual([`${method} ${path}`, false]);
        expect([`${method} ${path}`, page.status < 500]).toEqual([`${method} ${path}`, true]);
        expect([`${method} ${path}`, await accountRows(service)]).toEqual([`${method} ${path}`, before]);
        const { db, tables } = service.server.app.ctx.storage.reader;
        const open = (await db.select().from(tables.signInSessions)).some(
          ({ provenUserId, provenWith }) => provenUserId === emma.userId && provenWith === "organization",
        );
        if (!open) at = await waiting();
      }
    });

  it("continues at programs by their switch and that of their resource, and at the application itself", async () => {
    const service = current();
    const emma = await emmaOf(service);
    const { visitor } = await emma.came();
    const [on, off] = [
      await createResource(service, emma.app, { companySignIn: true }),
      await createResource(service, emma.app),
    ];
    const resources = [on, off];
    const client = await createTestClient(service, emma.app, { companySignIn: true, resources });
    const got: Record<string, string> = {};
    for (const [name, resource] of Object.entries({ none: null, on, off })) {
      const url = authorizeUrl(service, client, { resource, scope: "openid", prompt: "none" });
      const { searchParams } = (await visitor.copy().get(url)).location;
      got[name] = searchParams.has("code") ? "code" : (searchParams.get("error") ?? "page");
    }
    expect(got).toEqual({ none: "code", on: "code", off: "login_required" });
    // A new sign-in there, too, and not only a continued one.
    const login = authorizeUrl(service, client, { resource: off, scope: "openid", prompt: "login" });
    const fresh = new Visitor();
    const form = await emma.followed(fresh, await fresh.get(login));
    const typed = await fresh.submit(form, "/password", { email: emma.email, password: "x" });
    const session = { authUrl: form.url, sessionId: "", expiresAt: "" };
    const back = await emma.pressed({ visitor: fresh, page: typed, session }, emma.person);
    const asked = await emma.followed(fresh, back);
    const refused = await fresh.submit(asked, "/company/agree", {});
    expect(hasCode(await emma.followed(fresh, refused))).toBe(false);

    const own = await initiate(service, emma.app);
    const done = await continued(visitor, await visitor.get(own.authUrl));
    const tokens = await redeem(service, emma.app, {
      session: own,
      code: done.location.searchParams.get("code") ?? "",
    });
    expect(claimsOf(tokens.accessToken)).toMatchObject({ org_confined: true, org_id: emma.organization.id });
  });

  it("opens no protected host", async () => {
    const service = current();
    const emma = await emmaOf(service);
    const { host } = await createProxy(service, emma.app);
    const { visitor } = await emma.came();
    const browser = new HostVisitor(service);
    for (const [name, value] of visitor.cookies) browser.own.cookies.set(name, value);
    const page = await browser.go(`https://${host}/`);
    expect([page.text === program, page.text.includes('/continue"')]).toEqual([false, false]);
    expect(page.text).toContain('/password"');
    // Nor does the company's sign-in itself: nothing leads there from a host.
    const { fields } = page.form("/password");
    const led = await browser.own.post(`${page.url}/company`, { ...fields, organization: emma.organization.id });
    expect([led.status, led.headers.get("refresh"), led.text.includes('/company"')]).toEqual([303, null, false]);
  });

  it("signs devices in by their switch, to its organization, for as long as the proof", async () => {
    const service = current();
    const emma = await emmaOf(service, { sessionSeconds: 3600 });
    const { visitor } = await emma.came();
    for (const companySignIn of [false, true]) {
      const client = await createTestClient(service, emma.app, { kind: "device", redirectUris: [], companySignIn });
      const codes = await beginOnDevice(service, { client });
      const entered = await typeCode(service, codes.user_code, visitor);
      const page = await emma.followed(visitor, entered);
      const asked = await emma.followed(visitor, await continued(visitor, page));
      expect(asked.text.includes('/step/consent"')).toBe(companySignIn);
      if (!companySignIn) {
        expect((await poll(service, { client }, codes)).body).toMatchObject({ error: "authorization_pending" });
        continue;
      }
      await emma.followed(visitor, await visitor.submit(asked, "/step/consent", {}));
      const { status, body } = await poll(service, { client }, codes);
      expect([status, claimsOf(body["access_token"])["org_confined"]]).toEqual([200, true]);
      const form = { grant_type: "refresh_token", client_id: client.id };
      const again = await post(service, "/oauth2/token", { ...form, refresh_token: String(body["refresh_token"]) });
      expect(again.status).toBe(200);
      service.clock.advance(3_601_000);
      const late = await post(service, "/oauth2/token", {
        ...form,
        refresh_token: String(again.body["refresh_token"]),
      });
      expect(late.status).toBe(400);
    }
  });

  it("is exchanged for programs and resources that take it, and stays confined", async () => {
    const service = current();
    const emma = await emmaOf(service);
    const scopes = [{ name: "read", sentence: "Read" }];
    const [orders, on, off] = [
      await createResource(service, emma.app, { scopes, companySignIn: true }),
      await createResource(service, emma.app, { scopes, companySignIn: true }),
      await createResource(service, emma.app, { scopes }),
    ];
    const party = await newParty(service, { resources: [orders], companySignIn: true }, emma.app);
    const { visitor } = await emma.came();
    const url = authorizeUrl(service, party.client, { resource: orders, scope: "openid read" });
    const code = (await visitor.get(url)).location.searchParams.get("code") ?? "";
    const redirect = { redirect_uri: party.client.redirectUris[0] ?? "" };
    const form = { grant_type: "authorization_code", code, ...redirect };
    const { body } = await post(service, "/oauth2/token", form, basic(party));
    const subject = String(body["access_token"]);
    expect(claimsOf(subject)).toMatchObject({ org_confined: true, aud: [orders] });
    const api = { exchangeTo: [on, off], audienceOf: [orders] };
    const takes = await newParty(service, { ...api, companySignIn: true }, emma.app);
    const refuses = await newParty(service, api, emma.app);
    const machine = await newMachine(service, api, emma.app);
    const asked = async (agent: Parameters<typeof exchange>[1], resource: string) =>
      await exchange(service, agent, { subject_token: subject, resource });
    expect((await asked(takes, off)).status).toBe(400);
    expect((await asked(refuses, on)).status).toBe(400);
    expect((await asked(machine, on)).status).toBe(400);
    const exchanged = await asked(takes, on);
    const token = String(exchanged.body["access_token"]);
    expect(claimsOf(token)).toMatchObject({ org_confined: true, org_id: emma.organization.id });
    expect(await introspected(service, takes, token)).toMatchObject({ active: true, org_confined: true });
    await emma.send("DELETE", `${emma.organization.path}/provider`);
    service.clock.advance(1000);
    expect(await introspected(service, takes, token)).toEqual({ active: false });
    expect((await asked(takes, on)).status).toBe(400);
  });
});
