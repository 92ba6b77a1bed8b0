/** Somebody who signs in to programs by a browser, and what their programs then do. */
import { hash } from "node:crypto";
import { Visitor, type Page } from "../../support/person.ts";
import type { Generator } from "../generator.ts";
import { Endable, Violation, type KnownPerson } from "../model.ts";
import { checkTokens, claimsOf, type Granted } from "../oracles/tokens.ts";
import { ClientLogin, issuer, postAs, ProgramKey, type Program } from "../programs.ts";
import { time } from "../time.ts";
import type { World } from "../world.ts";

export const grace = 30_000;
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
export class Code extends Endable {
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
  readonly consents = new Map<string, Set<string>>();

  codes: Code[] = [];
  count = 0;

  constructor(world: World, known: KnownPerson, chances: Generator) {
    this.world = world;
    this.known = known;
    this.chances = chances;
  }

  /** One of those that are not surely over. */
  login(): ClientLogin | undefined {
    const live = this.known.logins.filter((login) => login instanceof ClientLogin && !login.wasOver(time.now()));
    return live.length === 0 ? undefined : (this.chances.pick(live) as ClientLogin);
  }

  ask(program: Program): Asked {
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
      prover: program.isBound ? new ProgramKey(chances.fork(`key ${(this.count += 1)}`)) : undefined,
    };
  }

  /** Undefined if the request was not taken. */
  async authorizeUrl({ program, scopes, nonce, verifier, prompt, maxAge, prover }: Asked): Promise<string | undefined> {
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
  async signIn(asked: Asked, browserAt: number): Promise<Code | undefined> {
    const { program } = asked;
    const url = await this.authorizeUrl(asked);
    if (url === undefined) return undefined;
    const from = time.now();
    const browser = this.browsers[browserAt] as Browser;
    const { page, given, hasConsented } = await this.answer(url, browserAt, asked);
    const code = page.location.searchParams.get("code");
    const how = given ? "by password" : "silently";
    const error = page.location.searchParams.get("error") ?? page.status;
    this.world.note(`${this.known.name} signs in to ${program.id} ${how}: ${code === null ? error : "a code"}`);
    if (code === null || !page.location.href.startsWith(program.redirectUri)) return undefined;
    this.refuseIfShutOut(from);
    if (given) browser.prove(given, this);
    const { proof } = browser;
    if (!proof) throw new Violation("O8", `${this.known.name} got a code of ${program.id} without a proof`);
    if (!given) this.checkSilent(asked, proof, from);
    if (program.asks && !hasConsented) this.checkConsent(asked);
    const made = new Code(code, asked, browser, proof);
    this.codes = [...this.codes.slice(-5), made];
    // A request works for one sign-in.
    if (program.pushes && this.chances.chance(0.3)) await this.pushAgain(url);
    return made;
  }

  /** Answers every page: by the password, and by consent. A lost answer costs the browser. */
  async answer(
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
          const known = this.consents.get(program.id) ?? new Set();
          this.consents.set(program.id, new Set([...known, ...asked.scopes]));
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

  async pushAgain(url: string): Promise<void> {
    const page = await new Visitor().get(url);
    this.world.reached("a pushed request used again");
    if (page.status === 303) throw new Violation("O3", `a pushed request of ${this.known.name} worked twice`);
  }

  /** O8: who was certainly shut out before the call gets no code. */
  refuseIfShutOut(from: number): void {
    if (!this.known.access.allows("allowed") && this.known.touched.every(({ to }) => to !== undefined && to < from))
      throw new Violation("O8", `${this.known.name} signed in although ${this.known.access.all.join(" or ")}`);
  }

  /** O1 and O6: single sign-on ends with the access that it came from, and is never too old. */
  checkSilent({ program, prompt, maxAge }: Asked, proof: Proof, from: number): void {
    const who = `single sign-on of ${this.known.name} to ${program.id}`;
    this.world.reached("single sign-on");
    if (prompt === "login") throw new Violation("O8", `${who} although a new proof was asked for`);
    const isOld = maxAge !== undefined && proof.to < from - maxAge * 1000 - 1000;
    if (isOld && this.world.clockWasRight(proof.from))
      throw new Violation("O6", `${who} by a proof of ${from - proof.to} ms before, with max_age ${maxAge}`);
    if (this.known.touched.some((touch) => touch.ends && touch.from > proof.to && (touch.to ?? from) < from))
      throw new Violation("O1", `${who} outlived the end of all access`);
  }

  checkConsent({ program, scopes, prompt }: Asked): void {
    const known = this.consents.get(program.id) ?? new Set();
    const lacking = scopes.filter((scope) => !known.has(scope));
    this.world.reached("a consent that was given before");
    if (lacking.length > 0 || prompt === "consent")
      throw new Violation("O1", `${program.id} got ${lacking.join(" ")} of ${this.known.name} without consent`);
  }

  formOf({ value, asked: { program, verifier } }: Code): Record<string, string> {
    return {
      grant_type: "authorization_code",
      code: value,
      redirect_uri: program.redirectUri,
      ...(verifier !== undefined && { code_verifier: verifier }),
    };
  }

  async redeem(code: Code, form = this.formOf(code)): Promise<ClientLogin | undefined> {
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
    this.count += 1;
    const name = `${known.name}/${this.count} at ${program.id}`;
    const facts = { program, person: known, prover, scopes: String(body["scope"]).split(" "), authTime: at };
    const login = new ClientLogin(name, String(body["refresh_token"]), facts);
    this.noteAccess(login, body);
    // Access ended between the sign-in and this answer: that end may have come before this login.
    if (known.touched.some(({ to }) => to === undefined || to >= from)) login.isBeingEnded(time.now());
    known.logins.push(login);
    world.programs.logins.push(login);
    return login;
  }

  noteAccess(login: ClientLogin, body: Record<string, unknown>): void {
    const expiresAt = time.now() + (Number(body["expires_in"]) - 60) * 1000;
    login.access = [...login.access.slice(-3), { token: String(body["access_token"]), expiresAt }];
    if (typeof body["id_token"] === "string") login.idToken = body["id_token"];
  }
}

export function hasForm(page: Page, actionEnd: string): boolean {
  return new RegExp(`<form[^>]* action="[^"]*${actionEnd}(\\?[^"]*)?"`, "u").test(page.text);
}

export function another(reader: Reader, program: Program): Program {
  return reader.chances.pick(reader.world.programs.web.filter((each) => each !== program));
}
