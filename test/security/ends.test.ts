/** The table "What ends with what" of docs/security.md, cell by cell. */
import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import * as consents from "../../src/applications/clients/consents.ts";
import { saveConsent } from "../../src/applications/clients/consents-store.ts";
import * as factors from "../../src/factors/service.ts";
import { findSecondFactor } from "../../src/factors/store.ts";
import * as trustedBrowsers from "../../src/factors/trusted-browsers.ts";
import * as proxyLogins from "../../src/forward-auth/logins.ts";
import { recoveryCodeDigest } from "../../src/factors/typed-factor.ts";
import * as recoveryLinks from "../../src/credentials/mailed/recovery-links.ts";
import * as resetLinks from "../../src/credentials/mailed/reset-links.ts";
import * as emailTokens from "../../src/credentials/mailed/service.ts";
import * as methods from "../../src/credentials/methods/service.ts";
import { clockSkew } from "../../src/lib/clock.ts";
import { loginIdOf } from "../../src/sessions/login-administration.ts";
import * as ownLogins from "../../src/sessions/login-ends.ts";
import { findLogin, insertLogin } from "../../src/sessions/login-store.ts";
import { newLoginId } from "../../src/sessions/token-pairs.ts";
import * as userAdministration from "../../src/people/administration.ts";
import * as profiles from "../../src/people/profile.ts";
import * as users from "../../src/users/service.ts";
import { insertIdentity, listIdentitiesOf } from "../../src/organizations/provider/identity-store.ts";
import { personWithFactor, setUpAt } from "../support/account-factors.ts";
import { openAccount, press } from "../support/account.ts";
import { askFor } from "../support/address-change.ts";
import { beginOnDevice, openDecision, poll } from "../support/devices.ts";
import { cookieAt, createProxy } from "../support/forward-auth.ts";
import { codeAt, firstProof, signedInWithTotp } from "../support/factors.ts";
import { askForCode, codeIn, mailTo } from "../support/mail-flows.ts";
import { useMailServer } from "../support/mail.ts";
import { giveIdentity, givePasskey, setProvider } from "../support/methods.ts";
import { createTestClient } from "../support/openid.ts";
import { newPersonalToken } from "../support/personal-tokens.ts";
import { call, isLive, newEmail, validate, Visitor } from "../support/person.ts";
import { describeSqliteFirst, withApp, type TestApp, type TestService } from "../support/service.ts";
import { textOf } from "../docs/pages.ts";

const server = await useMailServer();
const by = { actor: { kind: "cli", name: "test" } } as const;
const otherPassword = "a wholly different phrase";

