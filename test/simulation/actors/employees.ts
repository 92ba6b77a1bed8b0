/** People of several organizations, with two tabs: they switch, work, manage, leave and join. */
import { offered } from "../../support/memberships.ts";
import { call, Visitor, type Page } from "../../support/person.ts";
import type { Books } from "../books.ts";
import { calling } from "../browser.ts";
import type { Generator } from "../generator.ts";
import { passwords, Possible, Violation } from "../model.ts";
import {
  becomes,
  changingAll,
  EmployeeLogin,
  EmployeeToken,
  has,
  roleChoices,
  together,
  type Employee,
  type Invitation,
  type KnownOrganization,
  type Look,
  type Roles,
  type State,
} from "../organizations.ts";
import { issuer } from "../programs.ts";
import { time } from "../time.ts";
import { Lost, pacing, type World } from "../world.ts";

const grace = 30_000;
const none = "none";

/** What a refresh asks for; undefined: whatever the login named last. */
type Named = KnownOrganization | typeof none | undefined;

/** Whether a member may change roles (docs/organizations.md). `gets` "": removes somebody. */
export function mayChange(rank: Roles, { was, gets, isOwn }: { was: Roles; gets: Roles; isOwn: boolean }): boolean {
  if (has(rank, "owner")) return true;
  const changed = together(was, gets)
    .split(" ")
    .filter((role) => has(was, role) !== has(gets, role));
  const isAbove = has(was, "owner") || has(was, "admin");
  return (
    has(rank, "admin") && !isOwn && !isAbove && !changed.some((role) => ["owner", "admin", "audit"].includes(role))
  );
}

export class EmployeeActs {
  readonly world: World;
  readonly me: Employee;
  readonly chances: Generator;
  readonly #books: Books;

  constructor(world: World, me: Employee, books: Books) {
    this.world = world;
    this.me = me;
    this.#books = books;
    this.chances = world.generator.fork(me.name);
  }

  async live(isOver: () => boolean): Promise<void> {
    const caller = { world: this.world, ipAddress: this.me.ipAddress, chances: this.chances.fork("network") };
    await calling(caller, async () => {
      const pause = pacing(this.chances.fork("pace"));
      while (!isOver()) {
        await pause(130_000);
        if (this.me.isBusy) continue;
        this.me.isBusy = true;
        await this.#draw()()
          .catch((error: unknown) => error instanceof Lost || Promise.reject(error as Error))
          .finally(() => (this.me.isBusy = false));
      }
    });
  }

