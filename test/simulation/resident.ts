/**
 * Somebody who does one thing after the other, and moves away when an answer is lost. So all that
 * they have is known, and what must have ended and what must live.
 */
import { accountUrl, press } from "../support/account.ts";
import { codeAt } from "../support/factors.ts";
import { call, initiate, Visitor, type Page, type Session } from "../support/person.ts";
import type { TestApp } from "../support/service.ts";
import { calling } from "./browser.ts";
import type { Generator } from "./generator.ts";
import { Violation, type KnownResident } from "./model.ts";
import { time } from "./time.ts";
import { Lost, pacing, type Part, type World } from "./world.ts";

export const totpStep = 30_000;

/** `kind`: its row in docs/security.md. `until`: it lives so long, if nothing ends it. */
export type Held = { kind: string; until: number; isOver: boolean; lives: () => Promise<boolean> };

export class Resident implements KnownResident {
  readonly world: World;
  readonly app: TestApp;
  readonly name: string;
  readonly ipAddress: string;
  readonly chances: Generator;
  readonly begun = time.now();
  email: string;
  isVerified = true;
  userId = "";
  /** In which language their browsers ask for pages; empty: none. */
  readonly locale: string;
  /** Empty: none. */
  password: string;
  /** Of the authenticator app; empty: none. */
  key = "";
  recoveryCodes: string[] = [];
  /** When the app was set up, and a code of it was last asked for. */
  setUpDuring = { from: 0, to: 0 };
  codeAt = 0;
  /** Whether they trust the browsers in which a code is typed, and how often they have said so. */
  trusts = false;
  trusted = 0;
  /** The browser that changes the account. */
  desk = new Visitor();
  held: Held[] = [];
  isGone = false;
  isUnsure = false;
  readonly left = new Map<string, number>();
  /** Addresses of before, and passwords. */
  readonly former: { email: string; password: string }[] = [];
  /** What must not work any more, such as a link to a former address. */
  readonly voided: { what: string; works: () => Promise<boolean> }[] = [];
  /** What a validated token must say; undefined: nobody looks. */
  claims: { roles: string[]; floor?: string } | undefined;
  readonly #usedSteps = new Set<number>();
  #count = 0;

  constructor(
    world: World,
    app: TestApp,
    name: string,
    { ipAddress, chances, locale = "" }: { ipAddress: string; chances: Generator; locale?: string },
  ) {
    this.world = world;
    this.app = app;
    this.name = name;
    this.ipAddress = ipAddress;
    this.chances = chances;
    this.locale = locale;
    this.email = `${name}@example.org`;
    this.password = this.next("the horse battery staple");
  }

  /** A word with a number that no other has. */
  next(word: string): string {
    this.#count += 1;
    return `${word} ${this.#count} of ${this.name}`;
  }

  nextEmail(): string {
    this.#count += 1;
    return `${this.name}.${this.#count}@example.org`;
  }

  /** What must hold. After a clock was set, nobody knows what has expired. */
  must(oracle: string, isSo: boolean, message: string): void {
    if (isSo) return;
    if (!this.world.clockWasRight(this.begun)) throw new Lost("a clock was set");
    throw new Violation(oracle, `${this.name}: ${message}`);
  }

  /** O1: one of the things that are over, whenever that was. */
  async tryVoided(): Promise<void> {
    if (this.voided.length === 0) return;
    const { what, works } = this.chances.pick([...this.voided.slice(-1), ...this.voided]);
    this.world.reached("something tried again that was voided");
    this.must("O1", !(await works()), `${what} worked`);
  }

  leaves(...lines: string[]): void {
    for (const line of lines) this.left.set(line, (this.left.get(line) ?? 0) + 1);
  }

  /** It has ended, now or before. */
  end(held: Held): void {
    if (held.kind === "personal tokens" && !held.isOver)
      this.leaves("entry personal-token.end", "event personal-token.ended");
    held.isOver = true;
  }

  /** As the application's server. */
  async server(method: string, path: string, body?: unknown) {
    const asks = async () =>
      await call(this.world.service, method, `/applications/${this.app.id}${path}`, this.app.headers, body);
    const answer = await (method === "GET" ? askedAgain(asks) : asks());
    this.world.note(`the server of ${this.name}: ${method} ${path.replaceAll(/[a-z]{3}_\w+/gu, "…")} ${answer.status}`);
    return answer;
  }

  async patch(change: Record<string, unknown>, part = ""): Promise<void> {
    const { status, body } = await this.server("PATCH", `/users/${this.userId}${part}`, change);
    this.must("O10", status === 200, `not changed: ${status} ${JSON.stringify(body.error)}`);
  }

