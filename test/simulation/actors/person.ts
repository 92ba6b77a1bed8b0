/** Somebody with a password, several browsers and little patience. */
import { call, initiate, Visitor, type Page } from "../../support/person.ts";
import { calling } from "../browser.ts";
import type { Generator } from "../generator.ts";
import { KnownLogin, KnownPerson, passwords, Violation } from "../model.ts";
import { postAs } from "../programs.ts";
import { time } from "../time.ts";
import { Lost, pacing, type Part, type World } from "../world.ts";
import { settled } from "./in-flight.ts";

const grace = 30_000;

/** Six of them, each at an address of its own. After one is deleted, another one comes. */
export async function people(world: World, { isOver }: Part): Promise<void> {
  await Promise.all(
    [1, 2, 3, 4, 5, 6].map(async (number) => {
      for (let life = 1; !isOver(); life += 1) {
        const name = `person${number}${life === 1 ? "" : `.${life}`}`;
        const known = new KnownPerson(name, `192.0.2.${number}`, world.graveyard);
        world.people.push(known);
        await new Person(world, known).live(isOver);
      }
    }),
  );
}

class Person {
  readonly world: World;
  readonly known: KnownPerson;
  readonly #chances: Generator;
  #logins = 0;
  #browser = new Visitor();

  constructor(world: World, known: KnownPerson) {
    this.world = world;
    this.known = known;
    this.#chances = world.generator.fork(known.name);
  }

