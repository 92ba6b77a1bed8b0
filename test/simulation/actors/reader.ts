/** Somebody who signs in to programs by a browser, and what their programs then do. */
import { hash } from "node:crypto";
import * as grants from "../../../src/sign-in/grants.ts";
import { Visitor, type Page } from "../../support/person.ts";
import type { Generator } from "../generator.ts";
import { Endable, Violation, type KnownPerson } from "../model.ts";
import { checkTokens, claimsOf, type Granted } from "../oracles/tokens.ts";
import { ClientLogin, issuer, postAs, ProgramKey, type Program } from "../programs.ts";
import { time } from "../time.ts";
import { Lost, type World } from "../world.ts";
import { operated, settled } from "./in-flight.ts";

const grace = 30_000;
const hour = 3_600_000;
const prompts = ["", "", "", "none", "none", "login", "consent"] as const;

/** When a password was given. */
type Proof = { from: number; to: number };

/** A browser, and what was proven in it. After a lost answer it is unknown, and replaced. */
export class Browser {
  readonly visitor: Visitor;
  /** When the person last gave the password here; undefined if nobody is signed in. */
  proof: Proof | undefined;
  /** The logins that began since. */
  logins: ClientLogin[] = [];
  older: ClientLogin[] = [];

  constructor(visitor = new Visitor()) {
    this.visitor = visitor;
  }

  /** A sign-in was finished with it. One that the person denies changes nothing. */
  prove(given: Proof, { world, known }: Pick<Reader, "world" | "known">): void {
    const since = this.proof?.from ?? -Infinity;
    this.proof = given;
    // It continues what the browser has, unless something may have ended that.
    const isUntouched = this.logins.every((login) => login.wasUntouched(time.now()));
    const isYoung = given.from - since < 11 * hour && world.clockWasRight(since);
    if (isYoung && isUntouched && known.wasLeftAlone(since)) return;
    this.older = [...this.older, ...this.logins].filter((login) => !login.wasOver(time.now()));
    this.logins = [];
  }
}

export type Asked = {
  program: Program;
  scopes: string[];
  nonce: string | undefined;
  verifier: string | undefined;
  prompt: (typeof prompts)[number];
  maxAge: number | undefined;
  prover: ProgramKey | undefined;
};

/** A code that a program received. */
class Code extends Endable {
  readonly value: string;
  readonly asked: Asked;
  readonly browser: Browser;
  readonly at = time.now();
  readonly proof: Proof;

  constructor(value: string, asked: Asked, browser: Browser, proof: Proof) {
    super();
    this.value = value;
    this.asked = asked;
    this.browser = browser;
    this.proof = proof;
  }
}

export class Reader {
  readonly world: World;
  readonly known: KnownPerson;
  readonly chances: Generator;
  readonly browsers = [new Browser(), new Browser()];
  /** The scopes that the person may have granted to a program since the last withdrawal. */
  readonly #consents = new Map<string, Set<string>>();
  #codes: Code[] = [];
  #count = 0;

  constructor(world: World, known: KnownPerson, chances: Generator) {
    this.world = world;
    this.known = known;
    this.chances = chances;
  }

  /** What may be done next, the frequent more than once. */
  acts(): (() => Promise<unknown>)[] {
    const { chances, world } = this;
    const browserAt = chances.below(2);
    const program = chances.pick(world.programs.web);
    const signIn = async (): Promise<unknown> => await this.#signInAndRedeem(program, browserAt);
    const login = this.login();
    if (!login) return [signIn];
    return [
      signIn,
      signIn,
      signIn,
      () => this.#refresh(login),
      () => this.#refresh(login),
      () => this.#refreshTwice(login),
      () => this.#refreshLate(login),
      () => this.#refreshAsAnother(login),
      () => this.look(login),
      () => this.look(login),
      () => this.#endWhile(login, () => this.#revoke(login)),
      () => this.#endWhile(login, () => this.#withdraw(login.program)),
      () => this.#signOut(browserAt),
      () => this.#signInAgain(browserAt),
      () => this.#withdrawWhileRedeeming(program, browserAt),
      () => this.#signOutWhileRedeeming(browserAt),
    ];
  }

  /** One of those that are not surely over. */
  login(): ClientLogin | undefined {
    const live = this.known.logins.filter((login) => login instanceof ClientLogin && !login.wasOver(time.now()));
    return live.length === 0 ? undefined : (this.chances.pick(live) as ClientLogin);
  }