  /** A code of the app, of a time step of which none has worked. */
  async code(): Promise<string> {
    const step = (): number => Math.floor(time.now() / totpStep);
    while (this.#usedSteps.has(step())) await time.pause(totpStep - (time.now() % totpStep));
    this.#usedSteps.add(step());
    this.codeAt = time.now();
    return codeAt(this.key, time.now());
  }

  /** Begins a sign-in; the page that it opens with. */
  async begin(visitor: Visitor, asked: Record<string, unknown> = {}): Promise<{ session: Session; page: Page }> {
    const session = await initiate(this.world.service, this.app, asked);
    return { session, page: await visitor.get(session.authUrl) };
  }

  /** Answers each page, until something is refused, unknown, or leads elsewhere. */
  async walk(page: Page, visitor: Visitor): Promise<Page> {
    let at = page;
    for (let turns = 0; turns < 16; turns += 1) {
      if (at.status === 303 && at.location.origin !== this.world.service.url) return at;
      if (at.status === 303) at = await visitor.get(at.location.href);
      else {
        const answer = at.status === 200 ? this.answerTo(at) : undefined;
        if (!answer) return at;
        const [form, values] = await answer;
        const from = time.now();
        at = await visitor.submit(at, form, values);
        // By then, a code of an app may be another one.
        if (at.status >= 400 && time.now() > from + 20_000) throw new Lost("too late");
      }
    }
    throw new Violation("O10", `${this.name}: a sign-in without an end at ${at.url}`);
  }

  /** The form of a page that is answered next. */
  answerTo(page: Page): Promise<[form: string, values: Record<string, string>]> | undefined {
    const given = async (
      form: string,
      values: Record<string, string> = {},
    ): Promise<[string, Record<string, string>]> => await Promise.resolve([form, values]);
    if (has(page, "/continue")) return given("/continue");
    if (has(page, "/step/code")) {
      const trust: Record<string, string> = this.trusts && page.text.includes('name="trust"') ? { trust: "yes" } : {};
      if (this.key !== "" && trust["trust"] !== undefined) this.trusted += 1;
      return this.key === "" ? undefined : this.code().then((code) => ["/step/code", { code, ...trust }]);
    }
    for (const form of ["/step/continue", "/step/skip"]) if (has(page, form)) return given(form);
    if (!has(page, "/password") || this.password === "") return undefined;
    return given("/password", { email: this.email, password: this.password });
  }

  /** Signs in to the application; undefined if it gets no code. */
  async signIn(visitor = new Visitor(), asked: Record<string, unknown> = {}) {
    const { session, page } = await this.begin(visitor, asked);
    const last = await this.walk(page, visitor);
    const code = last.location.searchParams.get("code") ?? undefined;
    this.world.note(`${this.name} signs in: ${code === undefined ? last.status : "a code"}`);
    return { session, code, last };
  }

  async redeem(given: { session: Session; code: string | undefined; state?: string | undefined }) {
    const { session, code, state } = given;
    const { sessionId } = session;
    return await call(this.world.service, "POST", "/auth/callback", this.app.headers, { code, sessionId, state });
  }

  /** Tokens of a new login. */
  async login(visitor = new Visitor()): Promise<{ accessToken: string; refreshToken: string }> {
    const from = time.now();
    const signedIn = await this.signIn(visitor);
    this.must("O10", signedIn.code !== undefined, `cannot sign in: ${signedIn.last.status} at ${signedIn.last.url}`);
    const { status, body } = await this.redeem(signedIn);
    // A code lasts a minute, and a network may be slow.
    if (status !== 200 && time.now() > from + 50_000) throw new Lost("too late for the code");
    this.must("O4", status === 200, `a code was refused: ${JSON.stringify(body.error)}`);
    return { accessToken: String(body["accessToken"]), refreshToken: String(body["refreshToken"]) };
  }

  async isValid(accessToken: string): Promise<boolean> {
    const headers = { authorization: `Bearer ${accessToken}`, "x-service-app-id": this.app.id };
    const { status, body } = await call(this.world.service, "GET", "/auth/validate", headers);
    if (status === 200) this.mustSay(body["claims"], "a validated token");
    return status === 200;
  }

  /** O1: no group and no value of before, and those of now. */
  mustSay(claims: unknown, what: string): void {
    if (!this.claims) return;
    const { roles, floor } = { ...(claims as Resident["claims"]) };
    const [says, should] = [{ roles, floor }, this.claims].map((each) => JSON.stringify(each));
    this.must("O1", says === should, `${what} says ${says} instead of ${should}`);
  }

  /** From another network, each time: a network has few wrong passwords a minute. */
  async elsewhere<T>(work: () => Promise<T>): Promise<T> {
    const { world, chances } = this;
    this.#count += 1;
    const ipAddress = `198.18.${chances.below(250)}.${chances.below(250)}`;
    const own = chances.fork(`elsewhere ${this.#count}`);
    return await calling({ world, ipAddress, chances: own, language: this.locale }, work);
  }

  url(page = "", more = ""): string {
    return accountUrl(this.world.service, this.app, page, more);
  }

  /** A page of the account, with the proofs that it asks for. */
  async at(page = "", visitor = this.desk): Promise<Page> {
    const isThere = ({ status, url }: Page): boolean => status === 200 && new URL(url).pathname === `/account${page}`;
    let shown = await this.walk(await askedAgain(async () => await visitor.get(this.url(page))), visitor);
    // Who was not signed in comes to the overview first.
    if (!isThere(shown)) shown = await this.walk(await visitor.get(this.url(page)), visitor);
    this.must("O10", isThere(shown), `no page ${page}: ${shown.status} at ${shown.url}`);
    return shown;
  }

  /** Presses a button there, and answers the address that it leads to. */
  async press(page: Page, form: string, values: Record<string, string> = {}, visitor = this.desk): Promise<Page> {
    const pressed = await press(this.app, visitor, page, form, values);
    this.world.note(`${this.name} presses ${form.replaceAll(/[a-z]{3}_\w+/gu, "…")}: ${pressed.status}`);
    return pressed;
  }

  /** The first mail with such a link of those that were asked for since then. */
  async mailed(kind: string, since: number, to = this.email): Promise<{ code: string; link: string }> {
    for (let tries = 0; tries < 15; tries += 1) {
      for (const mail of this.world.mailsSince(since)) {
        const link = new RegExp(`https?://\\S+/${kind}/\\S+`, "u").exec(mail.text)?.[0];
        if (mail.to === to && link !== undefined) return { link, code: /^\d{4} \d{4}$/mu.exec(mail.text)?.[0] ?? "" };
      }
      await time.pause(2000);
    }
    throw new Lost("no mail came");
  }

  /** Asks for a reset, chooses another password by the mailed link, and returns the link. */
  async resetPassword(words: string): Promise<string> {
    const visitor = new Visitor();
    const since = time.now();
    const { session } = await this.begin(visitor);
    const form = await visitor.get(`${session.authUrl}/forgot-password`);
    await visitor.submit(form, "/forgot-password", { email: this.email });
    const { link } = await this.mailed("reset", since);
    const password = this.next(words);
    const done = await this.use(link, { password });
    this.must("O10", done.status === 200 && !done.text.includes(new URL(link).pathname), `no reset: ${done.status}`);
    this.password = password;
    return link;
  }

  /** Opens a link in a browser of its own, and presses its only button. */
  async use(link: string, values: Record<string, string> = {}, visitor = new Visitor()): Promise<Page> {
    const page = await visitor.get(link);
    return page.status === 200 ? await visitor.submit(page, new URL(link).pathname, values) : page;
  }
}

/** A read changes nothing, so it is asked again if no answer came. */
export async function askedAgain<T>(read: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof Lost) || tries === 5) throw error;
      await time.pause(5000);
    }
  }
}

