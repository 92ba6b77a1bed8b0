/**
 * People of the house, each with something of every kind: what ends with what (docs/security.md),
 * at the account page, at protected hosts and with personal tokens; and whose address it is.
 */
import * as recoveryLinks from "../../../src/credentials/mailed/recovery-links.ts";
import * as resetLinks from "../../../src/credentials/mailed/reset-links.ts";
import { insertIdentity } from "../../../src/credentials/identities/identity-store.ts";
import * as people from "../../../src/people/administration.ts";
import * as personalTokens from "../../../src/credentials/personal/service.ts";
import * as logins from "../../../src/sessions/login-administration.ts";
import * as groups from "../../../src/users/groups/service.ts";
import { codeAt, codesIn, keyIn, wrongCodeAt } from "../../support/factors.ts";
import { HostVisitor, program } from "../../support/host-visitor.ts";
import { refresh, Visitor, type Page } from "../../support/person.ts";
import { askForToken, tokenIn } from "../../support/personal-tokens.ts";
import { simulatedRequest } from "../browser.ts";
import { tryDry } from "../dry-runs.ts";
import { cellOf } from "../ends.ts";
import { checkNothingIsLeft } from "../oracles/deleted.ts";
import { claimsOf } from "../oracles/tokens.ts";
import { issuer, postAs } from "../programs.ts";
import { written } from "../mall-owner.ts";
import { has, lives, otherCode, totpStep, type Held, type Resident } from "../resident.ts";
import { time } from "../time.ts";
import { Lost, type Part, type World } from "../world.ts";
import { accountEpisodes, listsToken, offered, secondFactor, toStep } from "./resident-account.ts";
import { enterHost, hostEpisodes, opensBy, script } from "./resident-hosts.ts";

const minute = 60_000;
const by = { actor: { kind: "cli", name: "house" } } as const;
const really = { dryRun: false };

export async function residents(world: World, part: Part): Promise<void> {
  await lives(world, part, { app: world.house.app, name: "resident", network: 110, beside: 3 }, live);
}

async function live(me: Resident, { isOver, pause }: Pick<Part, "isOver" | "pause">): Promise<void> {
  await moveIn(me);
  if (me.chances.chance(0.4)) await chain(me);
  for (let rounds = 0; rounds < 3 && !isOver(); rounds += 1) {
    await pause(120_000);
    const gathers = Object.values(gather);
    for (let count = 0; count < 3; count += 1) {
      const one = await me.chances.pick(gathers)(me);
      if (one) me.held.push(one);
    }
    const [name, act] = me.chances.pick(Object.entries(acts));
    if (me.chances.chance(0.5)) await me.chances.pick(episodes)(me);
    const stays = await happens(me, name, act);
    if (!me.isGone && me.chances.chance(0.6)) await me.tryVoided();
    if (!stays) return;
  }
}

/** By the server, or by themselves. */
async function moveIn(me: Resident): Promise<void> {
  const { email, password } = me;
  if (me.chances.chance(0.7)) {
    me.isVerified = me.chances.chance(0.9);
    const { status, body } = await me.server("POST", "/users", { email, emailVerified: me.isVerified, password });
    me.must("O10", status === 201, `was not created: ${status}`);
    me.userId = String(body["id"]);
    me.leaves("entry user.create", "event user.created");
  } else {
    const visitor = new Visitor();
    const since = time.now();
    const { session, page } = await me.begin(visitor);
    const form = await visitor.get(`${session.authUrl}/create-account`);
    me.must("O10", page.status === 200 && form.status === 200, `no form to sign up: ${form.status}`);
    const asked = await visitor.submit(form, "/create-account", { email, name: "", password });
    const waits = await visitor.get(asked.location.href);
    const { code } = await me.mailed("confirm", since);
    // O7: an address has five tries.
    const isGuessing = me.chances.chance(0.15);
    const done = isGuessing
      ? await guessed(me, waits, "/confirm", code, visitor)
      : await visitor.submit(waits, "/confirm", { code });
    if (isGuessing) {
      me.must("O7", done.status !== 303, "a code to sign up was tried six times");
      throw new Lost("nothing came of it");
    }
    const redeemed = await me.redeem({ session, code: done.location.searchParams.get("code") ?? undefined });
    if (redeemed.status !== 200) throw new Lost("no sign-up");
    me.userId = String((redeemed.body["user"] as { id: unknown }).id);
    me.leaves("entry user.create", "event user.created");
  }
  me.claims = { roles: [] };
  await facts(me);
  if (me.chances.chance(0.5)) await setUpApp(me);
}

/** Types five wrong codes and then the right one. */
async function guessed(me: Resident, page: Page, form: string, code: string, visitor: Visitor): Promise<Page> {
  for (let tries = 1; tries <= 5; tries += 1) {
    const wrong = await visitor.submit(page, form, { code: otherCode(code, tries) });
    me.must("O8", wrong.status !== 303, `a wrong code was taken at ${form}`);
  }
  me.world.reached("a mailed code after five wrong ones");
  return await visitor.submit(page, form, { code });
}

