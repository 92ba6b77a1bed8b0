/** Somebody who may sign in by every method, and of whom the server knows everything. */
import { assertion, attest, type SoftPasskey } from "../support/authenticator.ts";
import { askedBy, askOptions } from "../support/passkey-ceremonies.ts";
import { Visitor, type Page, type Session } from "../support/person.ts";
import { newPasskey } from "./key-pairs.ts";
import { KnownMethods } from "./known-methods.ts";
import { KnownUser } from "./known-users.ts";
import { lieAbout, lieInMaking, outOfOrder } from "./lies.ts";
import { claimsOf } from "./oracles/tokens.ts";
import type { ProviderAccount } from "./provider.ts";
import { has, otherCode, type Resident } from "./resident.ts";
import { time } from "./time.ts";
import { Lost } from "./world.ts";

type Json = Record<string, unknown>;
export type Kind = "password" | "passkey" | "oauth";
export type Way = "password" | "passkey" | "oauth" | "emailCode";
type End = { session: Session; page: Page; visitor: Visitor };

const says: Record<Way, { acr: string; amr: string[] }> = {
  password: { acr: "urn:authsvc:acr:1", amr: ["pwd"] },
  passkey: { acr: "phr", amr: ["pop", "user", "mfa"] },
  oauth: { acr: "urn:authsvc:acr:1", amr: ["fed"] },
  emailCode: { acr: "urn:authsvc:acr:1", amr: ["otp"] },
};

export class Student {
  readonly me: Resident;
  readonly known: KnownUser;
  readonly methods: KnownMethods;
  passkeys: SoftPasskey[] = [];
  /** At the provider. */
  account: ProviderAccount;
  /** Who they are at the college, by the way that they came. */
  readonly idsThere = new Map<Way, string>();

  constructor(me: Resident) {
    this.me = me;
    this.known = new KnownUser(me.world, me.app, me.name, me.email);
    this.methods = new KnownMethods(me);
    this.account = { id: `at-${me.name}`, email: me.email, verified: true, name: `Provider's ${me.name}` };
  }

  /** By which ways one can sign in. */
  get ways(): Way[] {
    const { password, passkey, oauth } = this.known.authMethods;
    return [
      "emailCode",
      ...(password ? (["password"] as const) : []),
      ...(passkey ? (["passkey"] as const) : []),
      ...(oauth.length > 0 ? (["oauth"] as const) : []),
    ];
  }

  /** O4: all that the server is told of this person is what is known. */
  async whole(): Promise<void> {
    const { me, known } = this;
    const { status, body } = await me.server("GET", `/users/${me.userId}`);
    me.must("O4", status === 200, `is not there: ${status}`);
    const before = known.moments;
    known.userId = me.userId;
    known.email = me.email;
    known.learn(body, ["updatedAt", "lastLoginAt", "disabledAt"], { from: 0, to: Number.MAX_SAFE_INTEGER });
    me.must("O4", before === undefined || known.moments?.disabledAt === null, "is disabled");
    known.mustBe(body, { ...known.shown, metadata: body["metadata"] }, "a student");
    const listed = await me.server("GET", `/users?email=${encodeURIComponent(me.email)}`);
    known.mustBe(listed.body["users"], [known.listed], "the list of that address");
    const { password, passkey, oauth } = known.authMethods;
    const methods = await me.server("GET", `/users/${me.userId}/auth-methods`);
    const kinds = (methods.body["methods"] as { type: string }[]).map(({ type }) => type).toSorted();
    const expected = [...oauth.map(() => "oauth"), ...(passkey ? this.passkeys.map(() => "passkey") : [])];
    known.mustBe(kinds, [...expected, ...(password ? ["password"] : [])], "the list of methods");
    this.methods.check(methods.body["methods"] as Parameters<KnownMethods["check"]>[0]);
    const { body: factors } = await me.server("GET", `/users/${me.userId}/factors`);
    const [totp, recoveryCodes] = me.key === "" ? [null, 0] : [factors["totp"] ?? "an app", 10];
    known.mustBe(factors, { totp, recoveryCodes, failures: 0, blocked: false }, "the second factor");
  }

  /** O8: nobody has this address. */
  async isNobody(what: string): Promise<void> {
    const { body } = await this.me.server("GET", `/users?email=${encodeURIComponent(this.me.email)}`);
    this.me.must("O8", (body["users"] as unknown[]).length === 0, `has an account by ${what}`);
  }

