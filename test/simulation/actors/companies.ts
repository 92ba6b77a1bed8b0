/**
 * People who sign in by their company's own provider, honest or hostile. Nothing else proves them,
 * so what they get opens their organization and nothing else (O14), until the proof ends.
 */
import { eq } from "drizzle-orm";
import * as relinks from "../../../src/companies/relinks.ts";
import * as domains from "../../../src/organizations/domains/service.ts";
import type { Organization } from "../../../src/organizations/organization.ts";
import { findOrganization } from "../../../src/organizations/store.ts";
import type { Context } from "../../../src/runtime/context.ts";
import { HostVisitor, program } from "../../support/host-visitor.ts";
import { call, refresh, Visitor } from "../../support/person.ts";
import { simulatedRequest } from "../browser.ts";
import type { Claims } from "../company.ts";
import { claimsOf } from "../oracles/tokens.ts";
import { silently } from "../single-sign-on.ts";
import { crowds, demandsFactors, fails, linksByMailbox, saysNothing } from "./company-tries.ts";
import {
  agree,
  arrive,
  codeAt,
  come,
  follow,
  honest,
  invite,
  newSubjects,
  programOf,
  subjectOf,
  tokensOf,
  type Came,
  type Confined,
  type Firm,
} from "./company-visits.ts";
import { has, lives, type Resident } from "../resident.ts";
import { time } from "../time.ts";
import { Lost, type Part, type World } from "../world.ts";

const by = { actor: { kind: "cli", name: "companies" } } as const;
const second = 1000;
/** A running service notices within a second, and reads slowly at times. */
const noticed = 70 * second;

export async function companies(world: World, part: Part): Promise<void> {
  await lives(world, part, { app: world.companies.app, name: "worker", network: 140 }, live);
}

async function live(me: Resident, { isOver, pause }: Pick<Part, "isOver" | "pause">): Promise<void> {
  const { chances } = me;
  const [own, other] = [await found(me, "own"), await found(me, "other")];
  await time.pause(2 * second);
  me.email = `${me.name}@${own.domain}`;
  const login = chances.chance(0.5) ? await linked(me, own) : await invited(me, own);
  if (chances.chance(0.5)) await join(me, other);
  let how = "";
  for (let rounds = 0; rounds < 2 && !isOver(); rounds += 1) {
    await pause(120 * second);
    if (rounds === 0 && login !== undefined && chances.chance(0.4)) await relinked(me, own);
    else for (let turns = 0; turns < 2; turns += 1) await lies(me, own, other);
    const tries = [saysNothing, ...(me.key === "" ? [crowds, demandsFactors] : []), ...(rounds === 0 ? [fails] : [])];
    await chances.pick(tries)(me, own);
    const confined = await signedIn(me, own);
    await opensNothingElse(me, own, other, confined);
    if (rounds === 1) how = await ends(me, own, confined);
  }
  // O4: an own proof is none of the company's business. It named the organization that they left.
  if (login === undefined || how === "left") return;
  const { status } = await refresh(me.world.service, me.app, login);
  me.must("O4", status === 200, `an own login was refused: ${status}`);
}

