/**
 * People of the house, each with something of every kind: what ends with what (docs/security.md),
 * at the account page, at protected hosts and with personal tokens; and whose address it is.
 */
import * as personalTokens from "../../../src/credentials/personal/service.ts";
import * as logins from "../../../src/sessions/login-administration.ts";
import * as groups from "../../../src/users/groups/service.ts";
import { refresh, Visitor } from "../../support/person.ts";
import { tryDry } from "../dry-runs.ts";
import { cellOf } from "../ends.ts";
import { claimsOf } from "../oracles/tokens.ts";
import { lives, type Held, type Resident } from "../resident.ts";
import { time } from "../time.ts";
import { Lost, type Part, type World } from "../world.ts";
import { accountEpisodes } from "./resident-account.ts";
import { hostEpisodes } from "./resident-hosts.ts";
import { by, check, facts, guessed, held, isOpen, minute, really } from "./resident-facts.ts";
import { recover, renewCodes, setUpApp, waitAfterWrongCodes } from "./resident-app.ts";
import { chain, changeOwn, verify } from "./resident-addresses.ts";
import { gather } from "./resident-things.ts";
import { type Act, acts } from "./resident-acts.ts";

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

/** What a look at it uses up, or makes anew. */
const usedUp = new Set(["codes for apps", "change of address"]);

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