  /** Until a page asks for something that cannot be skipped, or leads elsewhere. */
  async follow(page: Page, visitor: Visitor, givesCode = true): Promise<Page> {
    let at = page;
    for (let turns = 0; turns < 6; turns += 1) {
      if (at.status === 303 && at.location.origin === this.me.world.service.url)
        at = await visitor.get(at.location.href);
      else if (at.status === 200 && has(at, "/step/skip")) at = await visitor.submit(at, "/step/skip", {});
      else if (givesCode && this.me.key !== "" && has(at, "/step/code"))
        at = await visitor.submit(at, "/step/code", { code: await this.me.code() });
      else return at;
    }
    return at;
  }

  /** Where a provider leads works once, also if a network repeats the call. */
  async comeBack(visitor: Visitor, asked: Page, account = this.account): Promise<Page> {
    this.methods.tried.add("oauth");
    this.methods.said.add(String(account.email));
    const page = await visitor.get(this.me.world.provider.agree(asked.location, account));
    if (page.status >= 404 && this.me.world.faults.doubled > 0) throw new Lost("it arrived twice");
    return page;
  }

  async atProvider(page: Page, visitor: Visitor, form = "/oauth/discord", account = this.account): Promise<Page> {
    const asked = await visitor.submit(page, form, {});
    return asked.status === 303 ? await this.comeBack(visitor, asked, account) : asked;
  }

  /** Makes one as a page asks for it. */
  async makePasskey(page: Page, visitor: Visitor, form: string, typed: Record<string, string> = {}): Promise<Page> {
    const { service } = this.me.world;
    const options = await askOptions({ visitor, page, form }, typed);
    const passkey = newPasskey(this.me.chances, options.user?.id ?? "");
    this.passkeys.push(passkey);
    const credential = JSON.stringify(attest(passkey, askedBy(service, options)));
    return await visitor.submit(page, form, { credential });
  }

  /** On the page that adds it, once it is shown. */
  async addOnPage(page: Page, visitor: Visitor, kind: Kind): Promise<Page> {
    const { me, known } = this;
    const had = kind === "password" && known.authMethods.password;
    if (kind === "passkey" && me.chances.chance(0.4)) await lieInMaking(me, page, visitor, "/add/passkey");
    this.methods.tried.add(kind);
    const password = me.next("an added horse battery staple");
    if (kind === "password" && me.chances.chance(0.3)) {
      const bad = me.chances.pick(["short", me.email, "a weak password of many"]);
      const refused = await visitor.submit(page, "/add/password", { password: bad });
      me.must("O8", refused.status !== 303, `took the password ${bad}`);
    }
    const done =
      kind === "password"
        ? await visitor.submit(page, "/add/password", { password })
        : kind === "passkey"
          ? await this.makePasskey(page, visitor, "/add/passkey")
          : await this.atProvider(page, visitor, "/add/oauth");
    if (done.status !== 303) return done;
    if (kind === "password") me.password = password;
    // Who has no name gets the one that the provider says.
    if (kind === "oauth" && known.displayName === null) {
      known.displayName = this.account.name ?? null;
      me.leaves("event user.updated");
    }
    known.authMethods = {
      password: kind === "password" || known.authMethods.password,
      passkey: kind === "passkey" || known.authMethods.passkey,
      oauth: kind === "oauth" ? ["discord"] : known.authMethods.oauth,
    };
    me.leaves(had ? "entry password.changed password" : `entry method.added ${kind}`);
    me.leaves(had ? "event user.updated" : `event method.added ${kind}`);
    return done;
  }

  async usePasskey(page: Page, visitor: Visitor, form: string): Promise<Page> {
    const options = await askOptions({ visitor, page, form });
    this.methods.tried.add("passkey");
    const one = this.me.chances.pick(this.passkeys);
    const credential = JSON.stringify(assertion(one, askedBy(this.me.world.service, options)));
    return await visitor.submit(page, form, { credential });
  }

