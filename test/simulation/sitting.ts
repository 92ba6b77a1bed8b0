/** One sign-in in one browser, with what was proven in it as far as anybody outside can tell. */
import { decodeJwt } from "jose";
import { assertion, attest } from "../support/authenticator.ts";
import { codesIn, keyIn } from "../support/factors.ts";
import { askedBy, type PasskeyOptions } from "../support/passkey-ceremonies.ts";
import { call, initiate, type Page, type Session } from "../support/person.ts";
import type { Generator } from "./generator.ts";
import { Possible, Violation } from "./model.ts";
import { newPasskey } from "./key-pairs.ts";
import type { Browser, ClubLogin, Member } from "./members.ts";
import { time } from "./time.ts";
import { Lost, type World } from "./world.ts";

type Kind = "password" | "passkey" | "emailCode" | "oauth" | "totp" | "recovery-code" | "new-totp";

/** A proof that was given, right or perhaps right, and answered at `at`. */
type Proof = { by: Member; kind: Kind; at: number; isStillRight: () => boolean };

const amr: Record<Kind, string[]> = {
  password: ["pwd"],
  passkey: ["pop", "user", "mfa"],
  emailCode: ["otp"],
  oauth: ["fed"],
  totp: ["otp", "mfa"],
  "recovery-code": ["otp", "mfa"],
  "new-totp": ["otp"],
};
const levels = ["urn:authsvc:acr:1", "urn:authsvc:acr:2", "phr"];

export class Sitting {
  readonly world: World;
  readonly browser: Browser;
  readonly begun = time.now();
  readonly proofs: Proof[] = [];
  /** Undefined: at the account page. */
  session: Session | undefined;
  page!: Page;
  /** When it was last posted to. */
  postedAt = time.now();
  readonly #needs = new Map<Member, boolean>();
  readonly #chances: Generator;
  #takesTrust = true;

  private constructor(world: World, browser: Browser) {
    this.world = world;
    this.browser = browser;
    this.#chances = browser.chances;
    for (const member of world.clubMembers) this.#needs.set(member, needsSecond(member));
  }

  static async toApplication(world: World, browser: Browser, asked: Record<string, unknown> = {}): Promise<Sitting> {
    const sitting = new Sitting(world, browser);
    sitting.#takesTrust = Object.keys(asked).length === 0;
    sitting.session = await initiate(world.service, world.club, asked);
    await sitting.open(sitting.session.authUrl);
    return sitting;
  }

  static async at(world: World, browser: Browser, url: string): Promise<Sitting> {
    const sitting = new Sitting(world, browser);
    await sitting.open(url);
    return sitting;
  }

  async open(url: string): Promise<void> {
    this.page = await this.browser.visitor.get(url);
    await this.#follow();
  }

  /** Whether the page has this form of a sign-in, such as "/step/code". */
  has(form: string): boolean {
    return new RegExp(`/sis_[A-Za-z0-9_-]+${form}["?]`, "u").test(this.page.text);
  }

  /** Whether the service says so in the address of the account page. */
  says(name: string, word: string): boolean {
    return this.isAtAccount && new URL(this.page.url).searchParams.get(name) === word;
  }

  get isAtAccount(): boolean {
    return this.page.status === 200 && new URL(this.page.url).pathname.startsWith("/account");
  }

  /** The code that it leads back to the application with. */
  get code(): string | undefined {
    return codeIn(this.page);
  }

  /** Whether it was taken: the next page is another step, or the end. */
  async submit(form: string, values: Record<string, string> = {}): Promise<boolean> {
    this.postedAt = time.now();
    const page = await this.#post(form, values);
    this.page = page;
    const isTaken = page.status === 303;
    await this.#follow();
    // Its proofs ended meanwhile: it begins again.
    return isTaken && !this.has("/password");
  }

  /** The impatient press twice, and see what comes last. */
  async #post(form: string, values: Record<string, string>): Promise<Page> {
    const { visitor } = this.browser;
    const { page } = this;
    const post = async (): Promise<Page> => await visitor.submit(page, form, values);
    if (!this.#chances.chance(0.1)) return await post();
    this.world.reached("a form posted twice");
    const pages = await allOf([post(), post()]);
    const codes = pages.filter((each) => codeIn(each) !== undefined);
    if (codes.length > 1) throw new Violation("O3", "a sign-in led to two codes");
    return codes[0] ?? pages.find(saysDone) ?? pages.find(({ status }) => status === 303) ?? (pages[1] as Page);
  }

