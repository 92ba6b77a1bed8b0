/** What people change on their account page, in the browser that then stays signed in. */
import { codesIn } from "../../support/factors.ts";
import type { Browser, Member } from "../members.ts";
import { Violation } from "../model.ts";
import type { Sitting } from "../sitting.ts";
import { time } from "../time.ts";
import { Lost, type World } from "../world.ts";
import { enter, openAccount, strangeSitting, together, walk } from "./sign-ins.ts";

type Change = (world: World, me: Member, browser: Browser) => Promise<void>;

export async function changeAccount(world: World, me: Member): Promise<void> {
  const changes = [
    newPassword,
    signOutEverywhere,
    addPasskey,
    removePasskey,
    removePasskey,
    setUpApp,
    setUpApp,
    removeApp,
    renewCodes,
  ];
  await me.chances.pick<Change>(changes)(world, me, me.chances.pick(me.browsers));
}

/** Presses a button of the account page whose form adds something, and proves what is asked for. */
async function adding(world: World, me: Member, browser: Browser, adds: string): Promise<Sitting | undefined> {
  const sitting = await openAccount(world, me, browser);
  if (!sitting) return undefined;
  await sitting.submit(`/account/add?app_id=${world.club.id}`, { adds });
  await walk(sitting, me);
  return sitting.has(`/add/${adds}`) ? sitting : undefined;
}

async function newPassword(world: World, me: Member, browser: Browser): Promise<void> {
  const sitting = await adding(world, me, browser, "password");
  if (!sitting) return;
  const password = me.newPassword();
  const before = me.password.all;
  me.password.maybe(password);
  const isDone = await me.ends.by(
    "password",
    async () => {
      await sitting.submit("/add/password", { password });
      const isDone = sitting.says("status", "changed") || sitting.says("status", "added");
      // A form that arrives twice may be answered as the second one, which changes nothing.
      if (!isDone && !sitting.has("/add/password")) throw new Lost("a form that may have arrived twice");
      return isDone;
    },
    browser,
  );
  world.note(`${me.name} changes the password: ${isDone}`);
  if (isDone) {
    me.password.is(password);
    me.knowsPassword = true;
  } else if (before.length === 1) me.password.is(before[0] ?? "");
}

async function signOutEverywhere(world: World, me: Member, browser: Browser): Promise<void> {
  const sitting = await openAccount(world, me, browser);
  if (!sitting) return;
  const form = `/account/logins/end-all?app_id=${world.club.id}`;
  const isDone = await me.ends.by("out", async () => {
    await sitting.submit(form);
    return sitting.page.url.includes("/signed-out");
  });
  world.note(`${me.name} signs out everywhere: ${isDone}`);
}

async function addPasskey(world: World, me: Member, browser: Browser): Promise<void> {
  if (me.passkeys.some(({ is }) => !is.isOnly("gone"))) return;
  const sitting = await adding(world, me, browser, "passkey");
  await sitting?.addPasskey(me);
}

/** Of the only one that may be there. */
async function removePasskey(world: World, me: Member, browser: Browser): Promise<void> {
  const [one, other] = me.passkeys.filter(({ is }) => !is.isOnly("gone"));
  if (!one || other) return;
  const overview = await openAccount(world, me, browser);
  const id = /\/account\/methods\/(mth_[0-9a-z]+)\/rename/u.exec(overview?.page.text ?? "")?.[1];
  if (id === undefined) return;
  const sitting = await openAccount(world, me, browser, `/methods/${id}/remove`);
  const form = `/account/methods/${id}/remove?app_id=${world.club.id}`;
  if (!sitting?.page.text.includes(form)) return;
  const meanwhile = me.chances.chance(0.8) ? await strangeSitting(world, me) : undefined;
  one.is.maybe("gone");
  const remove = async (): Promise<void> => {
    // Who signs in by it is first asked for it, which is a way there and back.
    if (meanwhile) await time.pause(1 + me.chances.wait(2 * world.faults.network));
    await sitting.submit(form);
  };
  const isDone = await me.ends.by(
    "method",
    async () => {
      await together(remove(), async () => {
        if (meanwhile?.has("/passkey")) await meanwhile.passkey(me, "/passkey", one);
      });
      return sitting.says("notice", "removed");
    },
    browser,
  );
  if (meanwhile) world.reached("a sign-in by a passkey that is being removed");
  world.note(`${me.name} removes a passkey: ${isDone}`);
  one.is.is(isDone ? "gone" : "there");
  if (meanwhile) await enter(meanwhile, me);
}

async function setUpApp(world: World, me: Member, browser: Browser): Promise<void> {
  const sitting = await openAccount(world, me, browser, "/factor");
  if (!sitting?.page.text.includes('class="key"')) return;
  const isDone = await me.ends.by("app", async () => await sitting.setUp(me, "/account/factor"), browser);
  world.note(`${me.name} sets an app up: ${isDone}`);
}

async function removeApp(world: World, me: Member, browser: Browser): Promise<void> {
  if (me.factor.isOnly("")) return;
  const sitting = await openAccount(world, me, browser, "/remove-factor");
  const form = `/account/remove-factor?app_id=${world.club.id}`;
  if (!sitting?.page.text.includes(form)) return;
  me.factor.maybe("");
  const isDone = await me.ends.by("no app", async () => {
    await sitting.submit(form);
    return sitting.says("notice", "factor-removed");
  });
  world.note(`${me.name} removes the app: ${isDone}`);
  if (!isDone) return;
  me.factor.is("");
  me.recoveryCodes = [];
}

/** O1: the earlier codes are over. */
async function renewCodes(world: World, me: Member, browser: Browser): Promise<void> {
  const sitting = await openAccount(world, me, browser, "/recovery-codes");
  const form = `/account/recovery-codes?app_id=${world.club.id}`;
  if (!sitting?.page.text.includes(form)) return;
  const before = me.recoveryCodes;
  await sitting.submit(form);
  const codes = codesIn(sitting.page);
  world.note(`${me.name} renews the codes: ${codes.length}`);
  if (codes.length === 0) return;
  me.recoveryCodes = codes;
  for (const code of before) if (codes.includes(code)) throw new Violation("O3", `a code of ${me.name} was made twice`);
}
