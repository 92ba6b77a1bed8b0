/** People with every method and several browsers, who change their accounts, and are impatient. */
import { disable, enable, revokeLogins } from "../../../src/people/administration.ts";
import * as applications from "../../../src/applications/service.ts";
import { calling } from "../browser.ts";
import type { Generator } from "../generator.ts";
import { Member } from "../members.ts";
import { Violation } from "../model.ts";
import { Sitting } from "../sitting.ts";
import { time } from "../time.ts";
import { Lost, type Part, type World } from "../world.ts";
import { changeAccount } from "./account-page.ts";
import { forget } from "./mailed-links.ts";
import { misuse } from "./misuse.ts";
import { enter, mailed, resume, signIn, strangeSitting, tryLogin, walk } from "./sign-ins.ts";

const hour = 3_600_000;
const by = { actor: { kind: "cli", name: "club" } } as const;

export async function club(world: World, { chances, isOver, pause }: Part): Promise<void> {
  for (const number of [1, 2, 3]) {
    const name = `guest${number}`;
    world.clubMembers.push(new Member(name, `203.0.113.${number}`, chances.fork(name)));
  }
  await Promise.all([
    ...world.clubMembers.map(async (me) => await live(world, me, { isOver, pause })),
    lookAfter(world, { chances: chances.fork("operator"), isOver, pause }),
  ]);
}

async function live(world: World, me: Member, { isOver, pause }: Omit<Part, "chances">): Promise<void> {
  const caller = { world, ipAddress: me.ipAddress, chances: me.chances.fork("network") };
  await calling(caller, async () => {
    while (!isOver()) {
      await pause(30_000);
      const act = me.userId === undefined ? signUp : me.chances.pick(acts);
      try {
        await act(world, me);
      } catch (error) {
        if (!(error instanceof Lost)) throw error;
      }
    }
  });
}

const acts = [
  signIn,
  signIn,
  signIn,
  resume,
  resume,
  tryLogin,
  tryLogin,
  changeAccount,
  changeAccount,
  changeAccount,
  misuse,
  forget,
];

async function signUp(world: World, me: Member): Promise<void> {
  const [browser] = me.browsers;
  if (!browser) return;
  const sitting = await Sitting.toApplication(world, browser);
  await sitting.open(`${sitting.session?.authUrl}/create-account`);
  if (!sitting.has("/create-account")) return;
  const since = world.mails.length;
  const [password = ""] = me.password.all;
  await sitting.create(me, password);
  const mail = await mailed(world, me, "confirm", since);
  if (mail) await sitting.confirm(me, mail.code);
  if (sitting.code === undefined) await signIn(world, me);
  else await enter(sitting, me);
}

/** Other settings, which count from the next sign-in on. */
async function setUpClub(world: World, chances: Generator): Promise<void> {
  const { clubAsks, clubTakesCodes, club } = world;
  const secondFactor = chances.pick(["optional", "optional", "required"] as const);
  const settings = {
    secondFactor,
    emailCode: chances.chance(0.7),
    signUp: chances.chance(0.8) ? "open" : "closed",
  } as const;
  clubAsks.is.maybe(secondFactor);
  clubTakesCodes.maybe(settings.emailCode);
  await attempted(async () => {
    await world.operate(async (ctx) => await applications.update(ctx, club.id, { settings }, by.actor));
    clubAsks.is.is(secondFactor);
    clubTakesCodes.is(settings.emailCode);
    clubAsks.since = time.now();
    world.note(`the club has other settings: ${JSON.stringify(settings)}`);
  });
}

/** An act that may fail or be lost. */
async function attempted(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof Lost) && (error as { code?: string }).code !== "SQLITE_IOERR") throw error;
  }
}

/** O10: once all is quiet, everybody signs in who may, with what they have. */
export async function everybodySignsIn(world: World): Promise<void> {
  for (const me of world.clubMembers) {
    if (me.userId === undefined || !me.knowsPassword || !me.access.isOnly("allowed")) continue;
    const caller = { world, ipAddress: me.ipAddress, chances: me.chances.fork("at last") };
    await calling(caller, async () => {
      let sitting = await strangeSitting(world, me);
      const secrets = me.password.all.flatMap((password) => me.factor.all.map((key) => ({ password, key })));
      for (const { password, key } of secrets) {
        const isRight = await sitting.password(me, password);
        if (isRight && (!sitting.has("/step/code") || (await sitting.typedCode(me, key)))) break;
        // Longer than any wait after wrong ones, whether of passwords or of codes.
        await time.pause(hour / 2);
        sitting = await strangeSitting(world, me);
      }
      // One that was removed is refused, and the page asks for another.
      const passkeys = sitting.has("/step/code") ? [] : me.passkeys;
      for (const one of passkeys) if (sitting.has("/step/passkey")) await sitting.passkey(me, "/step/passkey", one);
      await walk(sitting, me);
      if (sitting.code === undefined)
        throw new Violation("O10", `${me.name} can no longer sign in: ${sitting.page.status}`);
      await enter(sitting, me);
    });
  }
}

/** An operator of the club. */
async function lookAfter(world: World, { chances, isOver }: Part): Promise<void> {
  while (!isOver()) {
    await time.pause(chances.wait(400_000) + 1);
    if (isOver()) return;
    if (chances.chance(0.3)) {
      await setUpClub(world, chances);
      continue;
    }
    const member = chances.pick(world.clubMembers);
    const { userId } = member;
    if (userId === undefined) continue;
    const act = async (work: (...given: Parameters<typeof disable>) => Promise<unknown>): Promise<boolean> => {
      await world.operate(async (ctx) => await work(ctx, userId, { dryRun: false }, by));
      world.note(`the operator of the club: ${work.name} ${member.name}`);
      return true;
    };
    if (chances.chance(0.4)) {
      // O4: it changes nothing.
      const tried = chances.pick([disable, revokeLogins]);
      world.reached("a dry run of an end");
      await attempted(async () => {
        await world.operate(async (ctx) => await tried(ctx, userId, { dryRun: true }, by));
      });
      continue;
    }
    await attempted(async () => {
      if (member.access.isOnly("allowed") && chances.chance(0.6))
        await member.ends.by("revoke", async () => await act(revokeLogins));
      else if (member.access.isOnly("allowed")) {
        member.access.maybe("disabled");
        await member.ends.by("disable", async () => await act(disable));
        member.access.is("disabled");
      } else {
        member.access.maybe("allowed");
        await act(enable);
        member.access.is("allowed");
      }
    });
  }
}
