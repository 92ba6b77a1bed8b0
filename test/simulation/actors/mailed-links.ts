/** Forgotten passwords: the link of a mail, which works once. */
import { Visitor, type Page } from "../../support/person.ts";
import type { Thing } from "../ends.ts";
import type { Member } from "../members.ts";
import { Violation } from "../model.ts";
import { Sitting } from "../sitting.ts";
import { time } from "../time.ts";
import type { World } from "../world.ts";
import { enter, mailed, strangeSitting, together, walk } from "./sign-ins.ts";

type Link = Thing & { link: string };

/** Asks for a new password, perhaps twice, waits perhaps, and uses the link, perhaps twice. */
export async function forget(world: World, me: Member): Promise<void> {
  const first = await ask(world, me);
  if (!first) return;
  let last = first;
  if (me.chances.chance(0.5)) {
    const next = await ask(world, me);
    if (next) {
      world.reached("a mailed link after its successor");
      // The mail that arrived last may be of the first form, posted twice, and tried again later.
      if ((await isOpen(first.link)) && (await isOpen(next.link)))
        throw new Violation("O3", `a link to reset the password of ${me.name} outlived its successor`);
      last = next;
    }
  }
  if (me.chances.chance(0.3)) {
    // Acts of others may end it.
    await time.pause(me.chances.wait(120_000));
    const from = time.now();
    if (me.ends.isOver(last, from) && (await isOpen(last.link)))
      throw new Violation("O1", `a link to reset the password of ${me.name} was open after its end`);
  }
  await use(world, me, last);
}

async function ask(world: World, me: Member): Promise<Link | undefined> {
  const [browser] = me.browsers;
  if (!browser) return undefined;
  const sitting = await Sitting.toApplication(world, browser);
  await sitting.open(`${sitting.session?.authUrl}/forgot-password`);
  if (!sitting.has("/forgot-password")) return undefined;
  const since = world.mails.length;
  const askedAt = time.now();
  await sitting.submit("/forgot-password", { email: me.email });
  const mail = await mailed(world, me, "reset", since);
  return mail && { kind: "reset link", askedAt, since: time.now(), link: mail.link };
}

async function isOpen(link: string): Promise<boolean> {
  const page = await new Visitor().get(link);
  return page.status === 200 && page.text.includes('name="password"');
}

/** O3: of two uses at the same time, and of one later, one works. */
async function use(world: World, me: Member, { link }: Link): Promise<void> {
  const before = me.password.all;
  const isTwice = me.chances.chance(0.4);
  const tried = isTwice ? [me.newPassword(), me.newPassword()] : [me.newPassword()];
  const visitors = tried.map(() => new Visitor());
  const forms = await Promise.all(visitors.map(async (visitor) => await visitor.get(link)));
  if (forms.some(({ status }) => status !== 200)) return;
  const meanwhile = me.chances.chance(0.4) ? await strangeSitting(world, me) : undefined;
  const old = before.at(-1) ?? "";
  for (const password of tried) me.password.maybe(password);
  let changed: string[] = [];
  await me.ends.by("reset", async () => {
    const posted = Promise.allSettled(
      tried.map(async (password, at) => await post(visitors[at], forms[at], link, password)),
    );
    await together(posted, async () => {
      if (meanwhile?.has("/password")) await meanwhile.password(me, old);
    });
    const pages = await posted;
    changed = tried.filter((_, at) => pages[at]?.status === "fulfilled" && pages[at].value);
    const failed = pages.find((each) => each.status === "rejected");
    if (changed.length === 0 && failed) throw failed.reason;
    return changed.length > 0;
  });
  if (isTwice) world.reached("two uses of one mailed link");
  if (meanwhile) world.reached("a sign-in by a password that is being replaced");
  world.note(`${me.name} resets the password: ${changed.length} of ${tried.length}`);
  if (changed.length > 1) throw new Violation("O3", `a link to reset the password of ${me.name} worked twice`);
  const [password] = changed;
  if (password !== undefined) {
    me.password.is(password);
    me.knowsPassword = true;
  } else if (before.length === 1) me.password.is(before[0] ?? "");
  if (password !== undefined && (await isOpen(link)))
    throw new Violation("O3", `a link to reset the password of ${me.name} was open after its use`);
  if (!meanwhile) return;
  if (meanwhile.has("/step/code")) await walk(meanwhile, me);
  await enter(meanwhile, me);
}

/** Whether it changed the password. */
async function post(visitor?: Visitor, form?: Page, link = "", password = ""): Promise<boolean> {
  if (!visitor || !form) return false;
  const page = await visitor.submit(form, new URL(link).pathname, { password });
  return page.text.includes("Your password is changed");
}
