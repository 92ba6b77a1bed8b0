/** Signing in by every method, through whatever steps are asked for. */
import { call } from "../../support/person.ts";
import type { Thing } from "../ends.ts";
import { Violation } from "../model.ts";
import { Browser, type Member } from "../members.ts";
import { Sitting } from "../sitting.ts";
import { silentTokens } from "../single-sign-on.ts";
import { time } from "../time.ts";
import { Lost, type World } from "../world.ts";

/** The code and link of the next mail that has such a link; undefined if none comes soon. */
export async function mailed(
  world: World,
  { email }: Pick<Member, "email">,
  kind: "confirm" | "reset",
  since: number,
): Promise<{ id: string; code: string; link: string } | undefined> {
  for (let tries = 0; tries < 15; tries += 1) {
    for (const { id, to, text } of world.mails.slice(since)) {
      const link = new RegExp(`https?://\\S+/${kind}/\\S+`, "u").exec(text)?.[0];
      const code = /^\d{4} \d{4}$/mu.exec(text)?.[0];
      if (to === email && link !== undefined && code !== undefined) return { id, code, link };
    }
    await time.pause(2000);
  }
  return undefined;
}

export async function signIn(world: World, me: Member): Promise<void> {
  const browser = me.chances.pick(me.browsers);
  const hasFactor = !me.factor.allows("");
  const asked = me.chances.pick([{}, {}, { maxAge: 0 }, hasFactor ? { acr: "urn:authsvc:acr:2" } : {}]);
  const sitting = await Sitting.toApplication(world, browser, asked);
  await walk(sitting, me, me.chances.chance(0.2));
  if (sitting.has("/step/code")) {
    const thing = { kind: "half-done sign-ins", askedAt: sitting.postedAt, since: time.now(), browser };
    me.halfDone = { ...thing, goOn: async () => await goOn(sitting, me, thing) };
  }
  await enter(sitting, me);
}

/** O1: a sign-in that waits ends with what ends the account's access. */
async function goOn(sitting: Sitting, me: Member, thing: Thing): Promise<void> {
  const from = time.now();
  sitting.world.reached(me.ends.isOver(thing, from) ? "a half-done sign-in after its end" : "a half-done sign-in");
  await walk(sitting, me);
  if (sitting.code !== undefined && me.ends.isOver(thing, from))
    throw new Violation("O1", `a half-done sign-in of ${me.name} went on after its end`);
  await enter(sitting, me);
}

export async function resume(_world: World, me: Member): Promise<void> {
  const { halfDone } = me;
  me.halfDone = undefined;
  await halfDone?.goOn();
}

/** What the application does with the code. */
export async function enter(sitting: Sitting, me: Member): Promise<void> {
  if (sitting.code === undefined) return;
  sitting.check(me);
  if (sitting.browser.account) sitting.browser.account.since = time.now();
  const login = await sitting.redeem(me);
  if (login) me.logins = [...me.logins.slice(-11), login];
  const { world, browser } = sitting;
  if (!login || !browser.chances.chance(0.2)) return;
  const card = { id: "cli_card", redirectUris: [world.club.redirectUri] };
  const proven = await silentTokens(world, browser.visitor, card);
  // Discord does not say when it authenticated anybody.
  if (proven && String(proven.amr) === "fed" && proven.auth_time !== undefined)
    throw new Violation("O6", `auth_time ${proven.auth_time} is of no proof`);
}

/** From page to page, until one is refused or nothing is left to do. */
export async function walk(sitting: Sitting, me: Member, stopsHalfway = false): Promise<void> {
  for (let steps = 0; steps < 8 && sitting.page.status === 200; steps += 1) {
    if (stopsHalfway && sitting.has("/step/code")) return;
    const step = stepOf(sitting, me);
    if (!step || !(await step())) return;
  }
}

function stepOf(sitting: Sitting, me: Member): (() => Promise<boolean>) | undefined {
  const { chances } = me;
  if (sitting.has("/step/code")) return async () => await secondStep(sitting, me);
  if (sitting.has("/step/passkey"))
    return me.passkeys.length === 0 ? undefined : async () => await sitting.passkey(me, "/step/passkey");
  if (sitting.has("/step/set-up"))
    return async () => await me.ends.by("app", async () => await sitting.setUp(me, "/step/set-up"));
  if (sitting.has("/step/continue")) return async () => await sitting.submit("/step/continue");
  if (sitting.has("/step/skip")) return async () => await sitting.submit("/step/skip");
  if (!sitting.has("/password")) return undefined;
  if (me.passkeys.length > 0 && chances.chance(0.25)) return async () => await sitting.passkey(me, "/passkey");
  if (sitting.has("/oauth/discord") && chances.chance(0.15)) return async () => await sitting.oauth(me);
  if (sitting.has("/email-code") && chances.chance(0.15)) return async () => await byMailedCode(sitting, me);
  return async () => await byPassword(sitting, me);
}

async function byPassword(sitting: Sitting, me: Member): Promise<boolean> {
  const password = me.chances.pick(me.password.all);
  const isTaken = await sitting.password(me, password);
  if (!isTaken) return false;
  me.password.is(password);
  me.knowsPassword = true;
  return true;
}