/** O4: the account has the address that it should have. O8: nobody signs in by an earlier one. */
async function facts(me: Resident): Promise<void> {
  const { status, body } = await me.server("GET", `/users/${me.userId}`);
  me.must("O4", status === 200, `is not there: ${status}`);
  const is = `${String(body["email"])} ${body["emailVerified"] === true ? "verified" : "unverified"}`;
  const should = `${me.email} ${me.isVerified ? "verified" : "unverified"}`;
  me.must("O4", is === should, `the address is ${is}, acknowledged: ${should}`);
  if (!me.isUnsure) await secondFactor(me);
  if (me.former.length === 0) return;
  const former = me.chances.pick([...me.former.slice(-1), ...me.former]);
  const visitor = new Visitor();
  const { page } = await me.begin(visitor);
  const refused = await me.elsewhere(async () => await visitor.submit(page, "/password", former));
  me.must("O8", refused.status !== 303, `signed in as ${former.email} with ${former.password}`);
}

/** Whether the person stays: an act, and what it ends and what it does not. */
async function happens(me: Resident, name: string, act: Act): Promise<boolean> {
  const { world } = me;
  world.note(`${me.name}: ${name}, with ${me.held.map(({ kind }) => kind).join(", ")}`);
  // What is used while it ends is looked up before and remembered after, if anything is.
  const used = me.chances.chance(0.4) ? me.held.find(({ kind }) => !usedUp.has(kind)) : undefined;
  const [done] = await Promise.all([act(me), used && used.lives()]);
  if (done === "not possible") return true;
  const { ticked = false, stays = true } = done;
  for (const held of me.held) {
    const cell = cellOf(name, held.kind);
    if (cell === "ends" || (cell === "asked" && ticked) || (name === "undo" && cell === "since")) me.end(held);
  }
  for (const held of me.held) await check(me, held, name);
  me.held = me.held.filter(({ kind, isOver }) => !usedUp.has(kind) && !(isOver && kind === "account pages"));
  world.reached(`${name} with something of what it ends`);
  if (stays) await facts(me);
  return stays;
}

/** It may have happened: nothing of what it ends is looked at again. */
function endAs(me: Resident, act: string): void {
  me.held = me.held.filter(({ kind }) => cellOf(act, kind) === "");
}

async function check(me: Resident, held: Held, act: string): Promise<void> {
  const from = time.now();
  const isAlive = await held.lives();
  if (held.isOver) me.must("O1", !isAlive, `${held.kind} went on after ${act}`);
  else if (time.now() < held.until) me.must("O4", isAlive, `${held.kind} ended with ${act}, at ${from}`);
}

type Done = { ticked?: boolean; stays?: boolean } | "not possible";
type Act = (me: Resident) => Promise<Done>;

/** What a look at it uses up, or makes anew. */
const usedUp = new Set(["codes for apps", "change of address"]);

