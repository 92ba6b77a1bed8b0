import { globSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import * as resetLinks from "../../../src/credentials/mailed/reset-links.ts";
import * as audit from "../../../src/records/audit/audit.ts";
import { routes } from "../../../src/routes.ts";
import { examine } from "../../../src/upkeep/doctor/service.ts";
import type { AppSettings } from "../../../src/storage/column-types.ts";
import { authsvc } from "../../cli/in-process.ts";
import { placeOf } from "../../cli/service-place.ts";
import { openAccount, press } from "../../support/account.ts";
import { changeTo, ownerOf, undoLink, useLink } from "../../support/address-change.ts";
import {
  askForAccount,
  askForCode,
  codeIn,
  follow,
  mailTo,
  newUser,
  said,
  useMailed,
  userWith,
} from "../../support/mail-flows.ts";
import { acceptWithPassword, invite } from "../../support/invites.ts";
import { useMailServer } from "../../support/mail.ts";
import { withOrganizations } from "../../support/organizations.ts";
import { call, goodPassword, initiate, openPage, redeem, signIn, Visitor } from "../../support/person.ts";
import { useProviders } from "../../support/providers/provider.ts";
import { appWith, signInAt } from "../../support/providers/round.ts";
import { until } from "../../support/receiver.ts";
import { addressOf } from "../../support/routes.ts";
import { describeOnSqlite, updateApp, type TestApp, type TestService } from "../../support/service.ts";

const mailServer = await useMailServer();
const [corp] = await useProviders("openid");
const folder = mkdtempSync(join(tmpdir(), "authsvc-domains-"));
const disposableDomainsFile = join(folder, "disposable.txt");
writeFileSync(disposableDomainsFile, "# thrown away\nmailinator.example\n");
afterAll(() => rmSync(folder, { recursive: true }));

let nobody = 0;
const at = (domain: string) => `rule${(nobody += 1)}.${process.pid}@${domain}`;
const [allowed, refused] = ["acme.example", "other.example"];
const only: Partial<AppSettings> = { signUpEmailDomains: [allowed, "*.acme.example"], emailCode: true };

describeOnSqlite("the sign-up rules", { mail: mailServer.mail, disposableDomainsFile }, (current) => {
  const withRules = async (settings: Partial<AppSettings> = only) => {
    const service = current();
    const app = await appWith(service, [corp], { methods: ["passkey", "password", "oauth"] });
    await updateApp(service, app, { settings });
    return { service, app };
  };

  /** Posts the form of the sign-up page by hand, whatever the page says. */
  async function typed(service: TestService, app: TestApp, email: string) {
    const { visitor, page, session } = await openPage(service, app, {}, "/create-account");
    return { visitor, session, page: await visitor.submit(page, "/create-account", { email, password: goodPassword }) };
  }

  it.each([
    ["a domain", [allowed], { "a@acme.example": true, "a@x.acme.example": false, "a@notacme.example": false }],
    ["what is below it", ["*.acme.example"], { "a@acme.example": false, "a@x.y.acme.example": true }],
  ] as const)("P12: allow %s, exactly", async (_title, domains, addresses) => {
    const { service, app } = await withRules({ signUpEmailDomains: [...domains] });
    for (const [email, isAllowed] of Object.entries(addresses)) {
      const { status } = await call(service, "POST", `/applications/${app.id}/users`, app.headers, { email });
      expect([email, status]).toEqual([email, isAllowed ? 201 : 409]);
    }
  });

  it("P12: block a domain and all below it, and blocked wins", async () => {
    const { service, app } = await withRules({
      signUpEmailDomains: ["acme.example", "*.acme.example"],
      signUpBlockedDomains: ["bad.acme.example"],
    });
    for (const [domain, status] of [
      ["good.acme.example", 201],
      ["bad.acme.example", 409],
      ["x.bad.acme.example", 409],
    ] as const) {
      const body = { email: at(domain) };
      expect((await call(service, "POST", `/applications/${app.id}/users`, app.headers, body)).status).toBe(status);
    }
  });

  it("P12: read the disposable domains again when the file changes; a bad line is left out, a missing file keeps the last", async () => {
    const { service, app } = await withRules({ signUpBlockDisposable: true });
    const statusOf = async (domain: string) => {
      const body = { email: at(domain) };
      return (await call(service, "POST", `/applications/${app.id}/users`, app.headers, body)).status;
    };
    expect(await statusOf("x.mailinator.example")).toBe(409);
    expect(await statusOf("thrown.example")).toBe(201);
    writeFileSync(disposableDomainsFile, "mailinator.example\nnot a domain\nthrown.example\n");
    utimesSync(disposableDomainsFile, new Date(), new Date(Date.now() + 5000));
    expect(await statusOf("thrown.example")).toBe(409);
    rmSync(disposableDomainsFile);
    expect(await statusOf("thrown.example")).toBe(409);
    writeFileSync(disposableDomainsFile, "mailinator.example\n");
    expect(await statusOf("thrown.example")).toBe(201);
  });

  it("P12: refuse on the page, the same whether or not there is an account, and leave nothing; who is inside stays inside", async () => {
    const { service, app } = await withRules({});
    const { email: known } = await newUser(service, app, { email: at(refused), password: goodPassword });
    await updateApp(service, app, { settings: only });
    const fresh = at(refused);
    const pages = await Promise.all([known, fresh].map(async (email) => (await typed(service, app, email)).page));
    for (const page of pages) {
      expect(page.status).toBe(422);
      expect(said(page)).toContain("doesn't accept addresses of this domain");
      expect(said(page)).not.toContain(allowed);
    }
    expect(mailServer.to(known)).toEqual([]);
    expect(await userWith(service, app, fresh)).toBeUndefined();
    expect(await service.databaseText()).not.toContain(fresh);
    await redeem(service, app, await signIn(service, app, { email: known }));
    await updateApp(service, app, { settings: { signUpShowRules: true } });
    expect(said((await typed(service, app, fresh)).page)).toContain("accepts only addresses of acme.example");
    // The same address, once it is allowed.
    await updateApp(service, app, { settings: { signUpEmailDomains: [refused] } });
    expect((await typed(service, app, fresh)).page.location.pathname).toMatch(/\/confirm$/u);
  });

  it("P12: hold at every other door, by hand-made posts too", async () => {
    const { service, app } = await withRules();
    const base = `/applications/${app.id}`;
    const email = at(refused);
    const doors: Record<string, () => Promise<void>> = {
      "a passkey on the page": async () => {
        const { visitor, page } = await openPage(service, app, {}, "/create-account");
        const { action, fields } = page.form("/create-account/passkey");
        const { status, text } = await visitor.post(new URL(`${action}/options`, page.url).href, { ...fields, email });
        expect([status, text]).toEqual([400, expect.stringContaining("sign-up rules")]);
      },
      "a mailed code": async () => {
        const { page, visitor } = await askForCode(service, app, email);
        expect(page.status).toBe(200);
        expect((await visitor.submit(page, "/code", { code: "00000000" })).status).toBe(422);
      },
      "a provider": async () => {
        const { done } = await signInAt(service, app, corp, { subject: email, email, verified: true });
        expect([done.status, said(done)]).toEqual([400, expect.stringContaining("doesn't accept the email address")]);
      },
      "the users' API": async () => {
        const { status, body } = await call(service, "POST", `${base}/users`, app.headers, { email });
        expect([status, body.error]).toMatchObject([409, { code: "INVALID_REQUEST" }]);
      },
      "an invitation by the users' API": async () => {
        expect((await call(service, "POST", `${base}/users`, app.headers, { email, invite: true })).status).toBe(409);
      },
      "a new address by the users' API": async () => {
        const { id } = await newUser(service, app, { email: at(allowed) });
        expect((await call(service, "PATCH", `${base}/users/${id}`, app.headers, { email })).status).toBe(409);
      },
    };
    for (const [door, tries] of Object.entries(doors)) {
      await tries();
      expect(await userWith(service, app, email), door).toBeUndefined();
    }
    expect(mailServer.to(email)).toEqual([]);
    // The identity is free, too.
    await updateApp(service, app, { settings: { signUpEmailDomains: null } });
    const { done } = await signInAt(service, app, corp, { subject: email, email, verified: true });
    expect(done.location.searchParams.has("code")).toBe(true);
  });

  it("P12: no route creates a refused address or gives one, by posts made by hand, with the key of the server too", async () => {
    const { service, app } = await withRules({ emailCode: true });
    const email = at(refused);
    const owner = await ownerOf(service, app);
    await updateApp(service, app, { settings: only });
    const { id: userId } = await newUser(service, app, { email: at(allowed) });
    const { session, visitor, page } = await openPage(service, app, {}, "/create-account");
    const values = { appId: app.id, userId, sessionId: session.sessionId };
    const made = { email, name: "Mallory", password: goodPassword, code: "12345678", credential: "{}", token: "" };
    const body = {
      ...made,
      emailVerified: true,
      invite: true,
      users: [{ email }],
      invitations: [{ email, roles: [] }],
    };
    const account = await openAccount(service, app, owner.visitor, "/email");
    const walk = async (isFound: boolean) => {
      let [tried, found] = [0, false];
      for (const { method, path } of routes) {
        if (method === "GET" || method === "DELETE") continue;
        const address = `${service.url}${addressOf({ path }, values)}`;
        const headers = { ...app.headers, "content-type": "application/json" };
        for (const each of [{ email }, body]) await fetch(address, { method, headers, body: JSON.stringify(each) });
        const { token = "" } = page.form("/create-account").fields;
        const own = account.form("/account/email").fields;
        if (method === "POST") await visitor.copy().post(`${address}?app_id=${app.id}`, { ...made, token });
        if (method === "POST") await owner.visitor.copy().post(`${address}?app_id=${app.id}`, { ...own, email });
        tried += 1;
        found ||= (await userWith(service, app, email)) !== undefined;
        if (!isFound) expect([path, found]).toEqual([path, false]);
      }
      expect([tried > 80, found]).toEqual([true, isFound]);
    };
    await walk(false);
    // The same posts create the account where no rule is against it.
    await updateApp(service, app, { settings: { signUpEmailDomains: null } });
    await walk(true);
  });

  it("P12: hold for somebody who was mailed before the rule: the link creates nothing then", async () => {
    const { service, app } = await withRules({});
    const email = at(refused);
    const { visitor, page } = await askForAccount(service, app, { email });
    await updateApp(service, app, { settings: only });
    const done = await visitor.submit(page, "/confirm", { code: codeIn(await mailTo(mailServer, email)) });
    expect([done.status, said(done)]).toEqual([422, expect.stringContaining("couldn't create an account")]);
    expect(await userWith(service, app, email)).toBeUndefined();
  });

  it("P12: end a command with 4, unless it overrides them, which is audited; an import says how many it took", async () => {
    const { service, app } = await withRules();
    const { ctx } = service.server.app;
    const place = placeOf(service);
    const run = async (...args: string[]) => await authsvc([...args, "--app", app.id], place);
    for (const command of ["create", "invite"]) {
      const email = at(refused);
      const args = ["user", command, "--email", email];
      const denied = await run(...args);
      expect([denied.code, denied.stderr]).toEqual([4, expect.stringContaining("sign-up rules refuse this address")]);
      expect((await run(...args, "--dry-run")).code).toBe(4);
      expect((await run(...args, "--override-rules")).code).toBe(0);
      const userId = (await userWith(service, app, email))?.id ?? "";
      const [entry] = await audit.list(ctx, { userId, action: `user.${command}`, limit: 1 });
      expect(entry?.details).toMatchObject({ overridesRules: "not-allowed" });
    }
    writeFileSync(join(service.dataDir, "users.jsonl"), JSON.stringify({ email: at(refused) }));
    const imported = await run("user", "import", "users.jsonl", "--json");
    expect(JSON.parse(imported.stdout)).toMatchObject({ created: 1, againstRules: 1 });
  });

  it("P12: let the owner of an earlier address take it back, whatever the rules are", async () => {
    const { service, app } = await withRules({});
    const owner = await ownerOf(service, app);
    await changeTo(service, mailServer, owner, at(allowed));
    await updateApp(service, app, { settings: only });
    const page = await useLink(await undoLink(mailServer, owner.email));
    expect(page.status).toBe(200);
    expect((await userWith(service, app, owner.email))?.id).toBe(owner.id);
  });

  it("P12: doctor counts who is inside against the rules, and changes nothing", async () => {
    const { service, app } = await withRules({});
    await newUser(service, app, { email: at(refused) });
    await updateApp(service, app, { settings: only });
    const findings = await examine(service.server.app.ctx);
    expect(findings.filter(({ check }) => check === "sign-up").map(({ message }) => message)).toContain(
      `1 user of ${app.id} has an address that the sign-up rules would not let in today; they stay.`,
    );
  });

  it("P12: hold for a new address on the account page", async () => {
    const { service, app } = await withRules({});
    const owner = await ownerOf(service, app);
    await updateApp(service, app, { settings: only });
    const form = await openAccount(service, app, owner.visitor, "/email");
    const email = at(refused);
    const answer = await press(app, owner.visitor, form, "/account/email", { email });
    expect([answer.status, said(answer)]).toEqual([422, expect.stringContaining("doesn't accept addresses")]);
    expect(mailServer.to(email)).toEqual([]);
  });

  it("P12: hold for an organization's invitation", async () => {
    const service = current();
    const { app, send, newOrganization } = await withOrganizations(service);
    const { path } = await newOrganization();
    await updateApp(service, app, { settings: only });
    const email = at(refused);
    await send("POST", `${path}/invitations`, { invitations: [{ email, roles: ["member"] }] });
    const { text } = await mailTo(mailServer, email);
    const link = /https?:\/\/\S*\/organization\/invitation\/\S+/u.exec(text)?.[0] ?? "";
    const visitor = new Visitor();
    const page = await visitor.submit(await visitor.get(link), new URL(link).pathname, {});
    expect([page.status, said(page)]).toEqual([409, expect.stringContaining("doesn't accept addresses")]);
    expect(await userWith(service, app, email)).toBeUndefined();
  });

  it("P12: nothing is issued before the address is proved: a provider that does not prove it leads to a mail", async () => {
    const { service, app } = await withRules({ signUpRequireVerified: true });
    const email = at(allowed);
    const { session, visitor, done } = await signInAt(service, app, corp, { subject: email, email });
    expect(done.location.pathname).toMatch(/\/confirm$/u);
    expect(await userWith(service, app, email)).toBeUndefined();
    const page = await follow(visitor, done);
    const confirmed = await visitor.submit(page, "/confirm", { code: codeIn(await mailTo(mailServer, email)) });
    const code = confirmed.location.searchParams.get("code") ?? "";
    const { user } = await redeem(service, app, { session, code });
    expect(user).toMatchObject({ email, emailVerified: true, authMethods: { oauth: ["corp"] } });
    // From then on, the identity signs in.
    const again = await signInAt(service, app, corp, { subject: email, email });
    expect(again.done.location.searchParams.has("code")).toBe(true);
  });

  it("P12: a link that an operator hands over proves no address, and so issues nothing before that", async () => {
    const { service, app } = await withRules({ signUpRequireVerified: true });
    const email = at(allowed);
    const { link } = await invite(service, app, email, { link: true });
    const visitor = new Visitor();
    await acceptWithPassword(link ?? "", goodPassword, visitor);
    expect((await userWith(service, app, email))?.emailVerified).toBe(false);
    expect((await openAccount(service, app, visitor)).status).toBe(303);
    expect((await signIn(service, app, { email }, {}, visitor)).code).toBe("");
    expect((await userWith(service, app, email))?.lastLoginAt).toBeNull();
    // The same for a new password by a link that an operator hands over.
    const other = await newUser(service, app, {
      email: at(allowed),
      emailVerified: false,
      password: "another phrase 1",
    });
    const { ctx } = service.server.app;
    const reset = await resetLinks.linkFor(
      ctx,
      other.id,
      { send: false, dryRun: false },
      { kind: "cli", name: "test" },
    );
    await useMailed(reset.link ?? "", { password: goodPassword });
    expect((await signIn(service, app, { email: other.email })).code).toBe("");
  });

  it("P12: an account of the server with an unproved address gets in by a code from its mailbox, and keeps its password", async () => {
    const { service, app } = await withRules({ signUpRequireVerified: true });
    const { email } = await newUser(service, app, { emailVerified: false, password: goodPassword });
    const session = await initiate(service, app);
    const visitor = new Visitor();
    const first = await visitor.submit(await visitor.get(session.authUrl), "/password", {
      email,
      password: goodPassword,
    });
    expect(first.location.searchParams.has("code")).toBe(false);
    const step = await follow(visitor, first);
    expect(said(step)).toContain("once your email address is confirmed");
    const asked = await follow(visitor, await visitor.submit(step, "/email-code", { email }));
    const done = await visitor.submit(asked, "/code", { code: codeIn(await mailTo(mailServer, email)) });
    const { user } = await redeem(service, app, { session, code: done.location.searchParams.get("code") ?? "" });
    expect(user).toMatchObject({ emailVerified: true, authMethods: { password: true } });
    await until(() => userWith(service, app, email).then((found) => found?.emailVerified));
  });
});

/** Each place that creates a user or gives one an address, and the door above. */
const places: Record<string, string> = {
  "src/sign-in/sign-up/sign-up.ts": "the page, without a mail",
  "src/credentials/mailed/mail-sign-up.ts": "the page, a passkey and a provider, by a mail",
  "src/credentials/mailed/sign-in-codes.ts": "a mailed code",
  "src/credentials/identities/linking.ts": "a provider",
  "src/credentials/mailed/invites.ts": "an invitation of the server or an operator",
  "src/sign-in/company/company-sign-in.ts": "a company's provider, for who joins the company by it",
  "src/sign-in/sign-up/invited-newcomer.ts": "an organization's invitation",
  "src/people/new-users.ts": "the users' API, the command, the console",
  "src/people/import.ts": "an import, which counts",
  "src/people/changes.ts": "a new address by the server or an operator",
  "src/credentials/mailed/address-change.ts": "a new address on the account page",
  "src/credentials/mailed/address-undo.ts": "an earlier address, which is no new one",
  "src/dev/sign-in.ts": "a developer's command",
  // What they call.
  "src/users/service.ts": "",
  "src/users/store.ts": "",
  "src/people/import-store.ts": "",
};

it("P12: no place in the source creates a user or changes an address behind the back of these doors", () => {
  const writes =
    /\busers\.create\(|\binsertUser\(|\binsertRows\(|\bchangeEmail\(|\bupdateUser\(tx, userId, \{ \.\.\.altered/u;
  const found = globSync("src/**/*.ts").filter((file) => writes.test(readFileSync(file, "utf8")));
  expect(found.toSorted()).toEqual(Object.keys(places).toSorted());
  // Every route to such a place goes through one of these two.
  expect(readFileSync("src/users/service.ts", "utf8")).toContain("await signUpRules.admit(");
  expect(readFileSync("src/people/changes.ts", "utf8")).toContain("await signUpRules.refuseAddress(");
});

describeOnSqlite("without a mail server", (current) => {
  it("P12: rules that need the proof of an address are refused by name", async () => {
    const service = current();
    const app = await service.createApp();
    for (const settings of [
      { signUpEmailDomains: [allowed] },
      { signUpRequireVerified: true },
      { signUpApproval: true },
    ])
      await expect(updateApp(service, app, { settings })).rejects.toMatchObject({
        code: "INVALID_REQUEST",
        rejected: { field: `settings.${Object.keys(settings)[0]}` },
      });
    await updateApp(service, app, { settings: { signUpBlockedDomains: [refused] } });
  });
});