/** An organization with a proved domain and a provider. */
async function found(me: Resident, word: string): Promise<Firm> {
  const { world, chances } = me;
  const slug = `${word}-${me.name}`;
  const owner = `${word}.${me.name}@example.org`;
  const made = await me.server("POST", "/users", { email: owner, emailVerified: true });
  const { status, body } = await me.server("POST", "/organizations", { name: slug, slug, owner: made.body["id"] });
  me.must("O10", status === 201, `no organization: ${status}`);
  const id = String(body["id"]);
  const domain = `${slug}.example`;
  await world.operate(async (ctx) => {
    const row = await findOrganization(ctx.storage.reader, id);
    if (row) await domains.add(ctx, row, { domain, isProved: true }, by);
  });
  const company = world.issuers.open(`https://login.${domain}`, chances.fork(slug));
  const sessionSeconds = chances.pick([300, 600, 3600]);
  const [isFixed, trusts] = [chances.chance(0.5), chances.chance(0.5)];
  const firm = { id, owner, domain, company, sessionSeconds, isFixed, trusts };
  const wrong = chances.pick<Claims>([
    { issuer: "https://login.others.example" },
    { token_endpoint: "https://10.0.0.1/token" },
    { jwks_uri: "https://[::1]/keys" },
    { userinfo_endpoint: "http://login.others.example/" },
  ]);
  // O14: its document leads the service nowhere else.
  if (chances.chance(0.3)) {
    company.discovery = wrong;
    const refused = await setProvider(me, firm);
    me.must("O14", refused === 400, `a provider was set that says ${JSON.stringify(wrong)}: ${refused}`);
    company.reform();
  }
  const set = await setProvider(me, firm);
  me.must("O10", set === 200, `no provider: ${set}`);
  return firm;
}

async function setProvider(me: Resident, firm: Firm): Promise<number> {
  const { id, company, sessionSeconds, isFixed: fixedAddresses, trusts } = firm;
  const { issuer, clientId, secret: clientSecret } = company;
  const trustsSecondFactor = trusts ? "amr=mfa" : null;
  const wanted = { issuer, clientId, clientSecret, sessionSeconds, fixedAddresses, trustsSecondFactor };
  return (await me.server("PUT", `/organizations/${id}/provider`, wanted)).status;
}

async function join(me: Resident, { id }: Firm): Promise<void> {
  const { status } = await me.server("PUT", `/organizations/${id}/members/${me.userId}`, { roles: ["member"] });
  me.must("O10", status === 200, `is no member: ${status}`);
  me.leaves("entry organization.member.add", "event organization.member.added");
}

async function accountOf(me: Resident, email: string): Promise<string | undefined> {
  const { body, status } = await me.server("GET", `/users?email=${encodeURIComponent(email)}`);
  me.must("O10", status === 200, `no answer about ${email}: ${status}`);
  return (body["users"] as { id: string }[])[0]?.id;
}

/** Somebody without an account, who has no method of their own afterwards. */
async function invited(me: Resident, own: Firm): Promise<undefined> {
  await invite(me, own, me.email);
  me.password = "";
  const done = await come(me, own.company, { typed: me.email, person: honest(me) });
  await tokensOf(me, own, done);
  me.userId = (await accountOf(me, me.email)) ?? "";
  me.must("O4", me.userId !== "", "has no account after coming by the company");
  me.leaves("entry user.create", "event user.created");
  me.leaves("entry organization.member.add", "event organization.member.added", "entry organization.identity.link");
  me.world.reached("a newcomer by a company's provider");
}

/** Somebody with a password, which is proved once. Returns the refresh token of a login by it. */
async function linked(me: Resident, own: Firm): Promise<string> {
  const { email, password } = me;
  const { status, body } = await me.server("POST", "/users", { email, emailVerified: true, password });
  me.must("O10", status === 201, `was not created: ${status}`);
  me.userId = String(body["id"]);
  me.leaves("entry user.create", "event user.created");
  await join(me, own);
  const login = await byPassword(me);
  await (me.chances.chance(0.5) ? linksByMailbox : links)(me, own);
  me.world.reached("an account linked to a company's provider");
  return login;
}

/** By an own proof. */
async function links(me: Resident, own: Firm): Promise<void> {
  const { email, password } = me;
  // O8: a company's word alone makes nobody somebody with an account.
  const came = await arrive(me, own.company, { typed: email, person: honest(me) });
  await takesNothing(me, came, "an account that was not proved");
  const form = await came.visitor.get(`${came.session.authUrl}?own=1`);
  const proven = await follow(me, came.visitor, await came.visitor.submit(form, "/password", { email, password }));
  const choice = "/step/organization";
  const chosen = has(proven, choice) ? await came.visitor.submit(proven, choice, { organization: own.id }) : proven;
  const page = await agree(me, { ...came, page: await follow(me, came.visitor, chosen) });
  me.must(
    "O10",
    codeAt(page) !== undefined,
    `not linked: ${page.status} at ${page.url} ${/<h1>.*<.h1>/u.exec(page.text)?.[0]}`,
  );
  me.leaves("entry organization.identity.link");
}

