/** An application whose customers are organizations: its server, its API, and who works there. */
import { and, eq } from "drizzle-orm";
import * as clients from "../../../src/applications/clients/service.ts";
import type { NewClient } from "../../../src/applications/clients/rules.ts";
import { call } from "../../support/person.ts";
import { Books, lateness } from "../books.ts";
import { calling } from "../browser.ts";
import type { Generator } from "../generator.ts";
import { wasRefused } from "../ledger.ts";
import { Violation } from "../model.ts";
import {
  becomes,
  changingAll,
  has,
  KnownOrganization,
  roleChoices,
  type Employee,
  type EmployeeToken,
  type Firms,
  type Roles,
  type State,
} from "../organizations.ts";
import { claimsOf } from "../oracles/tokens.ts";
import { postAs } from "../programs.ts";
import { time } from "../time.ts";
import { Lost, type Part, type World } from "../world.ts";
import { EmployeeActs, invite, mayChange } from "./employees.ts";

type Answer = Awaited<ReturnType<typeof call>>;
const by = { actor: { kind: "cli", name: "simulation" } } as const;
/** At a time. */
const most = 3;

export async function organizations(world: World, { chances, isOver, pause }: Part): Promise<void> {
  const caller = { world, ipAddress: "203.0.113.40", chances: chances.fork("network") };
  await calling(caller, async () => {
    const books = new Books(world);
    const server = new FirmsServer(world, chances, books);
    await Promise.all([
      ...world.firms.employees.map(async (me) => await new EmployeeActs(world, me, books).live(isOver)),
      server.live(isOver, pause),
    ]);
    books.close();
  });
}

class FirmsServer {
  readonly #world: World;
  readonly #firms: Firms;
  readonly #chances: Generator;
  readonly #books: Books;

  constructor(world: World, chances: Generator, books: Books) {
    this.#world = world;
    this.#firms = world.firms;
    this.#chances = chances;
    this.#books = books;
  }

  async live(isOver: Part["isOver"], pause: Part["pause"]): Promise<void> {
    while (!isOver()) {
      await this.#trying(this.#draw());
      await pause(65_000);
    }
    // One that nobody knows of would have unexplained members.
    for (let tries = 0; this.#unfinished && tries < 200; tries += 1) await this.#trying(() => this.#found());
  }

  async #trying(...acts: (() => Promise<unknown>)[]): Promise<void> {
    for (const done of await Promise.allSettled(acts.map(async (act) => await act())))
      if (done.status === "rejected" && !(done.reason instanceof Lost)) throw done.reason;
  }