  /** One thing after the other, until `isOver` or the account is deleted. */
  async live(isOver: () => boolean): Promise<void> {
    const caller = { world: this.world, ipAddress: this.known.ipAddress, chances: this.#chances.fork("network") };
    await calling(caller, async () => {
      const pause = pacing(this.#chances.fork("pace"));
      while (!isOver() && !this.known.isGone) {
        await pause(20_000);
        const act = this.#draw();
        try {
          await act();
        } catch (error) {
          if (!(error instanceof Lost)) throw error;
        }
      }
    });
  }

  #draw(): () => Promise<void> {
    const { userId } = this.known;
    if (userId === undefined) return () => this.#signUp();
    const live = this.known.logins.filter((login) => !login.wasOver(time.now()));
    if (live.length === 0) return () => this.#signIn();
    const login = this.#chances.pick(live);
    return this.#chances.pick([
      () => this.#signIn(),
      () => this.#refresh(login),
      () => this.#refresh(login),
      () => this.#refreshTwice(login),
      () => this.#refreshLate(login),
      () => this.validate(login),
      () => this.validate(login),
      () => this.validate(login),
      () => this.#rename(login),
      () => this.#logOut(login),
      () => this.#logOutTwice(login),
      () => this.#validateWhileLoggingOut(login),
      () => this.#redeemTwice(),
      () => this.#guess(),
    ]);
  }

  async #signUp(): Promise<void> {
    const session = await initiate(this.world.service, this.world.app);
    const page = await this.#browser.get(`${session.authUrl}/create-account`);
    const password = passwords[0] ?? "";
    const done = await this.#browser.submit(page, "/create-account", { email: this.known.email, name: "", password });
    this.world.note(`${this.known.name} signs up: ${done.status}`);
    if (done.status !== 303) return;
    // An answer was lost before: the account is there, and the mail says so.
    const confirmed = done.location.pathname.endsWith("/confirm") ? await this.#confirm(done.location.href) : done;
    if (confirmed?.status === 303) await this.#redeem(session.sessionId, confirmed);
    else await this.#signIn();
  }

  /** Types the code of the newest mail; undefined if none comes. */
  async #confirm(url: string): Promise<Page | undefined> {
    const since = this.world.mails.length;
    const page = await this.#browser.get(url);
    for (let tries = 0; tries < 20; tries += 1) {
      const mail = this.world.mails.slice(Math.max(0, since - 5)).findLast(({ to }) => to === this.known.email);
      const code = /^\d{4} \d{4}$/mu.exec(mail?.text ?? "")?.[0];
      if (code !== undefined) return await this.#browser.submit(page, "/confirm", { code });
      await time.pause(2000);
    }
    return undefined;
  }

  async #signIn(): Promise<void> {
    const { world } = this;
    const from = time.now();
    const browser = this.#chances.chance(0.5) ? this.#browser : new Visitor();
    const session = await initiate(world.service, world.app);
    const page = await browser.get(session.authUrl);
    if (page.status !== 200) return;
    const [password = ""] = this.known.password.all;
    const done = await browser.submit(page, "/password", { email: this.known.email, password });
    world.note(`${this.known.name} signs in: ${done.status}`);
    if (done.status === 303) {
      this.#refuseIfShutOut(from);
      await this.#redeem(session.sessionId, done);
    }
  }

  /** O8: who was certainly shut out before the call gets no code. */
  #refuseIfShutOut(from: number): void {
    if (!this.known.access.allows("allowed") && this.known.touched.every(({ to }) => to !== undefined && to < from))
      throw new Violation("O8", `${this.known.name} signed in although ${this.known.access.all.join(" or ")}`);
  }

  async #redeem(sessionId: string, done: Page): Promise<KnownLogin | undefined> {
    const code = done.location.searchParams.get("code");
    if (code === null) return undefined;
    const { service, app } = this.world;
    const codeAt = time.now();
    if (this.#chances.chance(0.2)) await time.pause(this.#chances.wait(30_000));
    const from = time.now();
    const { status, body } = await call(service, "POST", "/auth/callback", app.headers, { code, sessionId });
    this.world.note(`${this.known.name} redeems: ${status}`);
    if (
      status === 200 &&
      this.known.touched.some((touch) => touch.ends && touch.from > codeAt && (touch.to ?? from) < from)
    )
      throw new Violation("O1", `a code of ${this.known.name} outlived the end of all access`);
    return status === 200 ? this.#noteLogin(body, from) : undefined;
  }

  #noteLogin(body: Record<string, unknown>, from: number): KnownLogin {
    const user = body["user"] as Record<string, unknown>;
    this.known.userId = String(user["id"]);
    this.#logins += 1;
    const login = new KnownLogin(`${this.known.name}/${this.#logins}`, this.known.userId, String(body["refreshToken"]));
    this.#noteAccess(login, body);
    // The end may have come before this login was known, as an answer may be late.
    if (this.known.touched.some(({ to }) => to === undefined || to >= from)) login.isBeingEnded(time.now());
    this.known.logins.push(login);
    return login;
  }

  #noteAccess(login: KnownLogin, body: Record<string, unknown>): void {
    const expiresAt = time.now() + (Number(body["expiresIn"]) - 60) * 1000;
    login.access = [...login.access.slice(-3), { token: String(body["accessToken"]), expiresAt }];
  }

  /** O3: of two redemptions of one code, one succeeds, and a second one later ends the login. */
  async #redeemTwice(): Promise<void> {
    const { world } = this;
    const { service, app } = world;
    const session = await initiate(service, app);
    const browser = new Visitor();
    const page = await browser.get(session.authUrl);
    if (page.status !== 200) return;
    const [password = ""] = this.known.password.all;
    const done = await browser.submit(page, "/password", { email: this.known.email, password });
    const code = done.status === 303 ? done.location.searchParams.get("code") : null;
    if (code === null) return;
    const body = { code, sessionId: session.sessionId };
    const tries = await Promise.allSettled(
      [1, 2].map(async () => await call(service, "POST", "/auth/callback", app.headers, body)),
    );
    const given = tries.flatMap((each) =>
      each.status === "fulfilled" && each.value.status === 200 ? [each.value] : [],
    );
    world.note(`${this.known.name} redeems twice: ${given.length}`);
    world.reached("two redemptions of one code");
    if (given.length > 1) throw new Violation("O3", `two answers for one code of ${this.known.name}`);
    const [first] = given;
    if (!first) return;
    const login = this.#noteLogin(first.body, 0);
    login.isBeingEnded(0);
  }

  async #refresh(login: KnownLogin): Promise<void> {
    await this.#refreshWith(login, login.refresh);
  }

  /** O2: both answers have the same successor. */
  async #refreshTwice(login: KnownLogin): Promise<void> {
    const { refresh } = login;
    const twice = [1, 2].map(() => () => this.#refreshWith(login, refresh));
    const [first, second] = await settled(twice);
    this.world.reached("two refreshes of one login");
    if (first !== undefined && second !== undefined && first !== second)
      throw new Violation("O2", `two successors of one refresh token of ${login.name}`);
    if (first !== undefined && login.refresh === first && this.#chances.chance(0.5))
      await this.#refreshAgain(login, refresh);
  }

  /** O2: within its grace, a token whose successor is unused gives that successor again. */
  async #refreshAgain(login: KnownLogin, refreshToken: string): Promise<void> {
    const { service, app } = this.world;
    const from = time.now();
    const { status, body } = await call(service, "POST", "/auth/refresh", app.headers, { refreshToken });
    this.world.note(`${login.name} refreshes again: ${status}`);
    const isWithinGrace = (login.sent.get(refreshToken) ?? 0) + grace > time.now();
    if (status === 200 && body["refreshToken"] !== login.refresh)
      throw new Violation("O2", `another successor of a refresh token of ${login.name}`);
    if (status === 401 && isWithinGrace && this.#mustBeLive(login, from))
      throw new Violation("O2", `${login.name} was refused its successor again`);
    if (!isWithinGrace) login.isBeingEnded(from);
  }

  /** O2: after the grace, an old token ends the login. */
  async #refreshLate(login: KnownLogin): Promise<void> {
    // A clock that was set back in between lengthens the grace.
    const [old] = [...login.replaced].filter(([, at]) => at + 2 * grace < time.now() && this.world.clockWasRight(at));
    if (!old) return;
    const from = time.now();
    login.isBeingEnded(from);
    const { service, app } = this.world;
    const { status } = await call(service, "POST", "/auth/refresh", app.headers, { refreshToken: old[0] });
    this.world.note(`${login.name} refreshes late: ${status}`);
    this.world.reached("a refresh token used again after its grace");
    if (status === 200) throw new Violation("O2", `an old refresh token of ${login.name} gave tokens`);
    if (status === 401) this.known.bury(login);
  }

  async #refreshWith(login: KnownLogin, refreshToken: string): Promise<string | undefined> {
    const { service, app } = this.world;
    const from = time.now();
    if (!login.sent.has(refreshToken)) login.sent.set(refreshToken, from);
    // Its successor was lost: this is a token used again, which ends the login.
    if (!this.#isCurrent(login, refreshToken)) login.isBeingEnded(from);
    const { status, body } = await call(service, "POST", "/auth/refresh", app.headers, { refreshToken }).finally(() => {
      // It may have arrived late, after another one.
      if (!this.#isCurrent(login, refreshToken)) login.isBeingEnded(from);
    });
    this.world.note(`${login.name} refreshes: ${status}`);
    if (status !== 200) {
      // Within its grace it must have worked, if nobody ended the login.
      if (status === 401 && this.#mustBeLive(login, from) && this.#isCurrent(login, refreshToken))
        throw new Violation("O4", `${login.name} was refused with its newest refresh token`);
      return undefined;
    }
    if (login.wasOver(from)) throw new Violation("O1", `${login.name} was refreshed after its end`);
    const next = String(body["refreshToken"]);
    if (next !== refreshToken) {
      if (!login.replaced.has(refreshToken)) login.replaced.set(refreshToken, time.now());
      if (login.refresh === refreshToken) login.refresh = next;
    }
    this.#noteAccess(login, body);
    return next;
  }

  #isCurrent(login: KnownLogin, refreshToken: string): boolean {
    const sentAt = login.sent.get(refreshToken) ?? 0;
    return login.refresh === refreshToken && sentAt + grace > time.now() && this.world.clockWasRight(sentAt);
  }

  #mustBeLive(login: KnownLogin, from: number): boolean {
    return login.wasUntouched(time.now()) && this.known.wasLeftAlone(from);
  }

  /** O1 and O4: what ended stays ended, and what lives is accepted. */
  async validate(login: KnownLogin): Promise<void> {
    const { token, expiresAt } = this.#chances.pick(login.access);
    const { service, app } = this.world;
    const from = time.now();
    const headers = { authorization: `Bearer ${token}`, "x-service-app-id": app.id };
    const { status } = await call(service, "GET", "/auth/validate", headers);
    this.world.note(`${login.name} is validated: ${status}`);
    if (status === 200 && login.wasOver(from)) throw new Violation("O1", `${login.name} was valid after its end`);
    const isCurrent = expiresAt > time.now() && this.world.clockHasBeenRight;
    if (status === 401 && this.#mustBeLive(login, from) && isCurrent)
      throw new Violation("O4", `${login.name} was refused although nobody ended it`);
  }

  async #rename(login: KnownLogin): Promise<void> {
    const { service, app } = this.world;
    const headers = { authorization: `Bearer ${login.access.at(-1)?.token}`, "x-service-app-id": app.id };
    const name = `Name ${time.now()}`;
    const before = this.known.shownName.all;
    this.known.shownName.maybe(name);
    const { status } = await call(service, "PATCH", "/users/profile", headers, { name });
    this.world.note(`${this.known.name} is renamed: ${status}`);
    if (status === 200) this.known.shownName.is(name);
    else if (status < 500 && before.length === 1) this.known.shownName.is(before[0]);
    const read = await call(service, "GET", "/users/profile", headers);
    if (read.status !== 200) return;
    const shown = read.body["name"];
    if (!this.known.shownName.allows(typeof shown === "string" ? shown : undefined))
      throw new Violation(
        "O4",
        `${this.known.name} has the name ${String(shown)}, and was told ${this.known.shownName.all.join(" or ")}`,
      );
    this.known.shownName.is(typeof shown === "string" ? shown : undefined);
  }

  async #logOut(login: KnownLogin): Promise<void> {
    const { service, app } = this.world;
    login.isBeingEnded(time.now());
    const { token = "", expiresAt = 0 } = login.access.at(-1) ?? {};
    // The application is its own client. An expired token ends nothing, whatever is answered.
    const isRevoked = this.#chances.chance(0.2) && expiresAt > time.now() && this.world.clockHasBeenRight;
    const headers = { authorization: `Bearer ${token}`, "x-service-app-id": app.id };
    const { status } = isRevoked
      ? await postAs({ id: app.id, secret: app.apiKey }, "/oauth2/revoke", { token })
      : await call(service, "POST", "/auth/logout", headers, {});
    this.world.note(`${login.name} logs out${isRevoked ? " by a revocation" : ""}: ${status}`);
    if (status === 200) this.known.bury(login);
  }

  async #logOutTwice(login: KnownLogin): Promise<void> {
    this.world.reached("two logouts of one login");
    await settled([() => this.#logOut(login), () => this.#logOut(login)]);
  }

  async #validateWhileLoggingOut(login: KnownLogin): Promise<void> {
    this.world.reached("a validate and a logout of one login");
    await settled([() => this.#logOut(login), () => this.validate(login), () => this.#refresh(login)]);
    if (!login.wasOver(time.now())) return;
    await this.validate(login);
    const older = [...login.replaced.keys()].at(-1);
    if (older !== undefined) await this.#refreshWith(login, older);
  }

  /** O7 and O8: a wrong password gives no code. */
  async #guess(): Promise<void> {
    const session = await initiate(this.world.service, this.world.app);
    const browser = new Visitor();
    const page = await browser.get(session.authUrl);
    if (page.status !== 200) return;
    const done = await browser.submit(page, "/password", { email: this.known.email, password: "a wrong password" });
    this.world.note(`${this.known.name} mistypes: ${done.status}`);
    if (done.status === 303) throw new Violation("O8", `${this.known.name} signed in with a wrong password`);
  }
}