const gather: Record<string, (me: Resident) => Promise<Held | undefined>> = {
  async login(me) {
    const from = time.now();
    const tokens = await me.login();
    const { service } = me.world;
    let { refreshToken } = tokens;
    // Its refresh token is as good as the login, and tried once.
    const refreshes = me.chances.chance(0.5);
    const alive = async (): Promise<boolean> => {
      if (await me.isValid(tokens.accessToken)) return true;
      if (!refreshes) return false;
      const { status, body } = await refresh(service, me.app, refreshToken);
      if (status === 200) refreshToken = String(body["refreshToken"]);
      return status === 200;
    };
    return held("logins", from + 14 * minute, alive);
  },
  async host(me) {
    const from = time.now();
    const [host = "", sibling = "", other = ""] = me.world.house.hosts;
    const browser = new HostVisitor(me.world.service, me.chances.pick(["nginx", "proxy"]), simulatedRequest);
    await enterHost(me, browser, host);
    const value = browser.jar(host).get("__Host-authsvc-proxy") ?? "";
    // O8: the cookie of one host opens no other.
    const thief = new HostVisitor(me.world.service, "nginx", simulatedRequest);
    for (const place of [sibling, other]) {
      thief.jar(place).set("__Host-authsvc-proxy", value);
      const answer = await thief.open(`https://${place}/`, { headers: script });
      me.must("O8", answer.text !== program, `a cookie of ${host} opened ${place}`);
    }
    me.world.reached("a cookie of a host at another");
    // O6: its programs are told who it is, and an address only if it was proven.
    const { headers } = await browser.open(`https://${host}/`, { headers: script });
    const told = `${headers.get("remote-user")} ${headers.get("remote-email")}`;
    const is = `${me.userId} ${me.isVerified ? me.email : null}`;
    me.must("O6", told === is, `a program was told of ${told}, and it is ${is}`);
    const opens = async (): Promise<boolean> =>
      (await browser.open(`https://${host}/`, { headers: script })).text === program;
    return held("logins at hosts", from + 60 * minute, opens);
  },
  async page(me) {
    const from = time.now();
    const browser = new Visitor();
    offered(me, await me.at("", browser));
    return held("account pages", from + 8 * 60 * minute, async () => {
      const page = await browser.get(me.url());
      return page.status === 200 && page.text.includes('name="token"');
    });
  },
  async token(me) {
    if (!me.isVerified) return undefined;
    const form = await me.at("/new-token");
    me.must("O10", form.text.includes('name="until"'), "no form for a token");
    const [host = ""] = me.world.house.hosts;
    const atHost = me.chances.chance(0.5);
    const chosen = atHost ? { [`host.${host}`]: "on" } : {};
    const token = tokenIn(await askForToken(me.world.service, me.app, me.desk, chosen));
    me.leaves("entry personal-token.create", "event personal-token.created");
    await listsToken(me, atHost ? host : undefined);
    await refusedElsewhere(me, token, atHost);
    if (!atHost) await saysWhatItIs(me, token);
    return held("personal tokens", Infinity, async () => {
      if (!atHost) return await me.isValid(token);
      return await opensBy(me, token, host);
    });
  },
  async halfDone(me) {
    if (me.key === "") return undefined;
    const from = time.now();
    const visitor = new Visitor();
    const { session, page } = await me.begin(visitor);
    const { email, password } = me;
    await visitor.submit(page, "/password", { email, password });
    return held("half-done sign-ins", from + 8 * minute, async () =>
      (await visitor.get(session.authUrl)).text.includes("/step/"),
    );
  },
  async code(me) {
    const from = time.now();
    const signedIn = await me.signIn();
    if (signedIn.code === undefined) return undefined;
    return held("codes for apps", from + 45_000, async () => (await me.redeem(signedIn)).status === 200);
  },
  async addressChange(me) {
    const browser = new Visitor();
    const since = time.now();
    const email = me.nextEmail();
    const form = await me.at("/email", browser);
    const asked = await me.press(form, "/account/email", { email }, browser);
    const page = await browser.get(asked.location.href);
    const { code } = await me.mailed("confirm", since, email);
    return held("change of address", time.now() + 30 * minute, async () => {
      const form = /\/account\/email\/code\?/u.test(page.text) ? page : undefined;
      if (!form) return false;
      const typed = await me.press(form, "/account/email/code", { code }, browser);
      const isChanged = typed.location.searchParams.get("notice") === "email";
      if (isChanged) moved(me, email, true);
      if (isChanged) me.leaves(...changedOwn);
      return isChanged;
    });
  },
  async resetLink(me) {
    me.leaves("entry user.reset-link");
    const { link } = await me.world.operate(
      async (ctx) => await resetLinks.linkFor(ctx, me.userId, { ...really, send: false }, by.actor),
    );
    return only(
      me,
      held("reset link", time.now() + 25 * minute, async () => await isOpen(link)),
    );
  },
  async recoveryLink(me) {
    if (me.key === "") return undefined;
    me.leaves("entry user.recovery-link");
    const { link } = await me.world.operate(
      async (ctx) => await recoveryLinks.linkFor(ctx, me.userId, { ...really, lasts: 20 * minute }, by.actor),
    );
    return only(
      me,
      held("recovery link", time.now() + 18 * minute, async () => await isOpen(link)),
    );
  },
};

function held(kind: string, until: number, lives: Held["lives"]): Held {
  return { kind, until, lives, isOver: false };
}

/** O3: a link ends the one before it. */
function only(me: Resident, link: Held): Held {
  for (const earlier of me.held) if (earlier.kind === link.kind) earlier.isOver = true;
  return link;
}

async function isOpen(link: string | null): Promise<boolean> {
  return link !== null && (await new Visitor().get(link)).status === 200;
}

/** O6: what the application's server is told of a token. */
async function saysWhatItIs(me: Resident, token: string): Promise<void> {
  const server = { id: me.app.id, secret: me.app.apiKey };
  const { body } = await postAs(server, "/oauth2/introspect", { token });
  const { exp, iat, jti, ...said } = body;
  const of = { iss: issuer, sub: me.userId, aud: me.app.id, client_id: me.app.id, scope: "profile" };
  const should = { ...me.claims, active: true, token_type: "Bearer", ...of, acr: "urn:authsvc:acr:1" };
  me.must("O6", written(said) === written(should), `a token says ${written(said)} and not ${written(should)}`);
  const isTimely = Number(iat) * 1000 <= time.now() && Number(exp) * 1000 > time.now() && typeof jti === "string";
  me.must("O6", isTimely, `a token is from ${String(iat)} to ${String(exp)}`);
  const at = token.length - 9;
  const other = `${token.slice(0, at)}${token[at] === "A" ? "B" : "A"}${token.slice(at + 1)}`;
  me.must("O8", !(await me.isValid(other)), "a token with another character is valid");
}