  #draw(): () => Promise<unknown> {
    const { chances, me } = this;
    const live = me.own.filter((login) => !login.wasOver(time.now()));
    const organizations = this.#organizations();
    if (organizations.length === 0 || !me.access.allows("allowed")) return async () => {};
    if (live.length === 0) return () => this.#signIn();
    const own = organizations.filter((each) => !each.rolesOf(me).isOnly(""));
    const some = (): KnownOrganization => chances.pick(own.length > 0 && chances.chance(0.8) ? own : organizations);
    const [login, organization, other] = [chances.pick(live), some(), some()];
    return chances.pick([
      () => this.#signIn(),
      () => this.#refresh(login, [undefined]),
      () => this.#refresh(login, [organization]),
      () => this.#refresh(login, [organization, other]),
      () => this.#refresh(login, [organization, undefined]),
      () => this.#refresh(login, [chances.pick([none, organization])]),
      () => this.#work(login),
      () => this.#work(login),
      () => this.#work(login),
      () => this.#seeOwn(login),
      () => this.#leave(login, organization),
      () => this.#manage(organization),
      () => this.#manage(organization),
      () => this.#oustEachOther(organization),
      () => this.#join(),
      () => this.#join(),
      () => this.#joinAgain(),
    ]);
  }

  #organizations(): KnownOrganization[] {
    return this.world.firms.organizations.filter(({ id, state }) => id !== "" && !state.isOnly("gone"));
  }

  /** By password, for one organization, for none, or for what a page asks. */
  async #signIn(): Promise<void> {
    const { world, me, chances } = this;
    const { service, firms } = world;
    const demanded = chances.pick<Named>([undefined, undefined, none, ...this.#organizations()]);
    const asked = demanded === undefined ? {} : { organization: demanded === none ? none : demanded.id };
    const look = typeof demanded === "object" ? demanded.look(me) : undefined;
    const from = time.now();
    const body = { redirectUri: firms.app.redirectUri, ...asked };
    const begun = await call(service, "POST", "/auth/initiate", firms.app.headers, body);
    // It was deleted meanwhile.
    if (begun.status !== 200) return;
    const browser = new Visitor();
    let page = await this.#answerPassword(browser, await browser.get(String(begun.body["authUrl"])));
    let chosen: string | undefined;
    const choices = page.status === 200 ? offered(page) : [];
    if (choices.length > 0) {
      chosen = chances.pick(choices);
      page = await browser.submit(page, "/step/organization", { organization: chosen });
      world.reached("an organization chosen on a page");
    }
    const code = page.location.searchParams.get("code");
    world.note(`${me.name} signs in for ${nameOf(demanded)}: ${code === null ? page.status : "a code"}`);
    const isDenied = page.location.searchParams.get("error") === "access_denied";
    if (isDenied && look && isSurelyMember(look) && look.isStill() && me.wasLeftAlone(from))
      throw new Violation("O4", `${me.name} was refused a sign-in for ${nameOf(demanded)}`);
    if (code === null) return;
    if (chances.chance(0.3)) await time.pause(chances.wait(15_000));
    const redeemedAt = time.now();
    const looks = this.#looks();
    const redeeming = { code, sessionId: begun.body["sessionId"] };
    const answer = await call(service, "POST", "/auth/callback", firms.app.headers, redeeming);
    world.note(`${me.name} redeems for ${nameOf(demanded)}: ${answer.status}`);
    if (answer.status !== 200) return;
    const login = new EmployeeLogin(me.newLoginName(), me.userId ?? "", String(answer.body["refreshToken"]), none);
    const token = this.#noteToken(login, answer.body);
    login.last.is(token.organizationId ?? none);
    if (me.touched.some(({ to }) => to === undefined || to >= from)) login.isBeingEnded(time.now());
    me.logins = [...me.own.slice(-2), login];
    const wanted = demanded === undefined ? chosen : idOf(demanded);
    if (wanted !== undefined && (token.organizationId ?? none) !== wanted)
      throw new Violation("O12", `${login.name} is for ${token.organizationId} instead of ${nameOf(demanded)}`);
    this.#checkTruth(token, looks, redeemedAt);
  }

  /** Answers a page that asks for the password, and follows to the next one. */
  async #answerPassword(browser: Visitor, first: Page): Promise<Page> {
    const [password = ""] = passwords;
    let page = first;
    for (let steps = 0; steps < 5; steps += 1) {
      if (page.status === 303 && page.location.origin === issuer) page = await browser.get(page.location.href);
      else if (page.status === 200 && /\/sis_[\w-]+\/password["?]/u.test(page.text))
        page = await browser.submit(page, "/password", { email: this.me.email, password });
      else break;
    }
    return page;
  }

  #looks(): Map<string, Look> {
    return new Map(this.#organizations().map((each) => [each.id, each.look(this.me)]));
  }

  #noteToken(login: EmployeeLogin, body: Record<string, unknown>): EmployeeToken {
    const token = new EmployeeToken(String(body["accessToken"]), this.me, login);
    login.tokens = [...login.tokens.slice(-5), token];
    login.access = login.tokens.map(({ text, expiresAt }) => ({ token: text, expiresAt }));
    const told = (body["organization"] as { id: string } | undefined)?.id;
    if (told !== token.organizationId)
      throw new Violation("O12", `${login.name} was told ${told}, and the token says ${token.organizationId}`);
    return token;
  }

  /** O1 and O12: a new token says what is true of the person now. */
  #checkTruth(token: EmployeeToken, looks: ReadonlyMap<string, Look>, from: number): void {
    const { organizationId: id, login, roles } = token;
    if (login.wasOver(from)) throw new Violation("O1", `${login.name} got a token after its end`);
    const look = id === undefined ? undefined : looks.get(id);
    if (!look?.isStill()) return;
    if (token.saysTooMuch(look, 0))
      throw new Violation("O1", `${login.name} got a token of ${id} after the end of ${roles}`);
    if (!look.roles.includes(roles))
      throw new Violation("O12", `${login.name} got the roles ${roles}; acknowledged: ${look.roles.join(" or ")}`);
  }

  /** Each tab asks for its organization, at once. One whose answer was lost asks again. */
  async #refresh(login: EmployeeLogin, tabs: readonly Named[]): Promise<(EmployeeToken | undefined)[]> {
    const { me, world } = this;
    const { refresh } = login;
    const from = time.now();
    const successors = new Set<string>();
    const tokens: (EmployeeToken | undefined)[] = [];
    let left = tabs.map((named, place) => ({ named, place }));
    if (tabs.length > 1) world.reached("two tabs refresh for their organizations at once");
    for (let tries = 0; left.length > 0; tries += 1) {
      if (tries > 0 && left.some(({ named }) => named !== undefined))
        world.reached("a switch repeated after a lost answer");
      const answers = await Promise.allSettled(
        left.map(async ({ named, place }) => {
          const got = await this.#refreshOnce(login, refresh, named);
          if (!got) return;
          successors.add(got.next);
          tokens[place] = got.token;
        }),
      );
      const failed = answers.find((each) => each.status === "rejected" && !(each.reason instanceof Lost));
      if (failed?.status === "rejected") throw failed.reason;
      left = left.filter((_, place) => answers[place]?.status === "rejected");
      // Later, the old token would end the login.
      if (time.now() > from + grace / 2 || tries === 3 || !world.clockWasRight(from)) break;
    }
    const [next = refresh, ...others] = successors;
    if (others.length > 0) throw new Violation("O2", `two successors of one refresh token of ${login.name}`);
    login.refresh = next;
    if (left.length === 0 && time.now() < from + grace) return tokens;
    login.isBeingEnded(from);
    me.logins = me.logins.filter((each) => each !== login);
    return tokens;
  }

  /** O12: it yields what was asked for, else the last one: never another, never none by itself. */
  async #refreshOnce(login: EmployeeLogin, refreshToken: string, named: Named) {
    const { world, me } = this;
    const { service, firms } = world;
    const from = time.now();
    const looks = this.#looks();
    const before = login.last.all;
    const watch = login.last.watch();
    const asked = named === undefined ? {} : { organization: idOf(named) };
    const ask = async () => await call(service, "POST", "/auth/refresh", firms.app.headers, { refreshToken, ...asked });
    const answer = await (named === undefined
      ? ask()
      : login.last.changing(idOf(named), ask, ({ status }) => status === 200));
    const { status, body } = answer;
    world.note(`${login.name} refreshes for ${nameOf(named)}: ${status}`);
    if (status !== 200) {
      const isYoung = time.now() < from + grace / 2 && world.clockWasRight(from);
      const look = typeof named === "object" ? looks.get(named.id) : undefined;
      const isMember = named === none || (look !== undefined && look.isStill() && isSurelyMember(look));
      if (isYoung && isMember && login.wasUntouched(time.now()) && me.wasLeftAlone(from))
        throw new Violation("O4", `${login.name} was refused ${nameOf(named)}: ${JSON.stringify(body.error)}`);
      return undefined;
    }
    const token = this.#noteToken(login, body);
    const got = token.organizationId ?? none;
    const mayBe = named === undefined ? [...before, ...login.last.all] : [idOf(named)];
    if (!mayBe.includes(got))
      throw new Violation("O12", `${login.name} got ${got}, and asked for ${nameOf(named)}: ${mayBe.join(" or ")}`);
    if (named === undefined && watch.isAlone()) login.last.is(got);
    this.#checkTruth(token, looks, from);
    return { token, next: String(body["refreshToken"]) };
  }

  /**
   * A tab writes. If its token has ended, it asks for another one of the same organization, as the
   * browser package does, and repeats what it wrote.
   */
  async #work(login: EmployeeLogin): Promise<void> {
    const [old] = login.tokens;
    const token = this.chances.pick(login.tokens);
    if (old && this.chances.chance(0.3)) await this.#books.write(old);
    if (await this.#books.write(token)) return;
    const named = this.world.firms.organizations.find(({ id }) => id === token.organizationId) ?? none;
    const [another] = await this.#refresh(login, [named]);
    if (!another) return;
    this.world.reached("a write repeated with a new token of its organization");
    await this.#books.write(another);
  }

  /** O4 and O12: the list has the organizations that are the person's, and no others. */
  async #seeOwn(login: EmployeeLogin): Promise<void> {
    const { world, me } = this;
    const looks = this.#looks();
    const { status, body } = await this.#own(login, "GET", "/users/organizations");
    if (status !== 200) return;
    const shown = new Map(
      (body["organizations"] as { id: string; roles: string[] }[]).map((each) => [each.id, each.roles]),
    );
    for (const [id, look] of looks) {
      if (!look.isStill()) continue;
      const roles = shown.get(id)?.toSorted().join(" ");
      const mayBeShown =
        look.states.some((state) => state === "on" || state === "strict") && look.roles.includes(roles ?? "");
      if (roles !== undefined && !mayBeShown) throw new Violation("O12", `${me.name} sees ${id} as ${roles}`);
      if (roles === undefined && isSurelyMember(look) && me.wasLeftAlone(time.now()))
        throw new Violation("O4", `${me.name} does not see ${id}`);
    }
    world.reached("own organizations listed");
  }

  async #own(login: EmployeeLogin, method: string, path: string) {
    const { service, firms } = this.world;
    const headers = { authorization: `Bearer ${login.tokens.at(-1)?.text}`, "x-service-app-id": firms.app.id };
    const answer = await call(service, method, path, headers);
    this.world.note(`${login.name}: ${method} ${path.split("/org_")[0]} ${answer.status}`);
    return answer;
  }

  async #leave(login: EmployeeLogin, organization: KnownOrganization): Promise<void> {
    const changes = organization.changesOf(this.me, "", { leaves: true });
    const path = `/users/organizations/${organization.id}`;
    const act = async () => await this.#own(login, "DELETE", path);
    await changingAll(changes, act, ({ status }) => status === 200);
  }

  /** What the page of an organization does, by its forms; whether it was done. */
  async act(organization: KnownOrganization, fields: Record<string, string>): Promise<boolean> {
    const { world, me } = this;
    const url = `${issuer}/organization?app_id=${world.firms.app.id}&organization=${organization.id}`;
    const page = await this.#atDesk(url, fields);
    world.note(`${me.name}: ${fields["act"]} at the page of ${organization.name}: ${page?.status}`);
    return page?.status === 303;
  }

  /** Posts to a page of the account, and proves again if that is asked; undefined: in vain. */
  async #atDesk(url: string, fields: Record<string, string>): Promise<Page | undefined> {
    const { me } = this;
    for (let tries = 0; tries < 2; tries += 1) {
      if (me.formToken !== undefined) {
        const page = await me.desk.post(url, { token: me.formToken, ...fields });
        const mustProve = page.status === 303 && page.location.pathname.startsWith("/sign-in/");
        if (!mustProve && page.status !== 403 && !page.location.pathname.endsWith("/account")) return page;
        if (mustProve) await this.#answerPassword(me.desk, page);
      }
      const account = `${issuer}/account?app_id=${this.world.firms.app.id}`;
      const page = await this.#answerPassword(me.desk, await me.desk.get(account));
      me.formToken = /name="token" value="([^"]+)"/u.exec(page.text)?.[1];
    }
    return undefined;
  }

  /** O8: nobody does on the page what their roles do not allow. */
  async #manage(organization: KnownOrganization): Promise<void> {
    const { me, chances, world } = this;
    const other = chances.pick(world.firms.employees.filter((each) => each !== me));
    const isOwner = organization.rolesOf(me).all.some((roles) => has(roles, "owner"));
    const what = chances.pick([
      "roles",
      "roles",
      "remove",
      "invite",
      "withdraw",
      "delete",
      "restore",
      "restore",
    ] as const);
    if (what === "delete" && !chances.chance(0.5)) return;
    if (what === "restore" && !organization.state.allows("off")) return;
    if (what === "delete" || what === "restore") {
      const watch = organization.rolesOf(me).watch();
      const isDone = await changingAll(
        [organization.stateTo(what === "delete" ? deleted : restored)],
        async () => {
          // What it was before its deletion.
          if (what === "restore") organization.state.maybe("strict");
          return await this.act(organization, { act: what });
        },
        (isDone) => (isDone ? undefined : false),
      );
      if (isDone && what === "delete") world.reached("a deletion by an owner");
      if (isDone && what === "restore") world.reached("a deletion undone by an owner");
      if (isDone && !isOwner && watch.isAlone())
        throw new Violation("O8", `${me.name}: ${what} without being an owner`);
      return;
    }
    if (what === "invite") {
      const send = async (roles: Roles) => await this.#invites(organization, other, roles);
      await invite(organization, other, { chances, send, inviter: me });
      return;
    }
    if (what === "withdraw") {
      const open = organization.invitations.find(({ end, id }) => end.allows("open") && id !== undefined);
      if (!open) return;
      const withdraw = async () => await this.act(organization, { act: "withdraw", invitation: open.id ?? "" });
      await open.end.changing("over", withdraw, (isDone) => isDone || undefined);
      return;
    }
    await this.changeOther(organization, other, what === "remove" ? "" : chances.pick(roleChoices));
  }

  /** Changes somebody's roles on the page, or removes them. */
  async changeOther(organization: KnownOrganization, other: Employee, gets: Roles): Promise<boolean> {
    const { me } = this;
    const [mine, theirs, watch] = [
      organization.look(me),
      organization.rolesOf(other).all,
      organization.rolesOf(other).watch(),
    ];
    const roles = Object.fromEntries(
      sorted(gets)
        .split(" ")
        .map((role) => [`role.${role}`, "on"]),
    );
    const fields = gets === "" ? { act: "remove" } : { act: "roles", ...roles };
    const isDone = await changingAll(
      organization.changesOf(other, sorted(gets)),
      async () => await this.act(organization, { ...fields, user: other.userId ?? "" }),
      (isDone) => isDone,
    );
    const change = theirs.map((was) => ({ was, gets, isOwn: false }));
    const mayBeAllowed = mine.roles.some((rank) => change.some((each) => each.was !== "" && mayChange(rank, each)));
    if (isDone && !mayBeAllowed && mine.isStill() && watch.isAlone(1))
      throw new Violation("O8", `${me.name} as ${mine.roles.join(" or ")} gave ${other.name} the roles ${gets}`);
    return isDone;
  }

  async #invites(organization: KnownOrganization, other: Employee, roles: Roles) {
    const chosen = Object.fromEntries(roles.split(" ").map((role) => [`role.${role}`, "on"]));
    const isDone = await this.act(organization, { act: "invite", addresses: other.email, ...chosen });
    // The page shows no id.
    return isDone ? { id: undefined } : undefined;
  }

  /** Two owners demote each other, remove each other or leave, at once: one of them stays. */
  async #oustEachOther(organization: KnownOrganization): Promise<void> {
    const { world, me, chances } = this;
    const owners = organization.people.filter(([, roles]) => roles.all.some((each) => has(each, "owner")));
    const other = owners
      .map(([each]) => each)
      .find((each) => each !== me && !each.isBusy && each.formToken !== undefined);
    if (!other || me.formToken === undefined || !owners.some(([each]) => each === me)) return;
    other.isBusy = true;
    try {
      const acts = [this, new EmployeeActs(world, other, this.#books)] as const;
      const how = chances.pick(["member", "", "leave"] as const);
      const leaving = async (who: EmployeeActs) =>
        await changingAll(
          organization.changesOf(who.me, "", { leaves: true }),
          async () => await who.act(organization, { act: "leave" }),
          (isDone) => isDone,
        );
      const [one, two] = acts;
      const results = await Promise.allSettled(
        how === "leave"
          ? acts.map(leaving)
          : [one.changeOther(organization, two.me, how), two.changeOther(organization, one.me, how)],
      );
      world.reached("two owners oust each other");
      for (const each of results) if (each.status === "rejected" && !(each.reason instanceof Lost)) throw each.reason;
    } finally {
      other.isBusy = false;
    }
  }

  /** Opens a link of a mail, also of one that was opened before, and answers. */
  async #join(): Promise<void> {
    const { world, me, chances } = this;
    const mails = world.mails.filter(({ to, text }) => to === me.email && text.includes("/organization/invitation/"));
    if (mails.length === 0) return;
    const mail = chances.chance(0.7) ? mails.at(-1) : chances.pick(mails);
    const link = /https?:\S+\/organization\/invitation\/\S+/u.exec(mail?.text ?? "")?.[0] ?? "";
    // Scanners open it, too: that changes nothing.
    let page = await me.desk.get(link);
    if (page.status === 200)
      page = await this.#answerPassword(me.desk, await me.desk.submit(page, new URL(link).pathname, {}));
    const id = /\/organization\/invitations\/(inv_\w+)/u.exec(page.status === 303 ? page.location.href : page.url)?.[1];
    if (id === undefined) return;
    me.opened.add(id);
    await this.#answer(id);
  }

  async #joinAgain(): Promise<void> {
    if (this.me.opened.size === 0) return;
    this.world.reached("an invitation answered again");
    await this.#answer(this.chances.pick([...this.me.opened]));
  }

  /** O3: it gives its roles once, and not after its end. */
  async #answer(id: string): Promise<void> {
    const { world, me, chances } = this;
    const all = world.firms.organizations
      .flatMap(({ invitations }) => invitations)
      .filter(({ invited }) => invited === me);
    const known = all.find((each) => each.id === id);
    const candidates = known ? [known] : all.filter((each) => each.id === undefined);
    const isNo = chances.chance(0.15);
    const isTwice = chances.chance(0.4);
    const wasOver = candidates.every(({ end }) => end.isOnly("over"));
    const url = `${issuer}/organization/invitations/${id}?app_id=${world.firms.app.id}`;
    let accepted = 0;
    const post = async (): Promise<boolean | undefined> => {
      const page = await this.#atDesk(url, isNo ? { answer: "no" } : {});
      world.note(`${me.name} answers an invitation with ${isNo ? "no" : "yes"}: ${page?.status}`);
      // Also somebody who is not signed in is sent to the account page.
      if (isNo) return undefined;
      const isDone = page?.status === 303 && page.location.searchParams.has("organization");
      if (isDone) accepted += 1;
      return isDone && !known ? undefined : isDone;
    };
    if (isTwice) world.reached("an invitation answered twice at once");
    const changes = candidates.flatMap(({ organization, roles, end }) => [
      becomes(end, "over" as const),
      ...(isNo ? [] : [becomes(organization.rolesOf(me), (before: Roles) => together(before, roles))]),
    ]);
    const answers = await Promise.allSettled(
      (isTwice ? [1, 2] : [1]).map(async () => await changingAll(changes, post, (isDone) => isDone)),
    );
    for (const each of answers) if (each.status === "rejected" && !(each.reason instanceof Lost)) throw each.reason;
    if (accepted > 1) throw new Violation("O3", `an invitation of ${me.name} was accepted twice`);
    if (accepted > 0 && wasOver) throw new Violation("O3", `an invitation of ${me.name} was accepted after its end`);
    if (accepted > 0) known?.end.is("over");
  }
}