  async #follow(): Promise<void> {
    // It may have been done or not.
    if (this.page.status >= 500) throw new Lost(`the answer was ${this.page.status}`);
    for (let count = 0; count < 5; count += 1) {
      if (this.page.status !== 303 || this.page.location.origin !== this.world.service.url) return;
      this.page = await this.browser.visitor.get(this.page.location.href);
      if (this.page.status >= 500) throw new Lost(`the answer was ${this.page.status}`);
    }
  }

  /** A proof is noted before it is posted: it may count although its answer was lost. */
  async #prove(
    by: Member,
    kind: Kind,
    form: string,
    values: Record<string, string>,
    isStillRight = (): boolean => true,
  ): Promise<boolean> {
    const proof = { by, kind, at: Infinity, isStillRight };
    this.proofs.push(proof);
    // From now on the browser may be signed in.
    const account = { kind: kind === "passkey" ? "logins" : "account pages", askedAt: time.now(), since: Infinity };
    this.browser.account = { ...account, browser: this.browser };
    if (kind === "password") by.passwordTakenAt = time.now();
    const isTaken = await this.submit(form, values);
    if (kind === "password") by.passwordTakenAt = time.now();
    proof.at = time.now();
    this.world.note(`${by.name} gives ${kind}: ${this.page.status}`);
    return isTaken;
  }

  /** An account, whose address a mailed code proves then. */
  async create(by: Member, password: string): Promise<void> {
    await this.#prove(by, "password", "/create-account", { email: by.email, name: "", password });
  }

  async confirm(by: Member, code: string): Promise<void> {
    if (this.has("/confirm")) await this.#prove(by, "emailCode", "/confirm", { code });
  }

  /** O8: a wrong password leads nowhere. */
  async password(by: Member, password: string): Promise<boolean> {
    const mayBeRight = (): boolean => by.password.allows(password);
    const could = mayBeRight();
    const isTaken = could
      ? await this.#prove(by, "password", "/password", { email: by.email, password }, mayBeRight)
      : await this.submit("/password", { email: by.email, password });
    if (!could) this.world.note(`${by.name} mistypes the password: ${this.page.status}`);
    if (isTaken && !could && !mayBeRight()) throw new Violation("O8", `a wrong password of ${by.name} led on`);
    return isTaken;
  }

  /** In a sign-in that has come to the recovery codes of somebody else. */
  async passwordOfAnother(by: Member, password: string): Promise<void> {
    const { visitor } = this.browser;
    const { fields } = this.page.form("/step/continue");
    this.proofs.push({ by, kind: "password", at: Infinity, isStillRight: () => true });
    by.passwordTakenAt = Infinity;
    this.page = await visitor.post(`${this.session?.authUrl}/password`, { ...fields, email: by.email, password });
    by.passwordTakenAt = time.now();
    await this.#follow();
    this.world.note(`${by.name} gives the password in the sign-in of another: ${this.page.status}`);
  }

  /** Posts a form and stays at its page; the status of the answer. */
  async guess(form: string, values: Record<string, string>): Promise<number> {
    return (await this.browser.visitor.submit(this.page, form, values)).status;
  }

  /** `form`: of the first proof or of a step. */
  async passkey(by: Member, form: "/passkey" | "/step/passkey", one = by.chances.pick(by.passkeys)): Promise<boolean> {
    const from = time.now();
    const wasGone = one.is.isOnly("gone");
    const options = await this.#options(form);
    if (!options) return false;
    const credential = JSON.stringify(assertion(one.passkey, askedBy(this.world.service, options)));
    const isTaken = await this.#prove(by, "passkey", form, { credential }, () => one.is.allows("there"));
    if (isTaken && wasGone) throw new Violation("O1", `a passkey of ${by.name} worked that was removed before ${from}`);
    return isTaken;
  }

  /** What the page's script asks for; undefined if the sign-in has changed meanwhile. */
  async #options(form: string): Promise<PasskeyOptions | undefined> {
    const { action, fields } = this.page.form(form);
    const answer = await this.browser.visitor.post(`${new URL(action, this.page.url).href}/options`, fields);
    if (answer.status >= 500) throw new Lost(`the answer was ${answer.status}`);
    return answer.status === 200 ? (answer.json() as { options: PasskeyOptions }).options : undefined;
  }

  async addPasskey(by: Member): Promise<void> {
    const options = await this.#options("/add/passkey");
    if (!options) return;
    const passkey = newPasskey(by.chances, options.user?.id ?? "");
    const is = new Possible<"there" | "gone">("gone");
    is.maybe("there");
    by.passkeys.push({ passkey, is });
    const credential = JSON.stringify(attest(passkey, askedBy(this.world.service, options)));
    await this.submit("/add/passkey", { credential });
    if (this.says("status", "added")) is.is("there");
  }

  /** `secret`: what works once. O3. */
  async typed(by: Member, kind: "totp" | "recovery-code", code: string, secret: string): Promise<boolean> {
    const trusts = this.page.text.includes('name="trust"') && by.chances.chance(0.3);
    const trust = { kind: "trusted browsers", askedAt: time.now(), since: Infinity, browser: this.browser };
    if (trusts) this.browser.trust = trust;
    const isTaken = await this.#prove(by, kind, "/step/code", { code, ...(trusts && { trust: "yes" }) });
    if (!isTaken) return false;
    by.worked(secret);
    if (trusts) trust.since = time.now();
    return true;
  }

  /** A code of the app with this key. */
  async typedCode(by: Member, key: string): Promise<boolean> {
    if (key === "") return false;
    const { code, secret } = await by.unusedCode(key);
    const isTaken = await this.typed(by, "totp", code, secret);
    if (isTaken) by.factor.is(key);
    return isTaken;
  }

  /** The code of a mail. */
  async mailedCode(by: Member, code: string): Promise<boolean> {
    return await this.#prove(by, "emailCode", "/code", { code });
  }

  /** Agrees at the provider to sign in there. `account`: whose, by its subject. */
  async oauth(by: Member): Promise<boolean> {
    const { provider } = this.world;
    await this.submit("/oauth/discord", {});
    const proof: Proof = { by, kind: "oauth", at: Infinity, isStillRight: () => true };
    this.proofs.push(proof);
    this.browser.account = { kind: "account pages", askedAt: time.now(), since: Infinity, browser: this.browser };
    this.postedAt = time.now();
    await this.open(provider.agree(this.page.location, { id: `at-${by.name}`, email: by.email, verified: true }));
    proof.at = time.now();
    this.world.note(`${by.name} comes from the provider: ${this.page.status}`);
    return this.page.status < 400 && !this.has("/password");
  }

  /** Sets an app up in a sign-in, or on the account page. */
  async setUp(by: Member, form: "/step/set-up" | "/account/factor"): Promise<boolean> {
    const key = keyIn(this.page);
    const { code, secret } = await by.unusedCode(key);
    by.factor.maybe(key);
    this.proofs.push({ by, kind: "new-totp", at: time.now(), isStillRight: () => true });
    await this.submit(form, { code });
    const codes = codesIn(this.page);
    if (codes.length === 0) return false;
    by.worked(secret);
    by.factor.is(key);
    by.recoveryCodes = codes;
    return true;
  }

  /** O8 and O6: what it leads to was proven by this person. */
  check(by: Member): void {
    const given = this.proofs.filter((proof) => proof.by === by);
    if (given.length === 0) throw new Violation("O8", `${by.name} was signed in without a proof`);
    const { trust } = this.browser;
    const isTrusted = this.#takesTrust && trust !== undefined && !by.ends.isOver(trust, this.begun);
    const hasSecond = given.some(({ kind }) => isSecond(kind) || kind === "passkey");
    const { is, since } = this.world.clubAsks;
    const isAsked = is.isOnly("required") && since < this.begun;
    if (isAsked && !hasSecond && !isTrusted && !given.some(({ kind }) => kind === "new-totp"))
      throw new Violation("O6", `${by.name} was signed in without the second factor that everybody needs`);
    const isNeeded = this.#needs.get(by) === true && needsSecond(by) && !by.ends.mayHaveHappened("no app", this.begun);
    if (isNeeded && !hasSecond && !isTrusted)
      throw new Violation("O6", `${by.name} was signed in without the second factor`);
    if (!by.access.allows("allowed") && !by.ends.mayHaveHappened("disable", this.begun))
      throw new Violation("O8", `${by.name} was signed in although disabled`);
  }

  /** Exchanges the code. O1, and O6 for what the tokens say. */
  async redeem(by: Member): Promise<ClubLogin | undefined> {
    const { code, session, world } = this;
    const { service, club } = world;
    if (code === undefined || session === undefined) return undefined;
    const { browser } = this;
    const thing = { kind: "codes for apps", askedAt: this.postedAt, since: time.now(), browser };
    if (by.chances.chance(0.3)) await time.pause(by.chances.wait(15_000));
    const from = time.now();
    const given = this.proofs.filter((proof) => proof.by === by);
    // Enough when it was given may not be enough now, and the way that it came by may be closed.
    const isEnough = (): boolean =>
      world.clubAsks.is.isOnly("optional") &&
      (world.clubTakesCodes.isOnly(true) || !given.some(({ kind }) => kind === "emailCode"));
    const wasEnough = isEnough();
    const areOld = given.every(({ kind, isStillRight }) => isSecond(kind) || !isStillRight());
    const body = { code, sessionId: session.sessionId };
    const answer = await call(service, "POST", "/auth/callback", club.headers, body);
    world.note(`${by.name} redeems: ${answer.status}`);
    if (answer.status !== 200) {
      const isYoung = time.now() - thing.askedAt < 55_000 && world.clockWasRight(thing.askedAt);
      if (answer.status < 500 && isYoung && wasEnough && isEnough() && !by.ends.mayBeOver(thing))
        throw new Violation("O4", `a code of ${by.name} was refused although nothing ended it`);
      return undefined;
    }
    if (areOld) throw new Violation("O1", `${by.name} got a login by what was replaced or removed before`);
    if (by.ends.isOver(thing, from)) throw new Violation("O1", `a code of ${by.name} was taken after its end`);
    const token = String(answer.body["accessToken"]);
    this.#checkClaims(by, decodeJwt(token));
    return { ...thing, kind: "logins", since: time.now(), token, tokenUntil: from + 890_000 };
  }

  #checkClaims(by: Member, claims: { sub: string; acr: string; amr: string[]; auth_time: number }): void {
    by.userId ??= claims.sub;
    if (claims.sub !== by.userId) throw new Violation("O8", `${by.name} got a login of ${claims.sub}`);
    const given = this.proofs.filter((proof) => proof.by === by);
    const kinds = new Set(given.map(({ kind }) => kind));
    const hasSecond = kinds.has("totp") || kinds.has("recovery-code");
    const most = kinds.has("passkey") ? 2 : hasSecond ? 1 : 0;
    const said = `acr ${claims.acr}, amr ${claims.amr.join(" ")}, proven ${[...kinds].join(" ")}`;
    const mayBeSaid = new Set([...kinds].flatMap((kind) => amr[kind]));
    if (levels.indexOf(claims.acr) > most || !claims.amr.every((reference) => mayBeSaid.has(reference)))
      throw new Violation("O6", `a token of ${by.name} says more than was proven: ${said}`);
    const last = Math.max(...given.filter(({ kind }) => kind !== "new-totp").map(({ at }) => at));
    // The service says it by its own clock.
    if (this.world.clockWasRight(this.begun) && claims.auth_time * 1000 > last)
      throw new Violation("O6", `a token of ${by.name} says auth_time ${claims.auth_time}, after the last proof`);
  }
}

/** The results once all have ended. What is lost hides no violation. */
export async function allOf<T>(works: Promise<T>[]): Promise<T[]> {
  const ended = await Promise.allSettled(works);
  const reasons = ended.flatMap((each) => (each.status === "rejected" ? [each.reason as unknown] : []));
  if (reasons.length > 0) throw reasons.find((reason) => !(reason instanceof Lost)) ?? reasons[0];
  return ended.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
}

function isSecond(kind: Kind): boolean {
  return kind === "totp" || kind === "recovery-code";
}

function codeIn(page: Page): string | undefined {
  return page.status === 303 ? (page.location.searchParams.get("code") ?? undefined) : undefined;
}

/** Of two answers, the one to the press that did it. */
function saysDone(page: Page): boolean {
  const { pathname, searchParams } = page.location;
  return pathname.endsWith("/signed-out") || searchParams.has("status") || searchParams.has("notice");
}

function needsSecond({ factor }: Member): boolean {
  return !factor.allows("");
}