  /** All but the last act of a proof, which the answer does. */
  async prepare(way: Way, page: Page, visitor: Visitor, app = this.me.app): Promise<() => Promise<Page>> {
    const { me } = this;
    this.methods.tried.add(way);
    if (way === "passkey" && me.chances.chance(0.4))
      await me.elsewhere(async () => await lieAbout(me, me.chances.pick(this.passkeys)));
    if (way === "password") {
      const typed = { email: me.email, password: me.password };
      return async () => await visitor.submit(page, "/password", typed);
    }
    if (way === "oauth") {
      const asked = await visitor.submit(page, "/oauth/discord", {});
      return async () => (asked.status === 303 ? await this.comeBack(visitor, asked) : asked);
    }
    if (way === "passkey") {
      const passkey = me.chances.pick(this.passkeys);
      const options = await askOptions({ visitor, page });
      const credential = JSON.stringify(assertion(passkey, askedBy(me.world.service, options)));
      return async () => await visitor.submit(page, "/passkey", { credential });
    }
    const since = time.now();
    const form = await visitor.get(`${page.url.split("?")[0]}/email-code`);
    if (form.status !== 200) return async () => await Promise.resolve(form);
    const asked = await visitor.submit(form, "/email-code", { email: me.email });
    const waits = await visitor.get(asked.location.href);
    const { code, link } = await me.mailed("confirm", since);
    if (app === me.app && me.chances.chance(0.3)) {
      // O8: it is of this sign-in, and no other code is.
      const wrong = await visitor.submit(waits, "/code", { code: otherCode(code) });
      me.must("O8", wrong.status !== 303, "a wrong mailed code was taken");
      const thief = new Visitor();
      const { page: strange } = await me.begin(thief);
      const place = `${strange.url.split("?")[0]}/code`;
      const tried = await thief.post(place, { ...strange.form("/password").fields, code });
      me.must("O8", !tried.location.searchParams.has("code"), "a mailed code was taken in another sign-in");
    }
    if (me.chances.chance(0.3)) {
      // O8: it signs in only the browser that asked for it.
      const elsewhere = await me.use(link);
      me.must("O8", !elsewhere.location.searchParams.has("code"), "a mailed link signed another browser in");
      return async () => await me.use(link, {}, visitor);
    }
    return async () => {
      const done = await visitor.submit(waits, "/code", { code });
      if (done.status !== 303 || me.chances.chance(0.5)) return done;
      const again = await visitor.submit(waits, "/code", { code });
      me.must("O3", !again.location.searchParams.has("code"), "a mailed code worked twice");
      return done;
    };
  }

  /** One sign-in; whether it comes to a code is for the caller to judge. */
  async attempt(way: Way, visitor = new Visitor(), asked: Json = {}): Promise<End> {
    const { session, page } = await this.me.begin(visitor, asked);
    if (this.me.chances.chance(0.15)) {
      const stranger = new Visitor();
      await outOfOrder(this.me, (await this.me.begin(stranger)).page, stranger);
    }
    const prove = await this.prepare(way, page, visitor);
    return { session, page: await this.follow(await prove(), visitor), visitor };
  }

  async enter(way = this.me.chances.pick(this.ways), visitor = new Visitor(), asked: Json = {}): Promise<Json> {
    const from = time.now();
    const end = await this.attempt(way, visitor, asked);
    return await this.redeem(end, way, from);
  }

  /** O6 and O4: what the application gets is of this person, by this way, and whole. */
  async redeem({ session, page }: Pick<End, "session" | "page">, way: Way, from: number): Promise<Json> {
    const { me, known } = this;
    const code = page.location.searchParams.get("code") ?? undefined;
    if (code === undefined && time.now() > from + 50_000) throw new Lost("too late");
    me.must(
      "O10",
      code !== undefined,
      `cannot sign in by ${way}: ${page.status} at ${page.url} ${/<h1>.*<.h1>/u.exec(page.text)?.[0]}`,
    );
    const { status, body } = await me.redeem({
      session,
      code,
      state: page.location.searchParams.get("state") ?? undefined,
    });
    if (status !== 200 && time.now() > from + 50_000) throw new Lost("too late for the code");
    me.must("O4", status === 200, `a code by ${way} was refused: ${JSON.stringify(body.error)}`);
    const { sub, acr, amr } = claimsOf(String(body["accessToken"])) as { sub: string; acr: string; amr: string[] };
    if (me.userId === "") me.userId = sub;
    this.methods.used.add(way);
    me.must("O8", sub === me.userId, `got a login of ${sub}`);
    const isTwo = me.key !== "" && way !== "passkey";
    const two = { acr: "urn:authsvc:acr:2", amr: [...new Set([...says[way].amr, "otp", "mfa"])] };
    known.mustBe({ acr, amr }, isTwo ? two : says[way], `what a token by ${way} says`);
    me.world.languages.set(me.email, { language: me.locale, since: time.now() });
    const user = body["user"] as Json;
    const { emailVerified, displayName: name, picture, authMethods } = known;
    const { createdAt, lastLoginAt } = user;
    const expected = {
      id: me.userId,
      email: me.email,
      emailVerified,
      name,
      picture,
      createdAt,
      lastLoginAt,
      authMethods,
    };
    known.mustBe(user, expected, "the user of a callback");
    me.world.reached(`a student signed in by ${way}`);
    return body;
  }

  /** O8 and O1: this way leads to no code. */
  async isRefused(way: Way, what: string): Promise<void> {
    const { page } = await this.me.elsewhere(async () => await this.attempt(way));
    this.me.must("O1", !page.location.searchParams.has("code"), `signs in by ${way}, ${what}`);
  }
}