/** Whether a page has this form of a sign-in, such as "/step/code". */
export function has(page: Page, form: string): boolean {
  return new RegExp(`/sis_[A-Za-z0-9_-]+${form}["?]`, "u").test(page.text);
}

export function otherCode(code: string, by = 1): string {
  const number = (Number(code.replace(" ", "")) + by) % 100_000_000;
  return String(number).padStart(8, "0");
}

/** Lives of people, one after the other and `beside` each other, each of somebody new. */
export async function lives(
  world: World,
  { chances, isOver, pause }: Part,
  place: { app: TestApp; name: string; network: number; beside?: number; languages?: readonly string[] },
  live: (me: Resident, part: Pick<Part, "isOver" | "pause">) => Promise<void>,
): Promise<void> {
  const { beside = 1, languages = [""] } = place;
  const rows = Array.from({ length: beside }, async (_, at) => {
    const row = at === 0 ? "" : String.fromCodePoint(97 + at);
    // An hour that is quiet for one is not quiet for all.
    const ownPause = at === 0 ? pause : pacing(chances.fork(`pace of row ${at}`));
    for (let life = 1; !isOver(); life += 1) {
      const name = `${place.name}${row}${life}`;
      const ipAddress = `203.0.${place.network}.${(80 * at + life) % 250}`;
      const own = chances.fork(name);
      const language = own.fork("language").pick(languages);
      await calling({ world, ipAddress, chances: own.fork("network"), language }, async () => {
        const me = new Resident(world, place.app, name, { ipAddress, chances: own, locale: language });
        world.residents.push(me);
        try {
          await live(me, { isOver, pause: ownPause });
        } catch (error) {
          if (!(error instanceof Lost)) throw error;
          me.isUnsure = true;
        }
      });
      await ownPause(30_000);
    }
  });
  await Promise.all(rows);
}