/** Somebody with one of everything. `visitor` acts; the rest is of other browsers. */
async function withEverything(service: TestService, when: "since" | "before" = "since") {
  const { ctx } = service.server.app;
  const begun = service.clock.now;
  const { app } = await withApp(service, {
    settings: {
      secondFactor: "optional",
      trustBrowsersDays: 30,
      emailCode: true,
      personalTokens: true,
      organizations: "on",
    },
    methods: ["password", "oauth", "passkey"],
  });
  await setProvider(service, app);
  const owner = await personWithFactor(service, app);
  const { id, email, key } = owner;
  const personalToken = await newPersonalToken(service, app, owner.visitor);
  const passkey = await givePasskey(service, id);
  const identity = await giveIdentity(service, app, id);
  await linkToCompany(service, app, id);
  const client = await createTestClient(service, app, { consent: "ask" });
  const now = service.clock.now;
  const consent = { userId: id, clientId: client.id, scopes: ["openid"], createdAt: now, updatedAt: now };
  await ctx.storage.write((tx) => saveConsent(tx, consent));
  const { visitor: other, tokens } = await signedInWithTotp(service, app, { email, key }, { trust: true });
  const device = await createTestClient(service, app, { kind: "device", redirectUris: [] });
  const asks = await beginOnDevice(service, { client: device });
  const at = new Visitor();
  const step = await openDecision(service, { email }, asks, at);
  service.clock.advance(60_000);
  await at.submit(step, "/step/code", { code: codeAt(key, service.clock.now) });
  await at.submit(await at.get(step.url), "/step/consent", {});
  const change = await askFor(service, server, { app, visitor: other });
  const reset = await ctx.storage.write((tx) => resetLinks.issueFor(ctx, tx, { id, appId: app.id, email }, now));
  const recovery = await recoveryLinks.linkFor(ctx, id, { lasts: 3_600_000, dryRun: false }, by.actor);
  const host = await loginAtHost(service, app, tokens.accessToken);
  const halfDone = await firstProof(service, app, email);
  service.clock.advance(60_000);
  const onTheWay = await firstProof(service, app, email);
  const done = await onTheWay.visitor.submit(onTheWay.page, "/step/code", { code: codeAt(key, service.clock.now) });
  const code = done.location.searchParams.get("code");
  if (when === "before") service.clock.advance(2 * clockSkew);
  const undo = await undoLinkNow(service, { id, app }, when === "since" ? begun : service.clock.now);
  return {
    ...owner,
    app,
    personalToken,
    passkey,
    identity,
    undo,
    other,
    tokens,
    device,
    host,
    asks,
    change,
    reset,
    recovery: recovery.link ?? "",
    halfDone,
    onTheWay: { code, sessionId: onTheWay.session.sessionId },
  };
}

type Person = Awaited<ReturnType<typeof withEverything>>;

/** Who the person is at the provider of an organization. */
async function linkToCompany(service: TestService, app: TestApp, userId: string): Promise<void> {
  const path = `/applications/${app.id}/organizations`;
  const { body } = await call(service, "POST", path, app.headers, { name: "Acme", owner: userId });
  const at = { organizationId: String(body["id"]), appId: app.id, issuer: "https://sso.example.org", subject: "1" };
  const row = { ...at, userId, email: null, createdAt: service.clock.now, lastUsedAt: null };
  await service.server.app.ctx.storage.write((tx) => insertIdentity(tx, row));
}

/** A link for the earlier address, as if the address had been changed at that time. */
async function undoLinkNow(
  service: TestService,
  { id: userId, app }: { id: string; app: TestApp },
  at: number,
): Promise<string> {
  const { ctx } = service.server.app;
  const email = newEmail();
  const slot = emailTokens.slot(ctx, "undo", userId, email);
  const token = { slot, purpose: "undo", appId: app.id, userId, email, hasNoCode: true } as const;
  return (await ctx.storage.write((tx) => emailTokens.issue(ctx, tx, token, at))).link;
}

/** A login at a protected host, of another browser. */
async function loginAtHost(service: TestService, app: TestApp, accessToken: string) {
  const { ctx } = service.server.app;
  const place = await createProxy(service, app);
  const login = await findLogin(ctx.storage.reader, await loginIdOf(ctx, accessToken));
  if (!login) throw new Error("there is no login");
  const id = newLoginId(ctx, service.clock.now);
  await ctx.storage.write((tx) => insertLogin(tx, { ...login, id, browserSessionDigest: "elsewhere" }));
  return { host: place.host, cookie: (await cookieAt(service, place, id)).split("=")[1] };
}

async function postLink(link: string, values: Record<string, string> = {}): Promise<void> {
  const visitor = new Visitor();
  const answer = await visitor.submit(await visitor.get(link), new URL(link).pathname, values);
  if (answer.status !== 200) throw new Error(`the link was answered ${answer.status}: ${answer.text}`);
}