/** O14: another subject replaces the one before, once; for admins, if somebody agrees. */
async function relinked(me: Resident, own: Firm): Promise<void> {
  const { world, chances, userId } = me;
  const isAdmin = chances.chance(0.4);
  const asOperator = async (work: (ctx: Context, row: Organization) => Promise<unknown>): Promise<void> =>
    await world.operate(async (ctx) => {
      const row = await findOrganization(ctx.storage.reader, own.id);
      if (row) await work(ctx, row);
    });
  await asOperator((ctx, row) => relinks.openRelink(ctx, row, { userIds: [userId] }, by));
  me.leaves("entry organization.provider.relink");
  const [before, path] = [subjectOf(me), `/organizations/${own.id}/members/${userId}`];
  if (isAdmin) {
    const { status } = await me.server("PATCH", path, { roles: ["admin"] });
    me.must("O10", status === 200, `is no admin: ${status}`);
    me.leaves("entry organization.member.update", "event organization.member.updated");
    await refusesNew(me, own, "an admin to whom nobody agreed");
    await asOperator((ctx, row) => relinks.agreeToRelink(ctx, row, { userId }, by));
    me.leaves("entry organization.provider.relink.agree");
  }
  newSubjects.set(me, me.next("another subject"));
  await links(me, own);
  world.reached(isAdmin ? "a relink to which somebody agreed was used" : "a relink that was used");
  const after = subjectOf(me);
  newSubjects.set(me, before);
  await takesNothing(me, await arrive(me, own.company, { typed: me.email, person: honest(me) }), "a former subject");
  newSubjects.set(me, after);
  await refusesNew(me, own, "a relink that was used");
}

/** Not even with an own proof. */
async function refusesNew(me: Resident, own: Firm, what: string): Promise<void> {
  const { email, password } = me;
  const person = { ...honest(me), sub: me.next("no subject") };
  const came = await arrive(me, own.company, { typed: email, person });
  await takesNothing(me, came, what);
  const form = await came.visitor.get(`${came.session.authUrl}?own=1`);
  if (!has(form, "/password")) return;
  const proven = await follow(me, came.visitor, await came.visitor.submit(form, "/password", { email, password }));
  const pressed = await agree(me, { ...came, page: proven });
  const subjects = await accountIn(me);
  me.must("O14", !subjects.includes(person.sub), `another subject is linked by ${what}: ${pressed.status}`);
}

async function byPassword(me: Resident): Promise<string> {
  const { email, password } = me;
  const visitor = new Visitor();
  const { session } = await me.begin(visitor);
  const form = await visitor.get(`${session.authUrl}?own=1`);
  const last = await me.walk(await visitor.submit(form, "/password", { email, password }), visitor);
  const { status, body } = await me.redeem({ session, code: codeAt(last) });
  if (status !== 200) throw new Lost("too late for the code");
  return String(body["refreshToken"]);
}

async function signedIn(me: Resident, own: Firm): Promise<Confined> {
  const { company } = own;
  const says = me.chances.chance(0.5);
  if (says) company.claims = { amr: ["mfa", "pwd", "otp"], acr: "2" };
  const done = await come(me, company, { typed: me.email, person: honest(me) });
  company.reform();
  return await tokensOf(me, own, done, says && own.trusts);
}

