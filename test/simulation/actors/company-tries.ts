/** What a company's provider says of factors and addresses, when it fails, and many at once. */
import * as factors from "../../../src/factors/service.ts";
import { wrongCodeAt } from "../../support/factors.ts";
import type { Visitor } from "../../support/person.ts";
import { has, type Resident } from "../resident.ts";
import { allOf } from "../sitting.ts";
import { time } from "../time.ts";
import { Lost } from "../world.ts";
import {
  agree,
  arrive,
  codeAt,
  come,
  follow,
  honest,
  invite,
  tokensOf,
  type Came,
  type Firm,
} from "./company-visits.ts";

const minute = 60_000;
const twoFactors = { amr: ["mfa", "pwd", "otp"] };

/** O6: where two factors are asked for, the provider opens only if its word is trusted. */
export async function demandsFactors(me: Resident, own: Firm): Promise<void> {
  const sets = async (secondFactor: string): Promise<void> => {
    const { status } = await me.server("PATCH", `/organizations/${own.id}`, { secondFactor });
    me.must("O10", status === 200, `the policy ${secondFactor} is not set: ${status}`);
  };
  await sets("required");
  const says = me.chances.chance(0.5);
  if (says) own.company.claims = twoFactors;
  const came = await come(me, own.company, { typed: me.email, person: honest(me) });
  own.company.reform();
  const isEnough = says && own.trusts;
  if (isEnough) await tokensOf(me, own, came, true);
  else me.must("O6", codeAt(came.page) === undefined, "an organization with two factors opened by one");
  await sets("off");
  me.world.reached(`two factors asked of a company: ${isEnough ? "said" : "not said"}`);
}

/** O10: several people of one company at the same moment. */
export async function crowds(me: Resident, own: Firm): Promise<void> {
  const all = await allOf(
    [1, 2, 3, 4, 5].map(async () => await come(me, own.company, { typed: me.email, person: honest(me) })),
  );
  for (const { page } of all)
    me.must("O10", codeAt(page) !== undefined, `one of several gets no code: ${page.status} ${h1(page)}`);
  me.world.reached("several people of a company at once");
}

const h1 = ({ text }: Came["page"]): string => /<h1>([^<]*)/u.exec(text)?.[1] ?? "";

/** O10: what fails twice, ten minutes apart, is said and mailed to the owners. */
export async function fails(me: Resident, own: Firm): Promise<void> {
  const { company } = own;
  const since = time.now();
  const tries = async (): Promise<void> => {
    company.fault = me.chances.pick(["client", "down"] as const);
    const came = await arrive(me, company, { typed: me.email, person: honest(me) }).finally(() => company.reform());
    me.must("O14", codeAt(came.page) === undefined, "a provider that fails signed somebody in");
  };
  await tries();
  me.must("O10", !(await isFailing(me, own)), "a provider fails after one failure");
  await time.pause(10.5 * minute);
  await tries();
  me.must("O10", await isFailing(me, own), "nobody says that a provider fails");
  const mails = async () => {
    await time.pause(20_000);
    return me.world
      .mailsSince(since)
      .filter(({ to, text }) => to === own.owner && text.includes(`login.${own.domain}`));
  };
  let told = await mails();
  for (let turns = 0; turns < 6 && told.length === 0; turns += 1) told = await mails();
  const isQuiet = me.world.faults.failingMail > 0;
  me.must("O10", told.length > 0 || isQuiet, "no owner gets a mail that a provider fails");
  const came = await come(me, company, { typed: me.email, person: honest(me) });
  me.must("O10", codeAt(came.page) !== undefined, "a provider that works again signs nobody in");
  me.must("O10", !(await isFailing(me, own)), "a provider works again, and is said to fail");
  me.world.reached("a company's provider that failed");
}

async function isFailing(me: Resident, { id }: Firm): Promise<boolean> {
  const { status, body } = await me.server("GET", `/organizations/${id}/provider`);
  const { failingSince, failure } = (body["provider"] ?? {}) as Record<string, unknown>;
  me.must("O4", status === 200 && (failingSince === null) === (failure === null), "a failure without its reason");
  return failingSince !== null;
}