/** What somebody does, by the heading of its column. */
const acts: Record<string, (service: TestService, person: Person) => Promise<unknown>> = {
  async "first proof"(service, { app, id, email }) {
    await userAdministration.update(service.server.app.ctx, id, { emailVerified: false }, { dryRun: false }, by);
    const asking = await askForCode(service, app, email);
    const typed = { code: codeIn(await mailTo(server, email, 1, /Sign in to/u)) };
    const shown = await asking.visitor.submit(asking.page, "/code", typed);
    await asking.visitor.submit(shown, "/code", {});
  },
  async reset(service, { app, id, email }) {
    const { ctx } = service.server.app;
    const user = { id, appId: app.id, email };
    const link = await ctx.storage.write((tx) => resetLinks.issueFor(ctx, tx, user, service.clock.now));
    await postLink(link, { password: otherPassword });
  },
  async password(service, { app, visitor }) {
    const started = await press(app, visitor, await openAccount(service, app, visitor), "/account/add", {
      adds: "password",
    });
    const form = await visitor.get(started.location.href);
    await visitor.submit(form, "/add/password", { password: otherPassword });
  },
  method: async (service, { app, id }) =>
    await methods.remove(service.server.app.ctx, id, await giveIdentity(service, app, id, "github"), by),
  async app(service, person) {
    service.clock.advance(30_000);
    expect((await setUpAt(service, person.app, person)).codes).toHaveLength(10);
  },
  "no app": (service, { id }) => factors.remove(service.server.app.ctx, id, by),
  out: (service, { id }) => ownLogins.endAll(service.server.app.ctx, id, by),
  revoke: (service, { id }) => userAdministration.revokeLogins(service.server.app.ctx, id, { dryRun: false }, by),
  async disable(service, { id }) {
    await userAdministration.disable(service.server.app.ctx, id, { dryRun: false }, by);
    await userAdministration.enable(service.server.app.ctx, id, { dryRun: false }, by);
  },
  address: (service, { id }) =>
    userAdministration.update(service.server.app.ctx, id, { email: newEmail() }, { dryRun: false }, by),
  delete: (service, { id }) => profiles.remove(service.server.app.ctx, id, by),
};

/** Whether each thing is still good, by the heading of its row. */
const things: Record<string, (service: TestService, person: Person) => Promise<boolean>> = {
  async password(service, { app, id }) {
    const user = await users.find(service.server.app.ctx.storage.reader, id);
    return (await firstProof(service, app, user?.email ?? newEmail())).done.status === 303;
  },
  passkeys: (service, person) => hasMethod(service, person, person.passkey),
  "provider accounts": (service, person) => hasMethod(service, person, person.identity),
  "company accounts": async (service, { id }) =>
    (await listIdentitiesOf(service.server.app.ctx.storage.reader, id)).length > 0,
  async "authenticator app"(service, { id, key }) {
    const { ctx } = service.server.app;
    const secret = (await findSecondFactor(ctx.storage.reader, id))?.encryptedSecret ?? null;
    return secret !== null && factors.openSecret(ctx, id, secret) === key.replaceAll(" ", "");
  },
  async "recovery codes"(service, { id, codes }) {
    const { db, tables } = service.server.app.ctx.storage.reader;
    const rows = await db.select().from(tables.recoveryCodes).where(eq(tables.recoveryCodes.userId, id));
    return rows.some(({ digest }) => digest === recoveryCodeDigest(codes[0] ?? ""));
  },
  "trusted browsers": async (service, { id }) => (await trustedBrowsers.list(service.server.app.ctx, id)).length > 0,
  async "known browsers"(service, { id }) {
    const { db, tables } = service.server.app.ctx.storage.reader;
    return (await db.$count(tables.knownBrowsers, eq(tables.knownBrowsers.userId, id))) > 1;
  },
  consents: async (service, { id }) => (await consents.list(service.server.app.ctx, id)).length > 0,
  logins: async (service, { app, tokens }) => await isLive(service, app, tokens),
  "logins at hosts": async (service, { host: { host, cookie } }) =>
    (await proxyLogins.at(service.server.app.ctx, host, cookie, service.clock.now))?.login !== undefined,
  "personal tokens": async (service, { app, personalToken }) =>
    (await validate(service, app, personalToken)).status === 200,
  "account pages": async (service, { app, other }) => (await openAccount(service, app, other)).status === 200,
  "half-done sign-ins": async (_service, { halfDone: { visitor, session } }) =>
    (await visitor.get(session.authUrl)).text.includes("/step/"),
  async "codes for apps"(service, { app, onTheWay }) {
    return (await call(service, "POST", "/auth/callback", app.headers, onTheWay)).status === 200;
  },
  devices: async (service, { device, asks }) => (await poll(service, { client: device }, asks)).status === 200,
  "change of address": async (service, { app, other, change }) => {
    const page = await openAccount(service, app, other, "/email/code");
    if (page.status !== 200) return false;
    const typed = await press(app, other, page, "/email/code", { code: codeIn(change.mail) });
    return typed.location.searchParams.get("notice") === "email";
  },
  "reset link": async (_service, { reset }) => (await new Visitor().get(reset)).status === 200,
  "recovery link": async (_service, { recovery }) => (await new Visitor().get(recovery)).status === 200,
  "undo link": async (_service, { undo }) => (await new Visitor().get(undo)).status === 200,
};