/** O14: whatever the browser sends then, nobody is signed in by it. */
async function takesNothing(me: Resident, { session, visitor, page }: Came, what: string): Promise<void> {
  me.must("O14", codeAt(page) === undefined, `got a code by ${what}`);
  const [, token = ""] = /name="token" value="([^"]+)"/u.exec(page.text) ?? [];
  const pressed = await follow(me, visitor, await visitor.post(`${session.authUrl}/company/agree`, { token }));
  me.must("O14", codeAt(pressed) === undefined, `got a code by ${what}, and a press`);
  const account = await visitor.get(me.url());
  me.must("O14", account.status !== 200, `has an account page by ${what}`);
}

/** A provider that lies: about who comes, and in what it signs. */
async function lies(me: Resident, own: Firm, other: Firm): Promise<void> {
  const { company } = own;
  // One lie's invitation would make the next one true.
  const newEmail = `${me.next("new").replaceAll(" ", "-")}@${own.domain}`;
  const iat = Math.floor(time.now() / second);
  const asOther = { ...honest(me), sub: "somebody else" };
  const stranger = { sub: "stranger", email: newEmail, email_verified: true };
  const all: Record<string, () => Promise<Came>> = {
    "another address": async () =>
      await arrive(me, company, { typed: me.email, person: { ...asOther, email: own.owner } }),
    "another subject": async () => await arrive(me, company, { typed: me.email, person: asOther }),
    "nobody who was invited": async () => await arrive(me, company, { typed: newEmail, person: stranger }),
    "an address that is not verified": async () => {
      await invite(me, own, newEmail);
      return await arrive(me, company, { typed: newEmail, person: { ...stranger, email_verified: false } });
    },
    "the subject of another organization": async () =>
      await arrive(me, other.company, { typed: `x@${other.domain}`, person: honest(me) }),
    "another browser": async () =>
      await arrive(me, company, { typed: me.email, person: honest(me), returns: new Visitor() }),
    "an ID token of another issuer": async () => await lying(() => (company.claims = { iss: other.company.issuer })),
    "an ID token for another client": async () => await lying(() => (company.claims = { aud: "another" })),
    "an ID token of another sign-in": async () => await lying(() => (company.claims = { nonce: "another" })),
    "an ID token that is over": async () =>
      await lying(() => (company.claims = { iat: iat - 90_000, exp: iat - 86_400 })),
    "a key that is not named": async () =>
      await lying(() => (company.forges = (claims) => company.signedByAnother(claims))),
    "no key": async () =>
      await lying(() => (company.forges = (claims) => company.signed(claims, { alg: "none" }).replace(/[^.]+$/u, ""))),
  };
  async function lying(lie: () => unknown): Promise<Came> {
    lie();
    return await arrive(me, company, { typed: me.email, person: honest(me) }).finally(() => company.reform());
  }
  const before = await accountIn(me);
  const what = me.chances.pick(Object.keys(all));
  const came = await all[what]?.();
  if (came) await takesNothing(me, came, what);
  me.must("O14", (await accountOf(me, newEmail)) === undefined, "a lie made an account");
  me.must("O14", (await accountIn(me)) === before, "a lie changed the account");
  me.world.reached("a company's provider that lies");
}

/** What the person has of their own, as stored. */
async function accountIn(me: Resident): Promise<string> {
  const { userId } = me;
  return await me.world.operate(async ({ storage: { reader } }) => {
    const { db, tables } = reader;
    const { users, passkeys, passwords, secondFactors, recoveryCodes, trustedBrowsers } = tables;
    const { personalTokens, oauthIdentities, organizationIdentities: identities } = tables;
    const [user] = await db.select().from(users).where(eq(users.id, userId));
    const rows = [];
    for (const table of [passkeys, passwords, secondFactors, recoveryCodes, trustedBrowsers, oauthIdentities])
      rows.push((await db.select().from(table).where(eq(table.userId, userId))).length);
    rows.push((await db.select().from(personalTokens).where(eq(personalTokens.userId, userId))).length);
    const subjects = (await db.select().from(identities).where(eq(identities.userId, userId))).map(
      (row) => row.subject,
    );
    return JSON.stringify([user?.email, user?.emailVerified, user?.name, user?.disabledAt, rows, subjects]);
  });
}

