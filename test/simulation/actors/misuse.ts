/** What people should not do: guess, use things twice, share a sign-in, lie about an address. */
import { codeAt } from "../../support/factors.ts";
import { calling } from "../browser.ts";
import type { Member } from "../members.ts";
import { Violation } from "../model.ts";
import { allOf, type Sitting } from "../sitting.ts";
import { time } from "../time.ts";
import type { World } from "../world.ts";
import { enter, strangeSitting } from "./sign-ins.ts";

export async function misuse(world: World, me: Member): Promise<void> {
  await me.chances.pick([oneCodeTwice, oneCodeTwice, twoPeople, guessPassword, guessFactor, falseProvider])(world, me);
}

/** A strange browser in which the password was given and a second step is next. */
async function atSecondStep(world: World, me: Member): Promise<Sitting | undefined> {
  const sitting = await strangeSitting(world, me);
  await sitting.password(me, me.password.all.at(-1) ?? "");
  return sitting.has("/step/code") ? sitting : undefined;
}

/** O3: a recovery code, or one of the app, in two sign-ins at the same time. */
async function oneCodeTwice(world: World, me: Member): Promise<void> {
  const [key = ""] = me.factor.all.filter((each) => each !== "");
  const [recoveryCode] = me.recoveryCodes;
  if (key === "" || recoveryCode === undefined) return;
  const sittings = [await atSecondStep(world, me), await atSecondStep(world, me)];
  const isRecovery = me.chances.chance(0.6);
  if (isRecovery) me.recoveryCodes = me.recoveryCodes.slice(1);
  const typed = isRecovery ? { code: recoveryCode, secret: recoveryCode } : await me.unusedCode(key);
  if (sittings.includes(undefined)) return;
  world.reached(isRecovery ? "two recovery codes of one person in flight" : "two codes of one time step in flight");
  const kind = isRecovery ? "recovery-code" : "totp";
  await allOf(sittings.map(async (sitting) => await sitting?.typed(me, kind, typed.code, typed.secret)));
  for (const sitting of sittings) if (sitting) await enter(sitting, me);
}

/** O6: somebody else's second factor counts for nobody, in whatever sign-in it was given. */
async function twoPeople(world: World, me: Member): Promise<void> {
  const [recoveryCode] = me.recoveryCodes;
  const other = me.chances.pick(world.clubMembers.filter((member) => member !== me && member.userId !== undefined));
  if (recoveryCode === undefined || !other) return;
  const sitting = await atSecondStep(world, me);
  if (!sitting) return;
  me.recoveryCodes = me.recoveryCodes.slice(1);
  if (!(await sitting.typed(me, "recovery-code", recoveryCode, recoveryCode))) return;
  if (!sitting.has("/step/continue")) return;
  world.reached("two people in one sign-in");
  await sitting.passwordOfAnother(other, other.password.all.at(-1) ?? "");
  if (sitting.code !== undefined) sitting.check(other);
}

/** O7: after ten wrong passwords from anywhere, not even the right one is taken for 16 seconds. */
async function guessPassword(world: World, me: Member): Promise<void> {
  const password = me.password.all.at(-1) ?? "";
  // The count begins anew.
  if (!(await fromElsewhere(world, me, 0, async () => await tryPassword(world, me, password)))) return;
  const begun = time.now();
  let lastFrom = begun;
  for (let tries = 1; tries <= 10; tries += 1) {
    lastFrom = time.now();
    const sitting = await fromElsewhere(world, me, tries, async () => await strangeSitting(world, me));
    if (!sitting.has("/password")) return;
    // Not in a hurry: a second press at once would count once more, or not.
    const values = { email: me.email, password: `a wrong password ${tries}` };
    if ((await fromElsewhere(world, me, tries, async () => await sitting.guess("/password", values))) !== 401) return;
    // One more may be counted: the right password's form may have been posted twice.
    if (tries >= 5 && tries < 10) await time.pause(2 ** (tries - 5) * 1000);
  }
  world.reached("a right password after ten wrong ones");
  const before = me.passwordTakenAt;
  const isTaken = await fromElsewhere(world, me, 11, async () => await tryPassword(world, me, password));
  // Unless it was taken elsewhere meanwhile, which begins the count anew.
  const counts = before <= begun && world.clockWasRight(begun);
  if (isTaken && counts && time.now() < lastFrom + 16_000)
    throw new Violation("O7", `a password of ${me.name} was taken right after ten wrong ones`);
}

/** From another network. */
async function fromElsewhere<T>(world: World, me: Member, number: number, work: () => Promise<T>): Promise<T> {
  const chances = me.chances.fork(`elsewhere ${time.now()}`);
  return await calling({ world, ipAddress: `198.51.100.${100 + number}`, chances }, work);
}

async function tryPassword(world: World, me: Member, password: string): Promise<boolean> {
  const sitting = await strangeSitting(world, me);
  return sitting.has("/password") && (await sitting.password(me, password));
}

/** O7: the wait after wrong codes of the app doubles, however many are tried at once. */
async function guessFactor(world: World, me: Member): Promise<void> {
  if (!me.factor.isOnly(me.factor.all[0] ?? "") || me.factor.allows("")) return;
  const sitting = await atSecondStep(world, me);
  if (!sitting) return;
  const from = time.now();
  const wrong = wrongCodes(me.factor.all[0] ?? "");
  const pages = await Promise.allSettled(wrong.map(async (code) => await sitting.guess("/step/code", { code })));
  const checked = pages.filter((each) => each.status === "fulfilled" && each.value === 422).length;
  world.reached("ten wrong codes of an app at once");
  const seconds = (time.now() - from) / 1000;
  if (checked > 6 + Math.floor(Math.log2(seconds + 1)))
    throw new Violation("O7", `${checked} codes of ${me.name} were tried in ${seconds} seconds`);
}

/** Ten that are right in no time step around now. */
function wrongCodes(key: string): string[] {
  const right = new Set(Array.from({ length: 21 }, (_, step) => codeAt(key, time.now() + (step - 10) * 30_000)));
  const codes = Array.from({ length: 40 }, (_, number) => String(number).padStart(6, "0"));
  return codes.filter((code) => !right.has(code)).slice(0, 10);
}

/** O8: an address that the provider does not vouch for opens no account. */
async function falseProvider(world: World, me: Member): Promise<void> {
  const victim = me.chances.pick(world.clubMembers.filter(({ userId }) => userId !== undefined));
  const sitting = await strangeSitting(world, me);
  if (!victim || !sitting.has("/oauth/discord")) return;
  await sitting.submit("/oauth/discord");
  const said = me.chances.pick([{ verified: false }, {}]);
  const account = { id: `false-${victim.name}`, email: victim.email, ...said };
  await sitting.open(world.provider.agree(sitting.page.location, account));
  world.reached("an address that the provider did not verify");
  if (sitting.code !== undefined) throw new Violation("O8", `an unverified address signed in as ${victim.name}`);
}