async function hasMethod(service: TestService, { id }: Pick<Person, "id">, methodId: string): Promise<boolean> {
  return (await methods.list(service.server.app.ctx.storage.reader, id)).some((method) => method.id === methodId);
}

async function stateOf(service: TestService, person: Person): Promise<Record<string, boolean>> {
  const state: Record<string, boolean> = {};
  // The change of address last: it ends the mailed links.
  const inOrder = Object.keys(things).toSorted((a) => (a === "change of address" ? 1 : -1));
  for (const thing of inOrder) state[thing] = (await things[thing]?.(service, person)) ?? false;
  return state;
}

/** The cells of the table: by act, then by thing. */
function tableOf(page: string): Map<string, Record<string, string>> {
  const [, text = ""] = textOf(page).split("## What ends with what\n");
  const [head = [], , ...rows] = text
    .slice(0, text.indexOf("\n## "))
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) =>
      line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim()),
    );
  const cellsOf = (column: number) => Object.fromEntries(rows.map((row) => [row[0] ?? "", row[column] ?? ""]));
  return new Map(head.slice(1).map((act, index) => [act, cellsOf(index + 1)]));
}

const table = tableOf("docs/security.md");
const endsIn = (cells: Record<string, string>, words: string[]) =>
  Object.fromEntries(Object.entries(cells).map(([thing, cell]) => [thing, !words.includes(cell)]));

it("the table of docs/security.md names every act and thing of this file, and no others", () => {
  expect([...table.keys()].toSorted()).toEqual([...Object.keys(acts), "undo"].toSorted());
  for (const cells of table.values()) expect(Object.keys(cells).toSorted()).toEqual(Object.keys(things).toSorted());
});

describeSqliteFirst("what ends", { mail: server.mail }, (service) => {
  it("with nothing: everything is good", async () => {
    const state = await stateOf(service, await withEverything(service));
    expect(Object.entries(state).filter(([, isGood]) => !isGood)).toEqual([]);
  });

  it.each(Object.keys(acts))("O3, M8, M10, S10, T11: with %s", async (act) => {
    const person = await withEverything(service);
    await acts[act]?.(service, person);
    expect(await stateOf(service, person)).toEqual(endsIn(table.get(act) ?? {}, ["ends"]));
  });

  it.each(["since", "before"] as const)("O3, M8: with undo: what was added %s the change", async (when) => {
    const person = await withEverything(service, when);
    const shown = (await new Visitor().get(person.undo)).text;
    for (const named of [
      "<li>the link to sso.example.org<",
      "<li>Authenticator app<",
      "<li>Recovery codes<",
      "<li>programs with access: 2<",
    ])
      expect([named, shown.includes(named)]).toEqual([named, when === "since"]);
    await postLink(person.undo);
    const ends = when === "since" ? ["ends", "since"] : ["ends"];
    expect(await stateOf(service, person)).toEqual(endsIn(table.get("undo") ?? {}, ends));
  });
});