/** O14: tries a few of all that is not the organization's. */
async function opensNothingElse(me: Resident, own: Firm, other: Firm, confined: Confined): Promise<void> {
  const { world, app, chances } = me;
  const { accessToken, browser } = confined;
  const before = await accountIn(me);
  const authorization = `Bearer ${accessToken}`;
  const headers = { authorization, "x-service-app-id": app.id };
  const ask = async (method: string, path: string, body?: unknown) =>
    await call(world.service, method, path, headers, body);
  const refused = async (method: string, path: string, body?: unknown): Promise<void> => {
    const { status, body: answer } = await ask(method, path, body);
    const isRefused = [401, 403].includes(status) || answer["valid"] === false;
    me.must("O14", isRefused, `a confined token opened ${method} ${path.replace(/\?.*$/u, "")}: ${status}`);
  };
  const tries: (() => Promise<void>)[] = [
    () => refused("GET", "/users/profile"),
    () => refused("PATCH", "/users/profile", { name: "Somebody else" }),
    () => refused("DELETE", "/users/profile"),
    () => refused("GET", "/users/auth-methods"),
    () => refused("POST", "/users/auth-methods", { method: "password" }),
    () => refused("GET", "/users/organizations"),
    () => refused("DELETE", `/users/organizations/${other.id}`),
    () => refused("GET", `/api/user?app_id=${app.id}`),
    () => refused("GET", `/auth/verify-token?app_id=${app.id}`),
    () => refused("GET", `/applications/${app.id}/users`),
    () => refused("POST", "/auth/logout", { allSessions: true }),
    () => refreshesNothingElse(me, own, other, confined),
    () => continuesNothingElse(me, own, other, confined),
    () => continuesNothingElse(me, own, other, confined),
    async () => {
      const visitor = browser.copy();
      const path = chances.pick(["", "/new-token", "/organizations"]);
      const page = await visitor.get(me.url(path));
      me.must("O14", page.status !== 200, `a confined browser has the account page ${path}`);
    },
    async () => {
      const visitor = new HostVisitor(world.service, chances.pick(["nginx", "proxy"]), simulatedRequest);
      for (const [name, value] of browser.cookies) visitor.own.cookies.set(name, value);
      const place = `https://${world.companies.host}/`;
      const page = await follow(me, visitor.own, await visitor.go(place));
      if (page.status === 303) await visitor.go(page.location.href);
      me.must("O14", (await visitor.open(place)).text !== program, "a confined browser entered a host");
      const bearer = { authorization, accept: "*/*" };
      const answer = await visitor.open(place, { headers: bearer });
      me.must("O14", answer.text !== program, "a confined token entered a host");
    },
  ];
  for (let turns = 0; turns < 6; turns += 1) await chances.pick(tries)();
  me.must("O14", (await accountIn(me)) === before, "a confined login changed the account");
  const { status, body } = await ask("GET", "/auth/validate");
  const { org_id: id, org_confined: isConfined } = (body["claims"] ?? {}) as Record<string, unknown>;
  const isLive = time.now() < confined.provenAt + own.sessionSeconds * second - noticed;
  me.must("O4", status === 200 || !isLive, `a confined token was refused: ${status}`);
  const isSaid = status !== 200 || (id === own.id && isConfined === true);
  me.must("O14", isSaid, `validate says ${JSON.stringify(body["claims"])}`);
  world.reached("a confined login tried at everything else");
}

async function refreshesNothingElse(me: Resident, own: Firm, other: Firm, confined: Confined): Promise<void> {
  for (const organization of [other.id, null, "none"]) {
    const asked = { refreshToken: confined.refreshToken, organization };
    const { status, body } = await call(me.world.service, "POST", "/auth/refresh", me.app.headers, asked);
    const claims = status === 200 ? claimsOf(String(body["accessToken"])) : {};
    const isOwn = status !== 200 || (claims["org_id"] === own.id && claims["org_confined"] === true);
    me.must("O14", isOwn, `a confined login got ${String(claims["org_id"])} for ${String(organization)}`);
    if (status === 200) confined.refreshToken = String(body["refreshToken"]);
  }
}