/** O14: without a word about the address, only an owner's word or the mailbox proves it. */
export async function saysNothing(me: Resident, own: Firm): Promise<void> {
  const email = `${me.next("silent").replaceAll(" ", "-")}@${own.domain}`;
  await invite(me, own, email);
  const since = time.now();
  const came = await arrive(me, own.company, { typed: email, person: { sub: email, email } });
  const asks = has(came.page, "/company/mail");
  me.must(own.isFixed ? "O10" : "O14", asks !== own.isFixed, `asks for the mailbox: ${asks}, fixed: ${own.isFixed}`);
  if (!own.isFixed) {
    const [, token = ""] = /name="token" value="([^"]+)"/u.exec(came.page.text) ?? [];
    const pressed = await came.visitor.post(`${came.session.authUrl}/company/agree`, { token });
    me.must(
      "O14",
      codeAt(await follow(me, came.visitor, pressed)) === undefined,
      "joined by an address without a proof",
    );
    const proven = await byMail(me, came, email, since);
    return me.must("O10", codeAt(await agree(me, proven)) !== undefined, "the mailbox opens no organization");
  }
  me.must("O10", codeAt(await agree(me, came)) !== undefined, "an address that an owner vouches for opens nothing");
  me.world.reached("a company that says nothing of an address");
}

/** The code that a company's sign-in mails. */
async function byMail(me: Resident, { session, visitor, page }: Came, email: string, since: number): Promise<Came> {
  const asked = await follow(me, visitor, await visitor.submit(page, "/company/mail", {}));
  const code = await codeOf(me, email, since);
  const wrong = await visitor.submit(asked, "/company/code", {
    code: code === "1234 5678" ? "1234 5679" : "1234 5678",
  });
  me.must("O8", wrong.status === 422, `a wrong code of a mailbox: ${wrong.status}`);
  return { session, visitor, page: await follow(me, visitor, await visitor.submit(wrong, "/company/code", { code })) };
}

async function codeOf(me: Resident, email: string, since: number): Promise<string> {
  for (let tries = 0; tries < 15; tries += 1) {
    for (const { to, text } of me.world.mailsSince(since)) {
      const code = to === email ? /\b\d{4} \d{4}\b/u.exec(text)?.[0] : undefined;
      if (code !== undefined) return code;
    }
    await time.pause(2000);
  }
  throw new Lost("no code was mailed");
}

/** O7: a mailbox links an account only with its app, of which wrong codes make it wait. */
export async function linksByMailbox(me: Resident, own: Firm): Promise<void> {
  const { world, chances, userId } = me;
  const hasApp = chances.chance(0.7);
  if (hasApp) {
    me.key = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";
    const factor = { secret: me.key, recoveryDigests: [] };
    await world.operate(async (ctx) => {
      await ctx.storage.write((tx) => factors.importFactor(ctx, tx, userId, factor, ctx.clock()));
    });
  }
  const since = time.now();
  const came = await arrive(me, own.company, { typed: me.email, person: honest(me) });
  me.must("O10", has(came.page, "/company/mail"), `no mailbox is offered: ${came.page.status} at ${came.page.url}`);
  const { visitor, page, session } = await byMail(me, came, me.email, since);
  const last = hasApp ? await guesses(me, visitor, page) : page;
  const values: Record<string, string> = hasApp ? { code: await me.code() } : {};
  const done = await follow(me, visitor, await visitor.submit(last, "/company/agree", values));
  await tokensOf(me, own, { session, visitor, page: done });
  me.leaves("entry organization.identity.link");
  world.reached(`a mailbox that linked an account${hasApp ? ", with its app" : ""}`);
}

async function guesses(me: Resident, visitor: Visitor, page: Came["page"]): Promise<Came["page"]> {
  const without = await visitor.submit(page, "/company/agree", {});
  me.must("O8", codeAt(without) === undefined && has(without, "/company/agree"), "a mailbox alone links an account");
  const wrongs = 6 + me.chances.below(3);
  let [at, since] = [without, 0];
  for (let tries = 1; tries <= wrongs; tries += 1) {
    since = time.now();
    at = await visitor.submit(at, "/company/agree", { code: wrongCodeAt(me.key, time.now()) });
    me.must("O8", has(at, "/company/agree"), `a wrong code of an app behind a company: ${at.status}`);
    if (tries < wrongs) await time.pause(tries > 5 ? 2 ** (tries - 6) * 1000 + 500 : 1000);
  }
  const wait = 2 ** (wrongs - 6) * 1000;
  const early = await visitor.submit(at, "/company/agree", { code: await me.code() });
  const wasEarly = time.now() < since + wait;
  const isTaken = !has(early, "/company/agree");
  me.must("O7", !wasEarly || !isTaken, `a code was taken ${time.now() - since} ms after ${wrongs} wrong ones`);
  if (isTaken) throw new Lost("it was taken later");
  await time.pause(wait + 1000);
  return early;
}