/** O8: a token opens what was chosen, for its owner; nobody else can end it. */
async function refusedElsewhere(me: Resident, token: string, atHost: boolean): Promise<void> {
  const { world } = me;
  const [host = "", sibling = ""] = world.house.hosts;
  for (const place of atHost ? [sibling] : [host, sibling])
    me.must("O8", !(await opensBy(me, token, place)), `a token opened ${place}, which was not chosen`);
  const headers = { authorization: `Bearer ${token}`, "x-service-app-id": world.app.id };
  const elsewhere = await fetch(`${world.service.url}/auth/validate`, { headers });
  me.must("O8", elsewhere.status !== 200, "a token was good at another application");
  const other = world.residents.findLast(
    (each) => each !== me && each.userId !== "" && each.app === me.app && !each.isGone,
  );
  if (!other) return;
  const [theirs] = await world.operate(async (ctx) => await personalTokens.list(ctx, other.userId, { all: false }));
  if (!theirs) return;
  const form = await me.at();
  const tried = await me.desk.post(me.url(`/tokens/${theirs.id}/end`), form.form("/sign-out").fields);
  me.world.reached("somebody else's token at the account page");
  me.must("O8", tried.status === 404, `ended a token of ${other.name}: ${tried.status}`);
}

/** The account has another address. */
function moved(me: Resident, email: string, isVerified: boolean): void {
  me.former.push({ email: me.email, password: me.password });
  me.email = email;
  me.isVerified = isVerified;
}

export async function setUpApp(me: Resident): Promise<boolean> {
  const form = await me.at("/factor");
  if (!form.text.includes('class="key"')) return false;
  const before = me.key;
  me.key = keyIn(form);
  const from = time.now();
  const shown = await me.press(form, "/account/factor", { code: await me.code() });
  const codes = codesIn(shown);
  if (codes.length === 0) me.key = before;
  // The network may have kept it for longer than a code lasts.
  if (codes.length === 0 && time.now() - from > totpStep) throw new Lost("a code that came late");
  me.must("O10", codes.length === 10, `${codes.length} recovery codes of a new app: ${shown.status}`);
  me.setUpDuring = { from, to: time.now() };
  me.leaves(`entry factor.${before === "" ? "added" : "replaced"}`, "event method.added totp");
  replaceCodes(me, codes);
  return true;
}

export async function removeApp(me: Resident): Promise<void> {
  const form = await me.at("/remove-factor");
  const done = await me.press(form, "/account/remove-factor");
  me.must("O10", done.location.searchParams.get("notice") === "factor-removed", `not removed: ${done.status}`);
  me.leaves(...appRemoved);
  me.key = "";
}

/** Those of before are void. */
function replaceCodes(me: Resident, codes: string[]): void {
  for (const code of me.recoveryCodes) voidCode(me, code);
  me.recoveryCodes = codes;
}

/** Afterwards the right code is typed, so that this one counts as no row of wrong ones. */
function voidCode(me: Resident, code: string): void {
  const works = async (): Promise<boolean> => {
    if (me.key === "") return false;
    const { visitor, page } = await toStep(me);
    if (!has(page, "/step/code")) return false;
    if ((await visitor.submit(page, "/step/code", { code })).status === 303) return true;
    await visitor.submit(page, "/step/code", { code: await me.code() });
    me.world.reached("a recovery code of before");
    return false;
  };
  me.voided.push({ what: "a recovery code of before", works });
}

/** O1: with new ones, the earlier codes are over. */
async function renewCodes(me: Resident): Promise<void> {
  if (me.key === "" && !(await setUpApp(me))) return;
  endAs(me, "app");
  const form = await me.at("/recovery-codes");
  const codes = codesIn(await me.press(form, "/account/recovery-codes"));
  me.must("O10", codes.length === 10, `${codes.length} new recovery codes`);
  me.leaves("entry factor.codes-renewed");
  replaceCodes(me, codes);
  await me.tryVoided();
}

/** The entries and events of some acts. */
const updated = ["entry user.update", "event user.updated"];
const changedOwn = ["entry user.address-changed", "event user.updated"];
const appRemoved = ["entry factor.removed", "event method.removed totp"];