  #ask(program: Program): Asked {
    const { chances } = this;
    const random = (): string => Buffer.from(chances.bytes(32)).toString("base64url");
    const others = program.scopes.filter((scope) => scope !== "openid" && chances.chance(0.7));
    return {
      program,
      scopes: ["openid", ...others],
      nonce: chances.chance(0.8) ? random() : undefined,
      // Only a program that keeps a secret may do without.
      verifier: program.secret !== undefined && chances.chance(0.3) ? undefined : random(),
      prompt: chances.pick(prompts),
      maxAge: chances.chance(0.2) ? chances.pick([0, 60, 600]) : undefined,
      prover: program.isBound ? new ProgramKey(chances.fork(`key ${(this.#count += 1)}`)) : undefined,
    };
  }

  /** Undefined if the request was not taken. */
  async #authorizeUrl({
    program,
    scopes,
    nonce,
    verifier,
    prompt,
    maxAge,
    prover,
  }: Asked): Promise<string | undefined> {
    const parameters = {
      response_type: "code",
      redirect_uri: program.redirectUri,
      scope: scopes.join(" "),
      state: "st",
      ...(nonce !== undefined && { nonce }),
      ...(verifier !== undefined && {
        code_challenge: hash("sha256", verifier, "base64url"),
        code_challenge_method: "S256",
      }),
      ...(prompt !== "" && { prompt }),
      ...(maxAge !== undefined && { max_age: String(maxAge) }),
      ...(program.resource !== undefined && { resource: program.resource }),
      ...(prover && !program.pushes && { dpop_jkt: prover.thumbprint }),
    };
    const query = { client_id: program.id, ...parameters };
    if (!program.pushes) return `${issuer}/oauth2/authorize?${new URLSearchParams(query).toString()}`;
    const pushed = await postAs(program, "/oauth2/par", parameters, { prover });
    if (pushed.status !== 201) return undefined;
    const uri = { client_id: program.id, request_uri: String(pushed.body["request_uri"]) };
    return `${issuer}/oauth2/authorize?${new URLSearchParams(uri).toString()}`;
  }

  /** Until the browser goes back to the program, which may get a code. */
  async #signIn(asked: Asked, browserAt: number): Promise<Code | undefined> {
    const { program } = asked;
    const url = await this.#authorizeUrl(asked);
    if (url === undefined) return undefined;
    const from = time.now();
    const browser = this.browsers[browserAt] as Browser;
    const { page, given, hasConsented } = await this.#answer(url, browserAt, asked);
    const code = page.location.searchParams.get("code");
    const how = given ? "by password" : "silently";
    const error = page.location.searchParams.get("error") ?? page.status;
    this.world.note(`${this.known.name} signs in to ${program.id} ${how}: ${code === null ? error : "a code"}`);
    if (code === null || !page.location.href.startsWith(program.redirectUri)) return undefined;
    this.#refuseIfShutOut(from);
    if (given) browser.prove(given, this);
    const { proof } = browser;
    if (!proof) throw new Violation("O8", `${this.known.name} got a code of ${program.id} without a proof`);
    if (!given) this.#checkSilent(asked, proof, from);
    if (program.asks && !hasConsented) this.#checkConsent(asked);
    const made = new Code(code, asked, browser, proof);
    this.#codes = [...this.#codes.slice(-5), made];
    // A request works for one sign-in.
    if (program.pushes && this.chances.chance(0.3)) await this.#pushAgain(url);
    return made;
  }

  /** Answers every page: by the password, and by consent. A lost answer costs the browser. */
  async #answer(
    url: string,
    browserAt: number,
    asked: Asked,
  ): Promise<{ page: Page; given: Proof | undefined; hasConsented: boolean }> {
    const { chances } = this;
    const { program } = asked;
    let hasConsented = false;
    try {
      const { page: first, given } = await this.open(url, browserAt);
      let page = first;
      for (let steps = 0; steps < 4 && page.status === 200; steps += 1) {
        if (!hasForm(page, "/step/consent")) break;
        const doesAgree = chances.chance(0.85);
        if (doesAgree) {
          hasConsented = true;
          const known = this.#consents.get(program.id) ?? new Set();
          this.#consents.set(program.id, new Set([...known, ...asked.scopes]));
        }
        const { visitor } = this.browsers[browserAt] as Browser;
        page = await visitor.submit(page, doesAgree ? "/step/consent" : "/step/deny", {});
      }
      return { page, given, hasConsented };
    } catch (error) {
      this.browsers[browserAt] = new Browser();
      throw error;
    }
  }

  /** Follows redirects of the service and gives the password, until something else is asked. */
  async open(url: string, browserAt: number): Promise<{ page: Page; given: Proof | undefined }> {
    const { visitor } = this.browsers[browserAt] as Browser;
    let given: Proof | undefined;
    let page = await visitor.get(url);
    for (let steps = 0; steps < 6; steps += 1) {
      if (page.status === 303 && page.location.origin === issuer) page = await visitor.get(page.location.href);
      else if (page.status === 200 && hasForm(page, "/password")) {
        const from = time.now();
        const [password = ""] = this.known.password.all;
        page = await visitor.submit(page, "/password", { email: this.known.email, password });
        if (page.status === 303) given = { from, to: time.now() };
      } else break;
    }
    return { page, given };
  }

  async #pushAgain(url: string): Promise<void> {
    const page = await new Visitor().get(url);
    this.world.reached("a pushed request used again");
    if (page.status === 303) throw new Violation("O3", `a pushed request of ${this.known.name} worked twice`);
  }

  /** O8: who was certainly shut out before the call gets no code. */
  #refuseIfShutOut(from: number): void {
    if (!this.known.access.allows("allowed") && this.known.touched.every(({ to }) => to !== undefined && to < from))
      throw new Violation("O8", `${this.known.name} signed in although ${this.known.access.all.join(" or ")}`);
  }

  /** O1 and O6: single sign-on ends with the access that it came from, and is never too old. */
  #checkSilent({ program, prompt, maxAge }: Asked, proof: Proof, from: number): void {
    const who = `single sign-on of ${this.known.name} to ${program.id}`;
    this.world.reached("single sign-on");
    if (prompt === "login") throw new Violation("O8", `${who} although a new proof was asked for`);
    const isOld = maxAge !== undefined && proof.to < from - maxAge * 1000 - 1000;
    if (isOld && this.world.clockWasRight(proof.from))
      throw new Violation("O6", `${who} by a proof of ${from - proof.to} ms before, with max_age ${maxAge}`);
    if (this.known.touched.some((touch) => touch.ends && touch.from > proof.to && (touch.to ?? from) < from))
      throw new Violation("O1", `${who} outlived the end of all access`);
  }

  #checkConsent({ program, scopes, prompt }: Asked): void {
    const known = this.#consents.get(program.id) ?? new Set();
    const lacking = scopes.filter((scope) => !known.has(scope));
    this.world.reached("a consent that was given before");
    if (lacking.length > 0 || prompt === "consent")
      throw new Violation("O1", `${program.id} got ${lacking.join(" ")} of ${this.known.name} without consent`);
  }

  async #signInAndRedeem(program: Program, browserAt: number): Promise<void> {
    const code = await this.#signIn(this.#ask(program), browserAt);
    if (!code) return;
    const { chances } = this;
    const how = chances.next();
    if (how < 0.1) await this.#redeemTwice(code);
    else if (how < 0.2) await this.#redeemWrongly(code);
    else if (how < 0.27) await this.#redeemAsAnother(code);
    else {
      if (how < 0.4) await time.pause(chances.wait(20_000));
      const login = await this.redeem(code);
      if (login && how > 0.92) await this.#redeemAgain(code, login);
    }
  }

  #formOf({ value, asked: { program, verifier } }: Code): Record<string, string> {
    return {
      grant_type: "authorization_code",
      code: value,
      redirect_uri: program.redirectUri,
      ...(verifier !== undefined && { code_verifier: verifier }),
    };
  }

  async redeem(code: Code, form = this.#formOf(code)): Promise<ClientLogin | undefined> {
    const { asked } = code;
    const { program, prover } = asked;
    const from = time.now();
    const { status, body } = await postAs(program, "/oauth2/token", form, { prover });
    this.world.note(`${this.known.name} redeems for ${program.id}: ${status}`);
    if (status !== 200) return undefined;
    const wasCut = this.known.touched.some((touch) => touch.ends && touch.from > code.at && (touch.to ?? from) < from);
    if (wasCut || code.wasOver(from))
      throw new Violation("O1", `a code of ${this.known.name} for ${program.id} outlived its end`);
    const authTime = this.world.secondsOf(code.proof);
    const login = this.begin(asked, body, authTime, from);
    code.browser.logins.push(login);
    // The code is ending, and nobody knows which came first.
    if (!code.wasUntouched(time.now())) login.isBeingEnded(time.now());
    return login;
  }

  /** A login that a program was told of. */
  begin(asked: Asked, body: Record<string, unknown>, authTime: Granted["authTime"], from: number): ClientLogin {
    const { world, known } = this;
    const { program, scopes, nonce, prover } = asked;
    const granted = { program, userId: known.userId ?? "", scopes, key: prover?.thumbprint, nonce, authTime };
    checkTokens(body, granted, world.app.id);
    const at = Number(claimsOf(String(body["id_token"]))["auth_time"]);
    this.#count += 1;
    const name = `${known.name}/${this.#count} at ${program.id}`;
    const facts = { program, person: known, prover, scopes: String(body["scope"]).split(" "), authTime: at };
    const login = new ClientLogin(name, String(body["refresh_token"]), facts);
    this.#noteAccess(login, body);
    // Access ended between the sign-in and this answer: that end may have come before this login.
    if (known.touched.some(({ to }) => to === undefined || to >= from)) login.isBeingEnded(time.now());
    known.logins.push(login);
    world.programs.logins.push(login);
    return login;
  }

  #noteAccess(login: ClientLogin, body: Record<string, unknown>): void {
    const expiresAt = time.now() + (Number(body["expires_in"]) - 60) * 1000;
    login.access = [...login.access.slice(-3), { token: String(body["access_token"]), expiresAt }];
    if (typeof body["id_token"] === "string") login.idToken = body["id_token"];
  }

  /** O3: of two redemptions of one code, one succeeds. */
  async #redeemTwice(code: Code): Promise<void> {
    const given = await settled([() => this.redeem(code), () => this.redeem(code)]);
    this.world.reached("two redemptions of a client's code");
    const logins = given.filter((login) => login !== undefined);
    if (logins.length > 1) throw new Violation("O3", `two answers for one code of ${this.known.name}`);
    for (const login of logins) login.isBeingEnded(0);
  }

  /** O3: a wrong verifier or none, or another key, gets nothing, and uses the code up. */
  async #redeemWrongly(code: Code): Promise<void> {
    const { asked } = code;
    if (asked.verifier === undefined) return;
    const { code_verifier: verifier = "", ...without } = this.#formOf(code);
    const isLeftOut = this.chances.chance(0.5);
    const wrong = isLeftOut ? without : { ...without, code_verifier: `${verifier.slice(1)}x` };
    const { status } = await postAs(asked.program, "/oauth2/token", wrong, { prover: asked.prover });
    this.world.reached(isLeftOut ? "a code without its verifier" : "a code with another verifier");
    if (status === 200) throw new Violation("O3", `a code of ${asked.program.id} worked without its verifier`);
    if (status !== 400) return;
    code.hasEnded(time.now());
    await this.redeem(code);
  }

  async #redeemAsAnother(code: Code): Promise<void> {
    const { program, prover } = code.asked;
    const thief = this.#another(program);
    const key = thief.isBound ? new ProgramKey(this.chances.fork(`thief ${(this.#count += 1)}`)) : prover;
    const { status } = await postAs(thief, "/oauth2/token", this.#formOf(code), { prover: key });
    this.world.reached("a code in another program");
    if (status === 200) throw new Violation("O3", `${thief.id} redeemed a code of ${program.id}`);
    await this.redeem(code);
  }

  #another(program: Program): Program {
    return this.chances.pick(this.world.programs.web.filter((each) => each !== program));
  }

  /** O3: a second use of a code ends its login. */
  async #redeemAgain(code: Code, login: ClientLogin): Promise<void> {
    await time.pause(this.chances.wait(30_000));
    login.isBeingEnded(time.now());
    const { program, prover } = code.asked;
    const { status } = await postAs(program, "/oauth2/token", this.#formOf(code), { prover });
    this.world.note(`${login.name} redeems its code again: ${status}`);
    this.world.reached("a client's code used again");
    if (status === 200) throw new Violation("O3", `a code of ${program.id} worked again`);
    if (status !== 400) return;
    this.known.bury(login);
    await this.look(login);
  }

  async #refresh(login: ClientLogin, token = login.refresh): Promise<string | undefined> {
    const from = time.now();
    // Like any program, it asks again at once if no answer came.
    for (let tries = 0; tries < 3; tries += 1) {
      try {
        return await this.#refreshOnce(login, token, from);
      } catch (error) {
        if (!(error instanceof Lost)) throw error;
        await time.pause(300);
      }
    }
    // The token may be used up, and its next use would be one too many.
    login.isBeingEnded(from);
    return undefined;
  }

  async #refreshOnce(login: ClientLogin, token: string, from: number): Promise<string | undefined> {
    const { program, prover } = login;
    const form = { grant_type: "refresh_token", refresh_token: token };
    const { status, body } = await postAs(program, "/oauth2/token", form, { prover });
    this.world.note(`${login.name} refreshes: ${status}`);
    if (status !== 200) {
      const replacedAt = login.replaced.get(token);
      const isCurrent = token === login.refresh || (replacedAt !== undefined && replacedAt + grace > time.now());
      if (status === 400 && isCurrent && time.now() - from < grace && this.mustBeLive(login, from))
        throw new Violation("O4", `${login.name} was refused with its newest refresh token`);
      return undefined;
    }
    if (login.wasOver(from)) throw new Violation("O1", `${login.name} was refreshed after its end`);
    const authTime = { from: login.authTime, to: login.authTime };
    const granted = { program, userId: login.userId, scopes: login.scopes, key: prover?.thumbprint };
    checkTokens(body, { ...granted, nonce: undefined, authTime }, this.world.app.id);
    const next = String(body["refresh_token"]);
    if (next !== token) {
      if (!login.replaced.has(token)) login.replaced.set(token, time.now());
      if (login.refresh === token) login.refresh = next;
    }
    this.#noteAccess(login, body);
    return next;
  }

  mustBeLive(login: ClientLogin, from: number): boolean {
    return this.world.clockHasBeenRight && login.wasUntouched(time.now()) && this.known.wasLeftAlone(from);
  }

  /** O2: both answers have the same successor. */
  async #refreshTwice(login: ClientLogin): Promise<void> {
    const { refresh } = login;
    const next = await settled([() => this.#refresh(login, refresh), () => this.#refresh(login, refresh)]);
    const [first, second] = next;
    this.world.reached("two refreshes of one client's login");
    if (first !== undefined && second !== undefined && first !== second)
      throw new Violation("O2", `two successors of one refresh token of ${login.name}`);
  }

  /** O2: after its grace, an old token ends the login. */
  async #refreshLate(login: ClientLogin): Promise<void> {
    const [old] = [...login.replaced].filter(([, at]) => at + 2 * grace < time.now() && this.world.clockWasRight(at));
    if (!old) return;
    login.isBeingEnded(time.now());
    const form = { grant_type: "refresh_token", refresh_token: old[0] };
    const { status } = await postAs(login.program, "/oauth2/token", form, { prover: login.prover });
    this.world.note(`${login.name} refreshes late: ${status}`);
    this.world.reached("a client's refresh token used again after its grace");
    if (status === 200) throw new Violation("O2", `an old refresh token of ${login.name} gave tokens`);
    if (status !== 400) return;
    this.known.bury(login);
    await this.look(login);
  }

  /** O2: another program, or key, gets nothing, and ends nothing. */
  async #refreshAsAnother(login: ClientLogin): Promise<void> {
    const { program } = login;
    // Only a public client's refresh tokens are bound to its key.
    const keeps = program.isBound && !program.key && this.chances.chance(0.5);
    const thief = keeps ? program : this.#another(program);
    const prover = thief.isBound ? new ProgramKey(this.chances.fork(`thief ${(this.#count += 1)}`)) : undefined;
    const form = { grant_type: "refresh_token", refresh_token: login.refresh };
    const { status } = await postAs(thief, "/oauth2/token", form, { prover });
    this.world.note(`${thief.id} tries ${login.name}: ${status}`);
    this.world.reached("a refresh token in another program, or with another key");
    if (status === 200) throw new Violation("O2", `${thief.id} refreshed ${login.name}`);
    await this.#refresh(login);
  }

  /** O1 and O4: introspection and userinfo. */
  async look(login: ClientLogin): Promise<void> {
    const [wiki] = this.world.programs.web;
    const newest = [login.access.at(-1), { token: login.refresh, expiresAt: time.now() + 60_000 }, ...login.exchanged];
    const { token = "", expiresAt = 0 } = this.chances.pick(newest) ?? {};
    // Another call may just replace a refresh token.
    const mayBeInactive = token === login.refresh;
    const from = time.now();
    if (wiki) {
      const { status, body } = await postAs(wiki, "/oauth2/introspect", { token });
      const isActive = body["active"] === true;
      this.world.note(`${login.name} is introspected: ${status} ${isActive}`);
      if (isActive && login.wasOver(from)) throw new Violation("O1", `${login.name} was active after its end`);
      if (status === 200 && !isActive && !mayBeInactive && this.mustBeLive(login, from) && expiresAt > time.now())
        throw new Violation("O4", `${login.name} was inactive although nobody ended it`);
      if (isActive && body["sub"] !== login.userId) throw new Violation("O6", `${login.name} is of another user`);
    }
    if (login.program.resource === undefined) await this.#readProfile(login);
  }

  async #readProfile(login: ClientLogin): Promise<void> {
    const { token = "", expiresAt = 0 } = login.access.at(-1) ?? {};
    const path = "/oauth2/userinfo";
    const from = time.now();
    const { prover } = login;
    const headers: Record<string, string> = prover
      ? { authorization: `DPoP ${token}`, dpop: prover.proof("GET", path, { token }) }
      : { authorization: `Bearer ${token}` };
    const answer = await fetch(`${issuer}${path}`, { headers });
    const { status } = answer;
    this.world.note(`${login.name} reads userinfo: ${status}`);
    if (status === 200 && login.wasOver(from)) throw new Violation("O1", `${login.name} got userinfo after its end`);
    if (status === 401 && this.mustBeLive(login, from) && expiresAt > time.now())
      throw new Violation("O4", `${login.name} was refused userinfo although nobody ended it`);
    if (prover && this.chances.chance(0.2)) await this.#proveTwice(headers, status);
  }

  /** O3: a proof works once. */
  async #proveTwice(headers: Record<string, string>, first: number): Promise<void> {
    if (first !== 200) return;
    const { status } = await fetch(`${issuer}/oauth2/userinfo`, { headers });
    this.world.reached("a DPoP proof used again");
    if (status === 200) throw new Violation("O3", `a DPoP proof of ${this.known.name} worked twice`);
  }

  /** RFC 7009; another program's attempt changes nothing. */
  async #revoke(login: ClientLogin): Promise<void> {
    const { chances, known } = this;
    const newest = login.access.at(-1);
    const token = chances.pick([login.refresh, newest?.token ?? ""]);
    if (chances.chance(0.2)) {
      await postAs(this.#another(login.program), "/oauth2/revoke", { token });
      this.world.reached("a revocation by another program");
      return;
    }
    login.isBeingEnded(time.now());
    const { status } = await postAs(login.program, "/oauth2/revoke", { token });
    this.world.note(`${login.name} is revoked: ${status}`);
    // RFC 7009 answers an access token that has expired with 200, too, and that ends nothing.
    const isLive = newest !== undefined && newest.expiresAt > time.now() && this.world.clockHasBeenRight;
    if (status === 200 && (token !== newest?.token || isLive)) known.bury(login);
  }

  /** The person withdraws what a program may do: its logins and codes end. */
  async #withdraw(program: Program): Promise<void> {
    const { known, world } = this;
    const of = (login: unknown): login is ClientLogin => login instanceof ClientLogin && login.program === program;
    const ending = known.logins.filter(of);
    const codes = this.#codes.filter(({ asked }) => asked.program === program);
    // Codes of other programs end, too.
    for (const each of [...ending, ...this.#codes]) each.isBeingEnded(time.now());
    const source = { ipAddress: known.ipAddress, userAgent: null, requestId: "req_of_the_account_page" };
    const by = { actor: { kind: "user", name: known.userId ?? "" }, source } as const;
    const had = await operated(world, async (ctx) => await grants.remove(ctx, known.userId ?? "", program.id, by));
    world.note(`${known.name} withdraws ${program.id}: ${had}`);
    // Without a consent or login there is nothing to withdraw, and a code stays.
    if (had !== true) return;
    this.#consents.delete(program.id);
    for (const login of ending) known.bury(login);
    for (const code of codes) code.hasEnded(time.now());
  }

  /** Signs out by a program: the browser, and every login that it opened. */
  async #signOut(browserAt: number): Promise<void> {
    const browser = this.browsers[browserAt] as Browser;
    const login = browser.logins.at(-1);
    if (!login) return;
    const codes = this.#codes.filter((code) => code.browser === browser);
    const ending = [...browser.logins];
    for (const each of [...ending, ...browser.older, ...codes]) each.isBeingEnded(time.now());
    const copied = browser.visitor.copy();
    const returnsTo = login.program.redirectUri.replace("callback", "");
    const query = { id_token_hint: login.idToken, post_logout_redirect_uri: returnsTo };
    let page: Page;
    try {
      page = await browser.visitor.get(`${issuer}/oauth2/end-session?${new URLSearchParams(query).toString()}`);
      if (hasForm(page, "/confirm")) page = await browser.visitor.submit(page, "/confirm", {});
    } catch (error) {
      this.browsers[browserAt] = new Browser();
      throw error;
    }
    this.world.note(`${this.known.name} signs out at ${login.program.id}: ${page.status}`);
    if (page.status !== 303 || !page.location.href.startsWith(returnsTo)) return;
    this.world.reached(ending.length > 1 ? "a logout of two programs" : "a logout of one program");
    browser.proof = undefined;
    browser.logins = [];
    // O8: cookies that somebody copied before are worth no more.
    if (this.chances.chance(0.5)) this.browsers[browserAt] = new Browser(copied);
    for (const each of ending) this.known.bury(each);
    for (const code of codes) if (code.proof.to < time.now()) code.hasEnded(time.now());
    await this.look(this.chances.pick(ending));
  }

  /** O1: a second sign-in continues the browser's session, so that signing out ends both logins. */
  async #signInAgain(browserAt: number): Promise<void> {
    for (const program of [0, 1].map(() => this.chances.pick(this.world.programs.web))) {
      const code = await this.#signIn({ ...this.#ask(program), prompt: "login", maxAge: undefined }, browserAt);
      if (!code || !(await this.redeem(code))) return;
    }
    this.world.reached("two sign-ins in one browser, and a sign-out");
    await this.#signOut(browserAt);
  }

  /** O1: an end and other calls of the same login. */
  async #endWhile(login: ClientLogin, end: () => Promise<void>): Promise<void> {
    this.world.reached("a refresh while a client's login ends");
    await settled<unknown>([end, () => this.#refresh(login), () => this.look(login)]);
    if (!login.wasOver(time.now())) return;
    await this.#refresh(login);
    await this.look(login);
  }

  async #withdrawWhileRedeeming(program: Program, browserAt: number): Promise<void> {
    const code = await this.#signIn(this.#ask(program), browserAt);
    if (!code) return;
    const redeem = async (): Promise<ClientLogin | undefined> => await this.redeem(code);
    const [login] = await settled<ClientLogin | undefined | void>([redeem, () => this.#withdraw(program)]);
    this.world.reached("a redemption while the consent is withdrawn");
    await this.#mustHaveEnded(login ?? undefined, code);
  }

  async #signOutWhileRedeeming(browserAt: number): Promise<void> {
    const [wiki] = this.world.programs.web;
    const browser = this.browsers[browserAt] as Browser;
    const [first] = browser.logins;
    if (!first || !wiki) return;
    const code = await this.#signIn({ ...this.#ask(wiki), prompt: "", maxAge: undefined }, browserAt);
    if (code?.browser !== browser || browser.logins[0] !== first) return;
    const redeem = async (): Promise<ClientLogin | undefined> => await this.redeem(code);
    const [login] = await settled<ClientLogin | undefined | void>([redeem, () => this.#signOut(browserAt)]);
    this.world.reached("a redemption while the browser signs out");
    await this.#mustHaveEnded(login ?? undefined, code);
  }

  /** Its code has ended, so that a login that it began before has, too. */
  async #mustHaveEnded(login: ClientLogin | undefined, code: Code): Promise<void> {
    if (!login || !code.wasOver(time.now())) return;
    if (!login.wasOver(time.now())) this.known.bury(login);
    await this.#refresh(login);
    await this.look(login);
  }
}

function hasForm(page: Page, actionEnd: string): boolean {
  return new RegExp(`<form[^>]* action="[^"]*${actionEnd}(\\?[^"]*)?"`, "u").test(page.text);
}