/** Invites somebody. `send` returns undefined if it was refused. */
export async function invite(
  organization: KnownOrganization,
  invited: Employee,
  { chances, send, inviter }: { chances: Generator; send: Send; inviter: Employee | undefined },
): Promise<void> {
  const roles = sorted(chances.pick(roleChoices));
  const earlier = organization.invitations.filter((each) => each.invited === invited && each.end.allows("open"));
  const end = new Possible<"open" | "over">("over");
  const invitation: Invitation = { id: undefined, organization, invited, inviter, roles, end };
  organization.invitations.push(invitation);
  const sent = await changingAll(
    [...earlier.map((each) => becomes(each.end, "over" as const)), becomes(end, "open" as const)],
    async () => await send(roles),
    (sent) => sent !== undefined,
  );
  invitation.id = sent?.id;
  if (sent === undefined) organization.invitations.splice(organization.invitations.indexOf(invitation), 1);
}

type Send = (roles: Roles) => Promise<{ id: string | undefined } | undefined>;

function sorted(roles: Roles): Roles {
  return roles.split(" ").toSorted().join(" ");
}

const deleted = (before: State): State => (before === "gone" ? before : "off");
const restored = (before: State): State => (before === "off" ? "on" : before);

function idOf(named: KnownOrganization | typeof none): string {
  return named === none ? none : named.id;
}

function nameOf(named: Named): string {
  return named === undefined ? "the last one" : named === none ? none : named.name;
}

function isSurelyMember({ roles, states }: Look): boolean {
  return roles.every((each) => each !== "") && states.every((state) => state === "on");
}