/** The columns of docs/security.md. */
const acts: Record<string, Act> = {
  async "first proof"(me) {
    if (me.isVerified) me.leaves(...updated);
    await me.patch({ emailVerified: false });
    me.isVerified = false;
    await facts(me);
    const visitor = new Visitor();
    const since = time.now();
    const { session } = await me.begin(visitor);
    const form = await visitor.get(`${session.authUrl}/email-code`);
    const asked = await visitor.submit(form, "/email-code", { email: me.email });
    const waits = await visitor.get(asked.location.href);
    const { code } = await me.mailed("confirm", since);
    const shown = await visitor.submit(waits, "/code", { code });
    // The page asks before it takes the account over; it may be another step.
    const page = shown.status === 303 ? await visitor.get(shown.location.href) : shown;
    const agreed = has(page, "/code") ? await visitor.submit(page, "/code", {}) : page;
    me.must("O10", agreed.status === 303, `no first proof: ${agreed.status} at ${agreed.url}`);
    const again = async (): Promise<Page> => await visitor.submit(waits, "/code", { code });
    const works = async (): Promise<boolean> => (await again()).location.searchParams.has("code");
    me.voided.push({ what: "a mailed code after its use", works });
    me.former.push({ email: me.email, password: me.password });
    me.isVerified = true;
    if (me.key !== "") me.leaves(...appRemoved);
    me.leaves("entry user.address-proven", "event user.updated");
    me.key = "";
    await facts(me);
    return { stays: false };
  },
  async reset(me) {
    if (!me.isVerified) return "not possible";
    const former = { email: me.email, password: me.password };
    const link = await me.resetPassword("a reset horse battery staple");
    me.must("O3", !(await isOpen(link)), "a reset link was open after its use");
    const again = me.next("a stolen horse battery staple");
    const works = async (): Promise<boolean> => isReset(await me.use(link, { password: again }));
    me.voided.push({ what: "a reset link after its use", works });
    me.leaves("entry password.reset", "event user.updated");
    me.former.push(former);
    me.desk = new Visitor();
    return {};
  },
  async undo(me) {
    if (!me.isVerified) return "not possible";
    const undos = await chain(me);
    const undo = undos.length > 0 ? me.chances.pick(undos) : undefined;
    if (!undo) return "not possible";
    const { link, email } = undo;
    // Whatever the thief has by now ends, too.
    const later = [await gather["login"]?.(me), await gather["page"]?.(me)].filter((each) => each !== undefined);
    const done = await me.use(link);
    me.must("O10", done.status === 200, `no undo: ${done.status}`);
    // Those of before it stay, and those of later changes end.
    await areOpen(me, undos, undos.slice(0, undos.indexOf(undo)));
    me.world.reached("a change of address undone");
    // What it removes depends on when it was added.
    me.isUnsure = true;
    for (const each of later) each.isOver = true;
    me.held.push(...later);
    me.former.push({ email: me.email, password: me.password }, { email, password: me.password });
    me.email = email;
    await facts(me);
    return { stays: false };
  },
  async password(me) {
    const form = await me.at();
    const started = await me.press(form, "/account/add", { adds: "password" });
    const page = await me.walk(started, me.desk);
    me.must("O10", has(page, "/add/password"), `no form for a password: ${page.status}`);
    const hasTokens = page.text.includes('name="tokens"');
    const ticked = hasTokens && me.chances.chance(0.5);
    const password = me.next("another horse battery staple");
    const done = await me.desk.submit(page, "/add/password", { password, ...(ticked && { tokens: "on" }) });
    me.must("O10", done.status === 303, `no new password: ${done.status}`);
    me.leaves("entry password.changed password", "event user.updated");
    me.former.push({ email: me.email, password: me.password });
    me.password = password;
    return { ticked };
  },
  async method(me) {
    const id = `mth_given${time.now()}`;
    await me.world.operate(async (ctx) => {
      const now = time.now();
      const row = { id, appId: me.app.id, userId: me.userId, provider: "discord", issuer: "discord.com" };
      const identity = { ...row, subject: id, email: null, createdAt: now, lastUsedAt: now };
      await ctx.storage.write(async (tx) => await insertIdentity(tx, identity));
    });
    const form = await me.at(`/methods/${id}/remove`);
    const done = await me.press(form, `/account/methods/${id}/remove`);
    me.must("O10", done.location.searchParams.get("notice") === "removed", `not removed: ${done.status}`);
    me.leaves("entry method.removed oauth", "event method.removed oauth");
    return {};
  },
  async app(me) {
    return (await setUpApp(me)) ? {} : "not possible";
  },
  async "no app"(me) {
    if (me.key === "") return "not possible";
    await removeApp(me);
    return {};
  },
  async out(me) {
    const form = await me.at();
    const hasTokens = /end-all[\s\S]*?name="tokens"[\s\S]*?<\/form>/u.test(form.text);
    const ticked = hasTokens && me.chances.chance(0.5);
    const done = await me.press(form, "/account/logins/end-all", ticked ? { tokens: "on" } : {});
    me.must("O10", done.status === 303 && done.location.pathname.endsWith("/signed-out"), `not out: ${done.status}`);
    return { ticked };
  },
  async revoke(me) {
    if (me.chances.chance(0.5))
      await me.world.operate(async (ctx) => await people.revokeLogins(ctx, me.userId, really, by));
    else {
      const { status } = await me.server("POST", `/users/${me.userId}/logout`, {});
      me.must("O10", status === 200, `not signed out: ${status}`);
    }
    me.leaves("entry user.revoke-logins");
    return {};
  },
  async disable(me) {
    me.leaves("entry user.disable", "entry user.enable");
    await me.patch({ disabled: true });
    const visitor = new Visitor();
    const { page } = await me.begin(visitor);
    const { email, password } = me;
    const refused = await me.elsewhere(async () => await visitor.submit(page, "/password", { email, password }));
    me.must("O8", refused.status !== 303, "signed in although disabled");
    for (const held of me.held) if (cellOf("disable", held.kind) === "ends") me.end(held);
    for (const held of me.held) if (held.isOver) await check(me, held, "disable");
    await me.patch({ disabled: false });
    return {};
  },
  async address(me) {
    const email = me.nextEmail();
    const emailVerified = me.chances.pick([true, false, undefined]);
    const change = { email, ...(emailVerified !== undefined && { emailVerified }) };
    if (me.chances.chance(0.5)) await me.patch(change);
    else await me.world.operate(async (ctx) => await people.update(ctx, me.userId, change, really, by));
    if (emailVerified === true) me.world.reached("a verified address set by others");
    else me.world.reached("an unverified address set by others");
    moved(me, email, emailVerified === true);
    me.leaves(...updated);
    return {};
  },
  async delete(me) {
    const since = time.now();
    const form = await me.at("/delete");
    me.isGone = true;
    me.leaves("entry user.delete", "event user.deleted");
    me.world.ledger.left({ actor: `user:${me.userId}`, act: "deleteOwn", about: me.userId }, { isSure: false });
    const done = await me.press(form, "/account/delete");
    me.must("O10", done.status === 303 && done.location.pathname === "/account/deleted", `not gone: ${done.status}`);
    await checkNothingIsLeft(me.world, me, since);
    return { stays: false };
  },
};