async function secondStep(sitting: Sitting, me: Member): Promise<boolean> {
  const { chances } = me;
  const [recoveryCode] = me.recoveryCodes;
  if (recoveryCode !== undefined && chances.chance(0.2)) {
    me.recoveryCodes = me.recoveryCodes.slice(1);
    return await sitting.typed(me, "recovery-code", recoveryCode, recoveryCode);
  }
  const hasPasskey = sitting.has("/step/passkey") && me.usablePasskeys().length > 0;
  if (hasPasskey && chances.chance(0.2)) return await sitting.passkey(me, "/step/passkey");
  const keys = me.factor.all.filter((key) => key !== "");
  if (keys.length === 0) return false;
  return await sitting.typedCode(me, chances.pick(keys));
}

/** O3: a code is over once its successor was mailed. O7: five tries. */
async function byMailedCode(sitting: Sitting, me: Member): Promise<boolean> {
  const { world } = sitting;
  await sitting.open(`${new URL(sitting.page.url).href.split("?")[0]}/email-code`);
  if (!sitting.has("/email-code")) return false;
  let since = world.mails.length;
  await sitting.submit("/email-code", { email: me.email });
  let mail = await mailed(world, me, "confirm", since);
  if (!mail || !sitting.has("/code")) return false;
  if (me.chances.chance(0.3)) {
    since = world.mails.length;
    await sitting.submit("/code/again");
    const next = await mailed(world, me, "confirm", since);
    if (!next || !sitting.has("/code")) return false;
    world.reached("a mailed code after its successor");
    // The mail that arrived next may be an earlier one: of a form posted twice, or tried again.
    const [before, after] = [mail, next].map(({ id }) => id.slice(0, "mail_".length + 10));
    const isLater = (after ?? "") > (before ?? "") && world.clockWasRight(sitting.begun);
    const isTaken = isLater && next.code !== mail.code && (await sitting.submit("/code", { code: mail.code }));
    // A club that takes no codes any more sends people back, whatever they type.
    if (isTaken && world.clubTakesCodes.isOnly(true))
      throw new Violation("O3", `a mailed code of ${me.name} outlived its successor`);
    mail = next;
  }
  if (!sitting.has("/code")) return false;
  const isGuessing = me.chances.chance(0.2);
  for (let tries = isGuessing ? 0 : 5; tries < 5 && sitting.has("/code"); tries += 1)
    if (await sitting.submit("/code", { code: otherThan(mail.code) }))
      throw new Violation("O8", `a wrong mailed code of ${me.name} signed in`);
  if (isGuessing) world.reached("five wrong mailed codes");
  if (!sitting.has("/code")) return false;
  const isTaken = await sitting.mailedCode(me, mail.code);
  if (isTaken && isGuessing) throw new Violation("O7", `a mailed code of ${me.name} was tried six times`);
  return isTaken;
}

function otherThan(code: string): string {
  return code.replace(/\d/u, (digit) => String((Number(digit) + 1) % 10));
}

/** O1 and O4: what ended stays ended, and what lives is accepted. */
export async function tryLogin(world: World, me: Member): Promise<void> {
  if (me.logins.length === 0) return;
  const login = me.chances.pick(me.logins);
  const from = time.now();
  const { service, club } = world;
  const headers = { authorization: `Bearer ${login.token}`, "x-service-app-id": club.id };
  const { status } = await call(service, "GET", "/auth/validate", headers);
  world.note(`a login of ${me.name} is validated: ${status}`);
  if (status === 200 && me.ends.isOver(login, from))
    throw new Violation("O1", `a login of ${me.name} was valid after its end`);
  const isYoung = login.tokenUntil > time.now() && world.clockWasRight(login.askedAt);
  if (status === 401 && isYoung && !me.ends.mayBeOver(login))
    throw new Violation("O4", `a login of ${me.name} was refused although nobody ended it`);
}

/** Opens a page of the account, and proves whatever it asks for. O1 for the browser's session. */
export async function openAccount(world: World, me: Member, browser: Browser, page = ""): Promise<Sitting | undefined> {
  const known = browser.account;
  const from = time.now();
  const sitting = await Sitting.at(world, browser, `${world.service.url}/account${page}?app_id=${world.club.id}`);
  // A page that an app has closed only asks for it: it is open again once the app is removed.
  const mayBeOpenAgain = known !== undefined && me.ends.mayHaveHappened("no app", known.since);
  if (sitting.isAtAccount && known && !mayBeOpenAgain && me.ends.isOver(known, from))
    throw new Violation("O1", `an account page of ${me.name} stayed open after its end`);
  await walk(sitting, me);
  if (!sitting.isAtAccount || new URL(sitting.page.url).pathname !== `/account${page}`) return undefined;
  // Who was signed out meanwhile is told so at the same address.
  if (!sitting.page.text.includes('name="token"')) return undefined;
  if (sitting.proofs.length > 0) {
    sitting.check(me);
    if (browser.account) browser.account.since = time.now();
  }
  return sitting;
}

/** In a browser that nobody knows. */
export async function strangeSitting(world: World, me: Member): Promise<Sitting> {
  return await Sitting.toApplication(world, new Browser(me.chances.fork(`strange ${time.now()}`)));
}

/** An act, and another one that is lost or not. */
export async function together(act: Promise<unknown>, other: () => Promise<unknown>): Promise<void> {
  const both = await Promise.allSettled([act, other()]);
  for (const each of both) if (each.status === "rejected" && !(each.reason instanceof Lost)) throw each.reason;
  if (both[0].status === "rejected") throw both[0].reason;
}