/** Single sign-on: to programs that take who is confined, for this organization. */
async function continuesNothingElse(me: Resident, own: Firm, other: Firm, { browser }: Confined): Promise<void> {
  const { world, chances } = me;
  const { takes, refuses } = world.companies;
  const visitor = browser.copy();
  const organization = chances.pick([other.id, "none", own.id, null]);
  const id = chances.pick([takes, refuses]);
  const silent = await silently(world, visitor, { id, redirectUris: [me.app.redirectUri] }, { organization });
  const may = id === takes && (organization === own.id || organization === null);
  me.must("O14", may || codeAt(silent) === undefined, `a confined browser got a code of ${id} for ${organization}`);
  if (may && codeAt(silent) !== undefined) world.reached("single sign-on of who is confined");
  if (organization === null) return;
  const { session, page } = await me.begin(visitor, { organization });
  const last = await follow(me, visitor, page);
  const code = codeAt(last);
  if (code === undefined) return;
  me.must("O14", organization === own.id, `a confined browser got a code for ${organization}`);
  const { status, body } = await me.redeem({ session, code });
  const claims = status === 200 ? claimsOf(String(body["accessToken"])) : undefined;
  me.must("O14", claims?.["org_confined"] !== undefined || !claims, "a confined browser got an own login");
}

const minute = 60 * second;

/** O14: the proof ends by its time, with the provider, with another issuer, with the membership. */
async function ends(me: Resident, own: Firm, confined: Confined): Promise<string> {
  const { chances } = me;
  const path = `/organizations/${own.id}`;
  const how = chances.pick(["time", "time", "removed", "replaced", "left"] as const);
  if (how === "time") {
    await time.pause(chances.chance(0.5) ? minute : 1);
    // Until then it is renewed, and not beyond.
    const { status, body } = await refresh(me.world.service, me.app, confined.refreshToken);
    if (status === 200)
      Object.assign(confined, { refreshToken: body["refreshToken"], accessToken: body["accessToken"] });
    // A press may be later than the visit began, by what a network takes.
    await time.pause(own.sessionSeconds * second + minute);
  } else if (how === "removed") {
    const { status } = await me.server("DELETE", `${path}/provider`);
    me.must("O10", status < 300, `not removed: ${status}`);
  } else if (how === "replaced") {
    const company = me.world.issuers.open(`https://second.${own.domain}`, chances.fork("second"));
    const set = await setProvider(me, { ...own, company });
    me.must("O10", set === 200, `no other provider: ${set}`);
    await time.pause(noticed);
    const came = await arrive(me, company, { typed: me.email, person: honest(me) });
    await takesNothing(me, came, "the subject of another issuer");
  } else {
    const { status } = await me.server("DELETE", `${path}/members/${me.userId}`);
    me.must("O10", status === 200, `not removed: ${status}`);
    me.leaves("entry organization.member.remove", "event organization.member.removed");
  }
  await time.pause(noticed);
  me.must("O14", !(await me.isValid(confined.accessToken)), `a confined token outlived its proof (${how})`);
  const { status } = await refresh(me.world.service, me.app, confined.refreshToken);
  me.must("O14", status !== 200, `a confined login was refreshed after its proof (${how})`);
  const visitor = confined.browser.copy();
  const silent = await silently(me.world, visitor, programOf(me), { organization: own.id });
  me.must("O14", codeAt(silent) === undefined, `a confined browser continued after its proof (${how})`);
  const { page } = await me.begin(visitor, { organization: own.id });
  const last = await follow(me, visitor, page);
  me.must("O14", codeAt(last) === undefined, `a confined browser got a code after its proof (${how})`);
  me.world.reached(`a company's proof that ended: ${how}`);
  return how;
}