/** A link to undo a change of the address, which `email` got. */
type Undo = { email: string; link: string };

/** O1 and O4: of all links, these are open, and no other. */
async function areOpen(me: Resident, all: readonly Undo[], open: readonly Undo[]): Promise<void> {
  for (const undo of all) {
    const [is, should] = [await isOpen(undo.link), open.includes(undo)];
    me.must(should ? "O4" : "O1", is === should, `the undo link of ${undo.email} is ${is ? "" : "not "}open`);
  }
}

/** Changes the address up to three times, at times back; the links that are open afterwards. */
async function chain(me: Resident): Promise<Undo[]> {
  me.held = me.held.filter(({ kind }) => kind !== "undo link");
  const all: Undo[] = [];
  let open: Undo[] = [];
  for (let turns = 2 + me.chances.below(2); turns > 0; turns -= 1) {
    const byOthers = me.chances.chance(0.2);
    const back = open.length > 0 && me.chances.chance(0.7) ? me.chances.pick(open) : undefined;
    const { email } = me;
    const link = byOthers ? void (await acts["address"]?.(me)) : await changeOwn(me, back?.email);
    // Too many wrong codes.
    if (me.email === email) continue;
    if (byOthers) endAs(me, "address");
    open = byOthers ? [] : open.slice(0, back ? open.indexOf(back) : undefined);
    const undos = link === undefined ? [] : [{ email, link }];
    all.push(...undos);
    open.push(...undos);
    await areOpen(me, all, open);
    me.world.reached(back && !byOthers ? "a change back to an earlier address" : "a change of address");
  }
  return open;
}

/** Changes the address by a code, to a new one or `back`; the link that the old one got, if any. */
async function changeOwn(me: Resident, back?: string): Promise<string | undefined> {
  const { world, desk } = me;
  const useReset = me.chances.chance(0.7) ? await askForReset(me) : undefined;
  const since = time.now();
  const email = back ?? me.nextEmail();
  const form = await me.at("/email");
  const asked = await me.press(form, "/account/email", { email });
  const page = await desk.get(asked.location.href);
  const { code } = await me.mailed("confirm", since, email);
  if (me.chances.chance(0.2)) {
    const wrong = await guessed(me, page, `/account/email/code?app_id=${me.app.id}`, code, desk);
    me.must("O7", wrong.location.searchParams.get("notice") !== "email", "a code for an address was tried six times");
    return undefined;
  }
  const before = { email: me.email, isVerified: me.isVerified };
  const done = await me.press(page, "/account/email/code", { code });
  me.must("O10", done.location.searchParams.get("notice") === "email", `no new address: ${done.status}`);
  const again = await me.press(page, "/account/email/code", { code });
  me.must("O3", again.location.searchParams.get("notice") !== "email", "a code for an address worked twice");
  moved(me, email, true);
  // It is theirs again.
  if (back !== undefined)
    me.former.splice(0, Infinity, ...me.former.filter((each) => each.email !== back || each.password !== me.password));
  me.leaves(...changedOwn);
  if (useReset) me.voided.push({ what: "a reset mailed to a former address", works: useReset });
  // Links of the earlier address are another matter than these.
  me.held = me.held.filter(({ kind }) => kind !== "reset link" && kind !== "change of address");
  await facts(me);
  await me.tryVoided();
  // O8: no link goes to an address that was not proved, or that a thief may have set.
  const isDue = before.isVerified && back === undefined;
  if (isDue) return (await me.mailed("restore", since, before.email)).link;
  await time.pause(minute);
  const sent = world.mailsSince(since).find(({ to, text }) => to === before.email && text.includes("/restore/"));
  me.must("O8", sent === undefined, `${before.email} got a link to restore it, which is not due`);
  return undefined;
}

/** Asks for a reset by mail; whether its link, or code, changes the password then. */
async function askForReset(me: Resident): Promise<() => Promise<boolean>> {
  const visitor = new Visitor();
  const since = time.now();
  const { session } = await me.begin(visitor);
  const form = await visitor.get(`${session.authUrl}/forgot-password`);
  const asked = await visitor.submit(form, "/forgot-password", { email: me.email });
  const { link, code } = await me.mailed("reset", since);
  const byLink = me.chances.chance(0.5);
  const password = me.next("a stolen horse battery staple");
  return async () => {
    const done = byLink ? await me.use(link, { password }) : await visitor.submit(asked, "/reset", { code, password });
    me.world.reached(byLink ? "a reset of before by its link" : "a reset of before by its code");
    return isReset(done);
  };
}

