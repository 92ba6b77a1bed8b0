/** Whose an address is: its changes, also in a row and back, and what each mails. */
import * as people from "../../../src/people/administration.ts";
import { Visitor, type Page } from "../../support/person.ts";
import type { Resident } from "../resident.ts";
import { time } from "../time.ts";
import { by, changedOwn, endAs, facts, guessed, isOpen, minute, moved, really, updated } from "./resident-facts.ts";

/** The server or an operator sets another address. */
export async function setByOthers(me: Resident): Promise<void> {
  const email = me.nextEmail();
  const emailVerified = me.chances.pick([true, false, undefined]);
  const change = { email, ...(emailVerified !== undefined && { emailVerified }) };
  if (me.chances.chance(0.5)) await me.patch(change);
  else await me.world.operate(async (ctx) => await people.update(ctx, me.userId, change, really, by));
  if (emailVerified === true) me.world.reached("a verified address set by others");
  else me.world.reached("an unverified address set by others");
  moved(me, email, emailVerified === true);
  me.leaves(...updated);
}

/** A link to undo a change of the address, which `email` got. */
type Undo = { email: string; link: string };

/** O1 and O4: of all links, these are open, and no other. */
export async function areOpen(me: Resident, all: readonly Undo[], open: readonly Undo[]): Promise<void> {
  for (const undo of all) {
    const [is, should] = [await isOpen(undo.link), open.includes(undo)];
    me.must(should ? "O4" : "O1", is === should, `the undo link of ${undo.email} is ${is ? "" : "not "}open`);
  }
}

/** Changes the address up to three times, at times back; the links that are open afterwards. */
export async function chain(me: Resident): Promise<Undo[]> {
  me.held = me.held.filter(({ kind }) => kind !== "undo link");
  const all: Undo[] = [];
  let open: Undo[] = [];
  for (let turns = 2 + me.chances.below(2); turns > 0; turns -= 1) {
    const byOthers = me.chances.chance(0.2);
    const back = open.length > 0 && me.chances.chance(0.7) ? me.chances.pick(open) : undefined;
    const { email } = me;
    if (byOthers) await setByOthers(me);
    const link = byOthers ? undefined : await changeOwn(me, back?.email);
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
export async function changeOwn(me: Resident, back?: string): Promise<string | undefined> {
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

export function isReset({ text }: Page): boolean {
  return text.includes("Your password is changed");
}

/** Proves the address that an account has. */
export async function verify(me: Resident): Promise<void> {
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
