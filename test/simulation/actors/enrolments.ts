/** Ways to come to an account at the campus. Each ends with one whose address is proven. */
import { choose } from "../../support/invites.ts";
import { call, Visitor, type Page } from "../../support/person.ts";
import { has } from "../resident.ts";
import type { Student } from "../student.ts";
import { time } from "../time.ts";
import { Lost } from "../world.ts";

/** The page that asks for the code of a mail, answered by code or link. */
async function confirm(student: Student, asked: Page, visitor: Visitor, since: number): Promise<Page> {
  const { me } = student;
  me.must("O10", asked.status === 303, `cannot sign up: ${asked.status} at ${asked.url}`);
  me.must("O8", !asked.location.searchParams.has("code"), "signed up without a proof of the address");
  const waits = await visitor.get(asked.location.href);
  const { code, link } = await me.mailed("confirm", since);
  await student.isNobody("asking for a code");
  const way = me.chances.pick(["code", "link", "elsewhere"]);
  if (way === "code") return await visitor.submit(waits, "/confirm", { code });
  if (way === "elsewhere") {
    const page = await me.use(link);
    me.must("O8", !page.location.searchParams.has("code"), "a link signed up another browser");
    await student.isNobody("a link that another browser opened");
    me.world.reached("a link opened in another browser");
  }
  return await me.use(link, {}, visitor);
}

function created(student: Student, displayName: string | null): void {
  const { me, known } = student;
  known.displayName = displayName;
  known.emailVerified = true;
  me.leaves("entry user.create", "event user.created");
}

export const doors: readonly ((student: Student) => Promise<void>)[] = [
  async function byPassword(student) {
    const { me, known } = student;
    const visitor = new Visitor();
    const { session } = await me.begin(visitor);
    const form = await visitor.get(`${session.authUrl}/create-account`);
    const name = me.chances.pick(["", "Ada Student"]);
    if (me.chances.chance(0.3)) {
      const password = me.chances.pick(["short", me.email, "a weak password of many", "a common password of many"]);
      const refused = await visitor.submit(form, "/create-account", { email: me.email, name, password });
      me.must("O8", refused.status !== 303, `signs up with the password ${password}`);
    }
    const since = time.now();
    const asked = await visitor.submit(form, "/create-account", { email: me.email, name, password: me.password });
    const done = await confirm(student, asked, visitor, since);
    known.authMethods.password = true;
    created(student, name || null);
    await student.redeem({ session, page: await student.follow(done, visitor) }, "password", since);
  },
  async function byPasskey(student) {
    const { me, known } = student;
    const visitor = new Visitor();
    const { session } = await me.begin(visitor);
    const form = await visitor.get(`${session.authUrl}/create-account`);
    const name = me.chances.pick(["", "Bea Student"]);
    const since = time.now();
    const typed = { email: me.email, name };
    const asked = await student.makePasskey(form, visitor, "/create-account/passkey", typed);
    const done = await confirm(student, asked, visitor, since);
    me.password = "";
    known.authMethods.passkey = true;
    created(student, name || null);
    await student.redeem({ session, page: await student.follow(done, visitor) }, "passkey", since);
  },
  async function byProvider(student) {
    const { me, known, account } = student;
    const visitor = new Visitor();
    me.password = "";
    if (me.chances.chance(0.4)) {
      const { page } = await me.begin(visitor);
      const { id, name } = account;
      const given = me.chances.pick([
        { id, name },
        { ...account, verified: false },
      ]);
      const refused = await student.follow(await student.atProvider(page, visitor, undefined, given), visitor);
      me.must("O8", !refused.location.searchParams.has("code"), "signed up without an address of the provider");
      await student.isNobody("a provider that knows no address");
    }
    const { session, page } = await me.begin(visitor);
    const since = time.now();
    const done = await student.atProvider(page, visitor);
    known.authMethods.oauth = ["discord"];
    me.leaves("entry method.added oauth");
    created(student, account.name ?? null);
    await student.redeem({ session, page: await student.follow(done, visitor) }, "oauth", since);
  },
  async function byMailedCode(student) {
    const { me } = student;
    me.password = "";
    const from = time.now();
    const end = await student.attempt("emailCode");
    created(student, null);
    await student.redeem(end, "emailCode", from);
  },
  async function byInvitation(student) {
    const { me, known } = student;
    const since = time.now();
    const name = me.chances.pick([undefined, "Invited Student"]);
    const { status, body } = await me.server("POST", "/users", { email: me.email, name, invite: true });
    me.must("O10", status === 201, `was not invited: ${status}`);
    me.userId = String(body["id"]);
    known.displayName = name ?? null;
    me.leaves("entry user.invite", "event user.created");
    const { link } = await me.mailed("invite", since);
    await student.whole();
    const adds = me.chances.pick(["password", "passkey"] as const);
    const visitor = new Visitor();
    const page = await choose(link, adds, visitor);
    me.must("O10", page.status === 200, `an invitation is not open: ${page.status}`);
    const added = await student.addOnPage(page, visitor, adds);
    me.must("O10", added.status === 303, `an invitation leads nowhere: ${added.status}`);
    known.emailVerified = true;
    me.leaves("entry user.invite-accepted", "event user.updated");
    const again = await visitor.get(link);
    me.must("O3", again.status !== 200, "an invitation was open after its use");
    me.world.reached("an invitation of a server");
    if (adds === "passkey") me.password = "";
  },
  unproven,
];