function isReset({ text }: Page): boolean {
  return text.includes("Your password is changed");
}

/** Short stories about one rule each. */
const episodes: ((me: Resident) => Promise<void>)[] = [
  waitAfterWrongCodes,
  waitAfterWrongCodes,
  recover,
  recover,
  async (me) => {
    const link = await changeOwn(me);
    if (link !== undefined) me.held.push(held("undo link", Infinity, async () => await isOpen(link)));
  },
  endToken,
  renewCodes,
  verify,
  ...hostEpisodes,
  ...accountEpisodes,
  oneLogin,
  belongs,
  belongs,
  expires,
  expires,
  tryDry,
];

/** O7: after six wrong codes, from whatever browser, no code is checked for a second, then two … */
async function waitAfterWrongCodes(me: Resident): Promise<void> {
  if (me.key === "") return;
  const { world } = me;
  // The count begins anew.
  await me.login();
  const wrongs = me.chances.pick([9, 10, 11]);
  let at = await toStep(me);
  let lastAt = 0;
  for (let tries = 1; tries <= wrongs; tries += 1) {
    if (!has(at.page, "/step/code")) return;
    if (me.chances.chance(0.3)) at = await toStep(me);
    const wrong = await at.visitor.submit(at.page, "/step/code", { code: wrongCodeAt(me.key, time.now()) });
    me.must("O8", wrong.status !== 303, "a wrong code of the app was taken");
    if (wrong.status !== 422) return;
    lastAt = time.now();
    if (tries > 5 && tries < wrongs) await time.pause(2 ** (tries - 6) * 1000);
  }
  await secondFactor(me, wrongs);
  const seconds = 2 ** (wrongs - 6);
  const isRecovery = me.chances.chance(0.3) && me.recoveryCodes.length > 0;
  const [recoveryCode = ""] = me.recoveryCodes;
  const right = isRecovery ? recoveryCode : codeAt(me.key, time.now());
  const early = await at.visitor.submit(at.page, "/step/code", { code: right });
  const wasEarly = time.now() < lastAt + seconds * 1000;
  world.reached("a right code of an app after many wrong ones");
  me.must(
    "O7",
    !wasEarly || early.status !== 303,
    `a code was taken ${time.now() - lastAt} ms after ${wrongs} wrong ones`,
  );
  if (early.status === 303) throw new Lost("it was taken later");
  await time.pause(lastAt + seconds * 1000 - time.now() + 1000);
  const late = await at.visitor.submit(at.page, "/step/code", { code: isRecovery ? right : await me.code() });
  me.must("O10", late.status === 303, `no code is taken after the wait: ${late.status}`);
  if (!isRecovery) return;
  me.recoveryCodes = me.recoveryCodes.slice(1);
  voidCode(me, recoveryCode);
}

/** A recovery link removes the app once its owner has given the first proof, and nobody else's. */
async function recover(me: Resident): Promise<void> {
  if (me.key === "") return;
  me.leaves("entry user.recovery-link");
  const { world } = me;
  const { link } = await world.operate(
    async (ctx) => await recoveryLinks.linkFor(ctx, me.userId, { ...really, lasts: 10 * minute }, by.actor),
  );
  if (link === null) return;
  for (const held of me.held) if (held.kind === "recovery link") held.isOver = true;
  const other = world.residents.findLast((each) => each !== me && each.app === me.app && each.password !== "");
  if (other && me.chances.chance(0.5)) {
    const stranger = new Visitor();
    const page = await stranger.get((await me.use(link, {}, stranger)).location.href);
    const { email, password } = other;
    if (has(page, "/password")) {
      const tried = await me.elsewhere(async () => await stranger.submit(page, "/password", { email, password }));
      me.must("O8", !tried.location.searchParams.has("code"), "a recovery link let somebody else in");
    }
    world.reached("somebody else's recovery link");
    me.must("O3", await isOpen(link), "a recovery link was used up by somebody else");
  }
  const visitor = new Visitor();
  const begun = await me.use(link, {}, visitor);
  const page = await visitor.get(begun.location.href);
  me.must("O10", has(page, "/password"), `no page of a recovery link: ${page.status}`);
  const { email, password } = me;
  const wrong = await me.elsewhere(
    async () => await visitor.submit(page, "/password", { email, password: "not the password" }),
  );
  me.must("O8", wrong.status !== 303, "a wrong password was taken at a recovery link");
  me.must("O3", await isOpen(link), "a wrong password used a recovery link up");
  const done = await visitor.submit(page, "/password", { email, password });
  me.must("O10", done.status === 303, `no recovery: ${done.status}`);
  me.must("O3", !(await isOpen(link)), "a recovery link was open after its use");
  world.reached("a recovery link used");
  me.leaves(...appRemoved);
  me.key = "";
  for (const held of me.held) if (cellOf("no app", held.kind) === "ends") me.end(held);
  for (const held of me.held) if (held.isOver) await check(me, held, "a recovery");
  me.held = me.held.filter(({ isOver }) => !isOver);
  me.desk = new Visitor();
}