  get #unfinished(): KnownOrganization | undefined {
    return this.#firms.organizations.find(({ id }) => id === "");
  }

  #draw(): () => Promise<unknown> {
    const chances = this.#chances;
    const present = this.#firms.organizations.filter(({ id, state }) => id !== "" && !state.isOnly("gone"));
    if (present.length < most) return () => this.#found();
    const organization = chances.pick(present);
    const employee = chances.pick(this.#firms.employees);
    const shutOut = this.#firms.employees.find(({ access }) => !access.isOnly("allowed"));
    if (shutOut && chances.chance(0.3)) return () => this.#allow(shutOut, true);
    return chances.pick([
      () => this.#takeAwayWhileUsed(),
      () => this.#takeAwayWhileUsed(),
      () => this.#takeAwayWhileUsed(),
      () => this.#closeWhileUsed(),
      () => this.#closeWhileUsed(),
      () => this.#put(organization, employee),
      () => this.#put(organization, employee),
      () => this.#invite(organization, employee, undefined),
      () => this.#invite(organization, employee, undefined),
      () => this.#withdraw(organization),
      () => this.#onBehalf(organization, employee),
      () => this.#onBehalf(organization, employee),
      () => this.#read(organization),
      () => this.#read(organization),
      () => this.#useMachine(organization),
      () => this.#orphan(organization),
      () => (chances.chance(0.2) ? this.#allow(employee, false) : this.#read(organization)),
      () => (chances.chance(0.25) ? this.#remove(organization) : this.#setState(organization, "on")),
    ]);
  }

  async #call(method: string, path: string, body?: unknown): Promise<Answer> {
    const { app } = this.#firms;
    const answer = await call(this.#world.service, method, `/applications/${app.id}${path}`, app.headers, body);
    const shown = path.replaceAll(/(?<=(?:org|usr|inv)_)\w+/gu, "…");
    this.#world.note(`the server of firms: ${method} ${shown} ${answer.status}`);
    return answer;
  }

  /** Creates one, again until it is known; its machine, too. */
  async #found(): Promise<void> {
    const { organizations, employees, resource, app } = this.#firms;
    const organization = this.#unfinished ?? new KnownOrganization(organizations.length + 1, resource);
    if (!organizations.includes(organization)) organizations.push(organization);
    const { name, slug, machine } = organization;
    const [owner, second, third] = [0, 1, 2].map((more) => employees[(organizations.length + more) % employees.length]);
    if (!owner || !second || !third) return;
    const listed = await this.#call("GET", "/organizations?limit=200");
    if (listed.status !== 200) return;
    const there = (listed.body["organizations"] as { id: string; slug: string }[]).find((each) => each.slug === slug);
    const made = there ?? (await this.#call("POST", "/organizations", { name, slug, owner: owner.userId })).body;
    if (typeof made["id"] !== "string") return;
    await this.#world.operate(async (ctx) => {
      const organizationId = made["id"] as string;
      const client: NewClient = { id: machine.id, appId: app.id, name, kind: "machine", resources: [resource] };
      const secret = { secret: machine.secret ?? "" };
      await clients.create(ctx, { ...client, organizationId }, secret, by).catch((error: unknown) => {
        if (!wasRefused(error)) throw error;
      });
    });
    organization.rolesOf(owner).is("owner");
    organization.id = made["id"];
    await this.#put(organization, second, "owner");
    await this.#put(organization, third, "admin");
  }

  /** Adds somebody, or gives a member other roles; no roles: removes them. */
  async #put(organization: KnownOrganization, employee: Employee, drawn?: Roles): Promise<void> {
    const roles = drawn ?? (this.#chances.chance(0.25) ? "" : this.#chances.pick(roleChoices));
    // The server rarely touches an owner, or nobody would see whether others can take the last one.
    const mayBeOwner = organization.rolesOf(employee).all.some((each) => has(each, "owner"));
    if (drawn === undefined && mayBeOwner && this.#chances.chance(0.9)) return;
    await this.#change(organization, employee, roles, "");
  }

  async #change(organization: KnownOrganization, employee: Employee, roles: Roles, query: string): Promise<Answer> {
    const path = `${organization.path}/members/${employee.userId}${query}`;
    const given = roles.split(" ").toSorted();
    return await changingAll(
      organization.changesOf(employee, given.join(" "), { byServer: query === "" }),
      async () =>
        await (roles === ""
          ? this.#call("DELETE", path)
          : this.#call(query === "" ? "PUT" : "PATCH", path, { roles: given })),
      // Of somebody who is none, nothing ends.
      ({ status, body }) => (body.error?.code === "USER_NOT_FOUND" ? undefined : status === 200),
    );
  }

  /** O8: who is named in `by` has at most the rights of an admin, and only their own. */
  async #onBehalf(organization: KnownOrganization, employee: Employee): Promise<void> {
    const chances = this.#chances;
    const member = chances.pick(this.#firms.employees);
    const query = `?by=${member.userId}`;
    const [rank, was] = [organization.look(member), organization.rolesOf(employee).all];
    const watch = organization.rolesOf(employee).watch();
    if (chances.chance(0.3)) return await this.#invite(organization, employee, member);
    const gets = chances.chance(0.3) ? "" : chances.pick(roleChoices);
    const { status } = await this.#change(organization, employee, gets, query);
    const asAdmin = rank.roles.map((roles) => (has(roles, "owner") || has(roles, "admin") ? "admin" : roles));
    const change = was.map((each) => ({ was: each, gets, isOwn: member === employee }));
    const mayBeAllowed = asAdmin.some((each) => change.some((one) => one.was !== "" && mayChange(each, one)));
    this.#world.reached(status === 200 ? "an act on behalf of a member" : "an act on behalf of a member refused");
    const isKnown = watch.isAlone(1) && (rank.isStill() || member === employee);
    if (status === 200 && !mayBeAllowed && isKnown)
      throw new Violation("O8", `by ${member.name} as ${rank.roles.join(" or ")}: ${employee.name} became ${gets}`);
  }

  async #invite(organization: KnownOrganization, employee: Employee, inviter: Employee | undefined): Promise<void> {
    const query = inviter === undefined ? "" : `?by=${inviter.userId}`;
    const look = inviter && organization.look(inviter);
    const send = async (roles: Roles) => {
      const wanted = { invitations: [{ email: employee.email, roles: roles.split(" ") }] };
      const { status, body } = await this.#call("POST", `${organization.path}/invitations${query}`, wanted);
      const [result] = status === 200 ? (body["results"] as { invitation: { id: string } | null }[]) : [];
      if (!result?.invitation) return undefined;
      const mayBeAllowed = look?.roles.some(
        (each) => has(each, "owner") || mayChange(each, { was: "", gets: roles, isOwn: false }),
      );
      const asAdmin = !roles.split(" ").some((role) => ["owner", "admin", "audit"].includes(role));
      if (look?.isStill() && !(mayBeAllowed && asAdmin))
        throw new Violation("O8", `by ${inviter?.name} as ${look.roles.join(" or ")}: invited as ${roles}`);
      return { id: result.invitation.id };
    };
    await invite(organization, employee, { chances: this.#chances, send, inviter });
  }

  async #withdraw(organization: KnownOrganization): Promise<void> {
    const open = organization.invitations.filter(({ id, end }) => id !== undefined && end.allows("open"));
    if (open.length === 0) return;
    const { id, end } = this.#chances.pick(open);
    const path = `${organization.path}/invitations/${id}`;
    // 404: it had ended.
    await end.changing(
      "over",
      async () => await this.#call("DELETE", path),
      ({ status }) => status === 200 || status === 404,
    );
    this.#world.reached("an invitation withdrawn");
  }

  async #setState(organization: KnownOrganization, to: "on" | "strict" | "off"): Promise<void> {
    const change = { disabled: to === "off", secondFactor: to === "strict" ? "required" : "off" };
    await changingAll(
      [organization.stateTo((before) => (before === "gone" ? before : to))],
      async () => await this.#call("PATCH", organization.path, change),
      ({ status }) => status === 200,
    );
  }

  async #remove(organization: KnownOrganization): Promise<void> {
    const ends = organization.invitations.map(({ end }) => becomes(end, "over" as const));
    await changingAll(
      [...ends, organization.stateTo("gone")],
      async () => await this.#call("DELETE", organization.path),
      ({ status }) => status === 200 || status === 404,
    );
    this.#world.reached("an organization deleted by the server");
  }

  /** Disables or enables a person. */
  async #allow(employee: Employee, isAllowed: boolean): Promise<void> {
    const { organizations } = this.#firms;
    const touched = isAllowed
      ? []
      : organizations.flatMap((each) => [
          becomes(each.isOwned, false),
          ...each.endingWith(employee, { isRemoved: false, isSure: true }),
        ]);
    const act = async (): Promise<boolean> =>
      (await this.#call("PATCH", `/users/${employee.userId}`, { disabled: !isAllowed })).status === 200;
    await employee.beingChanged(
      { becomes: isAllowed ? "allowed" : "disabled", ends: !isAllowed },
      async () => await changingAll(touched, act, (isDone) => isDone),
    );
  }

  /** O9: an organization that loses its last owner, by a disabling or other roles, is told of. */
  async #orphan(organization: KnownOrganization): Promise<void> {
    const { employees } = this.#firms;
    const isOwner = (employee: Employee): boolean =>
      organization.rolesOf(employee).isOnly("owner") && employee.access.isOnly("allowed");
    const told = await this.#toldOwnerless(organization);
    const owners = employees.filter(isOwner);
    if (owners.length === 0) return;
    const isOut = this.#chances.chance(0.5);
    for (const owner of owners)
      await (isOut ? this.#allow(owner, false) : this.#change(organization, owner, "member", ""));
    const isNone = ([employee, roles]: [Employee, { all: readonly Roles[] }]): boolean =>
      employee.access.isOnly("disabled") || !roles.all.some((each) => has(each, "owner"));
    const hasNone = organization.state.isOnly("on") && organization.people.every(isNone);
    if (hasNone && (await this.#toldOwnerless(organization)) === told)
      throw new Violation("O9", `no entry says that ${organization.name} has lost its owners`);
    if (hasNone) this.#world.reached("an organization without an owner");
    for (const owner of owners)
      await (isOut ? this.#allow(owner, true) : this.#change(organization, owner, "owner", ""));
  }

  async #toldOwnerless({ id }: KnownOrganization): Promise<number> {
    return await this.#world.operate(async ({ storage: { reader } }) => {
      const { auditEvents: entries } = reader.tables;
      const isOne = and(eq(entries.target, id), eq(entries.action, "organization.ownerless"));
      return (await reader.db.select({ id: entries.id }).from(entries).where(isOne)).length;
    });
  }

  /** A token that is remembered as good is refused at the next call after its roles end. */
  async #takeAwayWhileUsed(): Promise<void> {
    const token = this.#someToken();
    const organization = token && this.#of(token);
    if (!organization) return;
    const { employee } = token;
    if (organization.rolesOf(employee).all.some((each) => has(each, "owner"))) return;
    if (!(await this.#books.write(token))) return;
    // For a minute the feed is read on, which costs more than all others here.
    const isVerified = this.#chances.chance(0.25);
    if (isVerified) await this.#books.verify(token);
    const roles = this.#chances.pick(["", "member", "billing"]);
    await this.#trying(
      () => this.#change(organization, employee, roles, ""),
      () => this.#books.write(token),
    );
    await this.#books.write(token);
    if (isVerified) await this.#books.verify(token);
    if (!this.#chances.chance(0.4)) return;
    // Given again: it is true again.
    await this.#change(organization, employee, token.roles, "");
    await this.#books.write(token);
  }

  /** The same for all tokens of an organization, within a second, and for those of its machine. */
  async #closeWhileUsed(): Promise<void> {
    const token = this.#someToken();
    const organization = token && this.#of(token);
    if (!organization || organization.state.isOnly("gone")) return;
    if (!(await this.#books.write(token))) return;
    await this.#useMachine(organization);
    await this.#trying(
      () => this.#setState(organization, this.#chances.pick(["off", "strict"])),
      () => this.#books.write(token),
    );
    await time.pause(lateness(this.#world) + 1);
    await this.#books.write(token);
    await this.#useMachine(organization);
    this.#world.reached("a token while its organization ends");
    await this.#setState(organization, "on");
    await time.pause(lateness(this.#world) + 1);
    await this.#books.write(token);
  }

  #someToken(): EmployeeToken | undefined {
    const all = this.#firms.employees.flatMap(({ own }) => own.flatMap(({ tokens }) => tokens));
    const named = all.filter(({ organizationId, expiresAt }) => organizationId !== undefined && expiresAt > time.now());
    const good = named.filter((each) =>
      this.#of(each)
        ?.look(each.employee)
        .roles.some((roles) => roles !== ""),
    );
    const from = good.length > 0 && this.#chances.chance(0.9) ? good : named;
    return from.length === 0 ? undefined : this.#chances.pick(from);
  }

  #of({ organizationId }: EmployeeToken): KnownOrganization | undefined {
    return this.#firms.organizations.find(({ id }) => id === organizationId);
  }

  /** O1, O4 and O12: a machine acts in its own organization, and ends with it. */
  async #useMachine(organization: KnownOrganization): Promise<void> {
    const { machine, id, name, state } = organization;
    const { books, resource } = this.#firms;
    const world = this.#world;
    const [before, watch] = [state.all, state.watch()];
    const isOver = (states: readonly State[]): boolean => states.every((each) => each === "off" || each === "gone");
    const form = { grant_type: "client_credentials", resource, scope: "read" };
    const { status, body } = await postAs(machine, "/oauth2/token", form);
    world.note(`the machine of ${name} asks: ${status}`);
    if (status === 200) {
      const text = String(body["access_token"]);
      if (claimsOf(text)["org_id"] !== id) throw new Violation("O12", `the machine of ${name} acts in another one`);
      if (watch.isAlone() && isOver(before)) throw new Violation("O1", `the machine of ${name} outlives it`);
      organization.machineTokens = [
        ...organization.machineTokens.slice(-3),
        { token: text, expiresAt: time.now() + 540_000 },
      ];
    } else if (watch.isAlone() && !before.includes("off") && !before.includes("gone"))
      throw new Violation("O4", `the machine of ${name} was refused: ${JSON.stringify(body)}`);
    const live = organization.machineTokens.filter(({ expiresAt }) => expiresAt > time.now());
    if (live.length === 0) return;
    const [then, since] = [state.all, state.watch()];
    const looked = await postAs(books, "/oauth2/introspect", { token: this.#chances.pick(live).token });
    if (looked.status !== 200 || !since.isAlone() || !world.clockHasBeenRight) return;
    const { active, org_id: named } = looked.body;
    world.note(`a token of the machine of ${name} is ${active ? "active" : "over"}`);
    if (active === true && (isOver(then) || named !== id))
      throw new Violation("O1", `a token of the machine of ${name} is active for ${String(named)}`);
    if (active === false && !then.includes("off") && !then.includes("gone"))
      throw new Violation("O4", `a token of the machine of ${name} is not active`);
  }

  /** O4, and O13: nobody but the server takes the last owner. Settles what was in doubt. */
  async #read(organization: KnownOrganization): Promise<void> {
    const { state, isOwned, path, name, invitations } = organization;
    const people = this.#firms.employees.map((employee) => ({ employee, roles: organization.rolesOf(employee) }));
    const watch = [state.watch(), isOwned.watch()];
    const watches = people.map(({ roles }) => roles.watch());
    const { status, body } = await this.#call("GET", path);
    if (watch.every((each) => each.isAlone())) {
      const read: State =
        status === 404
          ? "gone"
          : body["disabledAt"] !== null
            ? "off"
            : body["secondFactor"] === "required"
              ? "strict"
              : "on";
      this.#world.mustBe(`the state of ${name}`, state, read);
      organization.is(read);
      if (status === 200 && body["owners"] === 0 && isOwned.isOnly(true))
        throw new Violation("O13", `${name} has lost its owners`);
      if (status === 200) isOwned.is(body["owners"] !== 0);
    }
    if (status !== 200) return;
    const { body: listed, status: found } = await this.#call("GET", `${path}/members?limit=200`);
    if (found !== 200) return;
    const members = listed["members"] as { id: string; roles: string[] }[];
    for (const [at, { employee, roles }] of people.entries()) {
      if (watches[at]?.isAlone() !== true) continue;
      const read =
        members
          .find(({ id }) => id === employee.userId)
          ?.roles.toSorted()
          .join(" ") ?? "";
      this.#world.mustBe(`what ${employee.name} is in ${name}`, roles, read);
      roles.is(read);
    }
    const ends = invitations.map(({ end }) => end.watch());
    const known = [...invitations];
    const open = await this.#call("GET", `${path}/invitations?limit=200`);
    if (open.status !== 200) return;
    const shown = open.body["invitations"] as { id: string; email: string }[];
    for (const [at, invitation] of known.entries()) {
      if (ends[at]?.isAlone() !== true) continue;
      const { invited, end } = invitation;
      if (invitation.id === undefined) continue;
      const isOpen = shown.some(({ id }) => id === invitation.id);
      this.#world.mustBe(`an invitation of ${invited.name} to ${name}`, end, isOpen ? "open" : "over");
      end.is(isOpen ? "open" : "over");
    }
  }
}