/** O8: the first proof of an address gives the account, without what others had added to it. */
async function unproven(student: Student): Promise<void> {
  const { me, known } = student;
  const guessed = me.password;
  const { email } = me;
  const isByProvider = me.chances.chance(0.3);
  // What the provider says later, once it knows the address, is of its owner.
  const claimed = { id: `claimed-${me.name}`, email, name: "Claimed" };
  const { account } = student;
  known.displayName = "Claimed";
  if (isByProvider) {
    student.account = claimed;
    known.authMethods.oauth = ["discord"];
    me.leaves("entry method.added oauth");
    me.world.reached("a sign-up with an address that a provider did not verify");
  } else {
    const { status, body } = await me.server("POST", "/users", { email, password: guessed, name: "Claimed" });
    me.must("O10", status === 201, `was not created: ${status}`);
    me.userId = String(body["id"]);
    known.authMethods.password = true;
  }
  const claimant = new Visitor();
  const tokens = await student.enter(isByProvider ? "oauth" : "password", claimant);
  if (!isByProvider && me.chances.chance(0.5)) await claimPasskey(student, claimant, String(tokens["accessToken"]));
  me.leaves("entry user.create", "event user.created");
  student.account = account;
  await student.whole();
  const way = me.chances.pick(["oauth", "emailCode", "reset"] as const);
  if (way === "reset") {
    await me.resetPassword("the horse battery staple of the owner");
    if (!known.authMethods.password) me.leaves("event method.added password");
    known.authMethods = { password: true, passkey: false, oauth: [] };
    me.leaves("entry password.reset");
  } else {
    const from = time.now();
    const visitor = new Visitor();
    const end = await student.attempt(way, visitor);
    const { pathname } = new URL(end.page.url);
    const byForm = has(end.page, "/step/take-over") ? "/step/take-over" : "/code";
    const form = pathname.startsWith("/confirm/") ? pathname : byForm;
    me.must("O8", end.page.text.includes('name="agreed"'), `takes over without a word by ${way}: ${end.page.status}`);
    await student.whole();
    me.must("O4", await me.isValid(String(tokens["accessToken"])), "a login ended before the owner agreed");
    if (me.chances.chance(0.2)) return await turnBack(student);
    const agreed = await student.follow(await visitor.submit(end.page, form, {}), visitor);
    known.authMethods = { password: false, passkey: false, oauth: way === "oauth" ? ["discord"] : [] };
    known.emailVerified = true;
    if (way === "oauth") me.leaves("entry method.added oauth", "event method.added oauth");
    await student.redeem({ session: end.session, page: agreed }, way, from);
    me.password = "";
  }
  known.emailVerified = true;
  student.passkeys = [];
  me.leaves("entry user.address-proven", "event user.updated");
  me.world.reached(`an unproven account taken over by ${way}`);
  me.must("O1", !(await me.isValid(String(tokens["accessToken"]))), "a login outlived the first proof");
  const visitor = new Visitor();
  const { page } = await me.begin(visitor);
  const old = await me.elsewhere(async () =>
    isByProvider
      ? await student.follow(await student.atProvider(page, visitor, undefined, claimed), visitor)
      : await visitor.submit(page, "/password", { email, password: guessed }),
  );
  me.must("O1", !old.location.searchParams.has("code"), "a way in from before the first proof signs in");
  if (!isByProvider) me.must("O1", old.status !== 303, "a password from before the first proof leads on");
}

/** Who has not proven the address adds another way in. */
async function claimPasskey(student: Student, visitor: Visitor, accessToken: string): Promise<void> {
  const { service, campus } = student.me.world;
  const headers = { authorization: `Bearer ${accessToken}` };
  const asked = { type: "passkey", redirectUri: campus.redirectUri };
  const { body } = await call(service, "POST", "/users/auth-methods", headers, asked);
  const page = await visitor.get(String(body["authUrl"]));
  const done = await student.addOnPage(page, visitor, "passkey");
  student.me.must("O10", done.status === 303, `no passkey for an unproven account: ${done.status}`);
  student.me.world.reached("a passkey of an unproven account");
}

/** The owner leaves: all stays as it was. */
async function turnBack({ me }: Student): Promise<void> {
  me.world.reached("somebody who takes nothing over");
  throw new Lost("an account that nobody has proven");
}
