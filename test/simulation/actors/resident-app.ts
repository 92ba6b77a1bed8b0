/** The app and the recovery codes of a resident. */
import * as recoveryLinks from "../../../src/credentials/mailed/recovery-links.ts";
import { codeAt, codesIn, keyIn, wrongCodeAt } from "../../support/factors.ts";
import { Visitor } from "../../support/person.ts";
import { cellOf } from "../ends.ts";
import { has, totpStep, type Resident } from "../resident.ts";
import { time } from "../time.ts";
import { Lost } from "../world.ts";
import { secondFactor, toStep } from "./resident-account.ts";
import { appRemoved, by, check, endAs, isOpen, minute, really } from "./resident-facts.ts";

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
export async function renewCodes(me: Resident): Promise<void> {
  if (me.key === "" && !(await setUpApp(me))) return;
  endAs(me, "app");
  const form = await me.at("/recovery-codes");
  const codes = codesIn(await me.press(form, "/account/recovery-codes"));
  me.must("O10", codes.length === 10, `${codes.length} new recovery codes`);
  me.leaves("entry factor.codes-renewed");
  replaceCodes(me, codes);
  await me.tryVoided();
}

/** O7: after six wrong codes, from whatever browser, no code is checked for a second, then two … */
export async function waitAfterWrongCodes(me: Resident): Promise<void> {
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
export async function recover(me: Resident): Promise<void> {
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