/** Proves the address that an account has. */
async function verify(me: Resident): Promise<void> {
  if (me.isVerified) return;
  const form = await me.at();
  const since = time.now();
  const sent = await me.press(form, "/account/verify-email");
  const page = sent.status === 303 ? await me.desk.get(sent.location.href) : sent;
  const { code } = await me.mailed("confirm", since);
  if (me.chances.chance(0.3)) {
    await guessed(me, page, `/account/verify-email/code?app_id=${me.app.id}`, code, me.desk);
    await facts(me);
    return;
  }
  await me.press(page, "/account/verify-email/code", { code });
  me.isVerified = true;
  me.leaves("entry user.address-proven", "event user.updated");
  me.world.reached("an address verified at the account page");
  await facts(me);
}

/** O1 and O4: the end of one login is that of its browser, and of no other login. */
async function oneLogin(me: Resident): Promise<void> {
  const browser = new Visitor();
  const [one, other] = [await me.login(browser), await me.login()];
  const wasSignedIn = (await browser.get(me.url())).status === 200;
  const { sid } = claimsOf(one.accessToken);
  if (me.chances.chance(0.5))
    await me.world.operate(async (ctx) => await logins.end(ctx, String(sid), really, by.actor));
  else {
    const page = await me.at();
    const form = `/account/logins/${String(sid)}/end`;
    if (!page.text.includes(form)) return;
    await me.press(page, form);
  }
  me.world.reached("one login of two ended");
  me.must("O1", !(await me.isValid(one.accessToken)), "a login was valid after its end");
  me.must("O4", await me.isValid(other.accessToken), "another login ended");
  const isSignedIn = (await browser.get(me.url())).status === 200;
  me.must("O1", !(wasSignedIn && isSignedIn), "a browser stayed signed in whose login was ended");
}

/** O1: a personal token that its owner has ended, as long as the owner stays. */
async function endToken(me: Resident): Promise<void> {
  const one = await gather["token"]?.(me);
  const all = await me.world.operate(async (ctx) => await personalTokens.list(ctx, me.userId, { all: false }));
  if (!one) return;
  me.held.push(one);
  const [only] = all;
  // Of several, nobody knows which this is.
  if (!only || all.length > 1) return;
  await me.press(await me.at(), `/account/tokens/${only.id}/end`);
  me.world.reached("a personal token ended by its owner");
  me.end(one);
  await check(me, one, "its end by its owner");
}

/** O1: a login says what its person has from the next call on, and its next token, too. */
async function belongs(me: Resident): Promise<void> {
  const { accessToken, refreshToken } = await me.login();
  const group = `crew-${me.name}`;
  const isTold = async (after: string): Promise<void> => {
    me.must("O4", await me.isValid(accessToken), `a login ended with ${after}`);
  };
  const path = `/groups/${group}/members/${me.userId}`;
  const created = await me.server("PUT", `/groups/${group}`, {});
  const joined = await me.server("PUT", path);
  me.must("O10", created.status < 300 && joined.status === 200, `is in no group: ${joined.status}`);
  const floor = me.next("floor");
  await me.patch({ public: { floor } }, "/metadata");
  me.claims = { roles: [group], floor };
  me.leaves("entry group.add", "entry user.metadata", "event user.updated", "event user.updated");
  await isTold("a group");
  const way = me.chances.pick(["server", "operator", "deletion"] as const);
  if (way === "server") await me.server("DELETE", path);
  else if (way === "deletion") await me.server("DELETE", `/groups/${group}`);
  else await me.world.operate(async (ctx) => await groups.remove(ctx, me.app.id, group, [me.userId], by));
  me.claims = { roles: [], floor };
  me.leaves("event user.updated", ...(way === "deletion" ? [] : ["entry group.remove"]));
  await isTold(`the end of a group by ${way}`);
  await me.patch({ public: { floor: null } }, "/metadata");
  me.claims = { roles: [] };
  me.leaves("entry user.metadata", "event user.updated");
  await isTold("a value less");
  const { status, body } = await refresh(me.world.service, me.app, refreshToken);
  if (status === 200) me.mustSay(claimsOf(String(body["accessToken"])), "a refreshed token");
  me.world.reached("a group and a value that a login no longer has");
}

/** Nothing lasts longer than this, with a minute or more to spare. */
const longest: Partial<Record<keyof typeof gather, number>> = {
  code: 2 * minute,
  halfDone: 12 * minute,
  resetLink: 33 * minute,
  recoveryLink: 23 * minute,
  access: 17 * minute,
};

async function expires(me: Resident): Promise<void> {
  const [name, after] = me.chances.pick(Object.entries(longest));
  const from = time.now();
  const access = async (): Promise<Held> => {
    const { accessToken } = await me.login();
    return held("logins", from, async () => await me.isValid(accessToken));
  };
  const one = await (name === "access" ? access() : gather[name]?.(me));
  if (!one) return;
  await time.pause(time.now() + (after ?? 0) - from);
  me.must("O1", !(await one.lives()), `${one.kind} lasted longer than it may: ${name}`);
  me.world.reached("something that has expired");
}
