/**
 * One organization of somebody who does one thing after the other: all that is known of it, and
 * what the log, the events and the feed must say of what was done (docs/organizations.md).
 */
import * as audit from "../../src/records/audit/audit.ts";
import { call, type Visitor } from "../support/person.ts";
import { mayChange } from "./actors/employees.ts";
import { sameText, surplus, textOf, without } from "./firm-answers.ts";
import { askedAgain, type Resident } from "./resident.ts";
import { time } from "./time.ts";

export type Member = { roles: string[]; joinedBy: string; isExempt?: boolean };
export type Person = { id: string; email: string; name: string; isDisabled: boolean };
export type Invited = { id: string; email: string; roles: string[]; inviterId: string | null };
/** Of a domain. `isVouched`: by an operator. `isMoved`: it came from another organization. */
export type Claim = {
  domain: string;
  state: string;
  join: string;
  setupLinkId: string | null;
  misses: number;
  value: string;
  isVouched: boolean;
  wasProved: boolean;
  isMoved: boolean;
  /** What DNS said last; `isUnknown`: nothing. */
  isFound: boolean;
  isUnknown?: boolean;
};
export type FirmProvider = {
  issuer: string;
  clientId: string;
  fixedAddresses: boolean;
  trustsSecondFactor: string | null;
  sessionSeconds: number;
  setterId: string | null;
  setupLinkId: string | null;
  /** Somebody came by it; `isSettled`: it works a day later; `isRequired`: of members. */
  isTried?: boolean;
  isSettled?: boolean;
  isRequired?: boolean;
};
export type SetupLink = {
  id: string;
  email: string;
  makerId: string | null;
  link: string;
  isOver: boolean;
  /** The browser in which it is opened, until when, and of the last form that it was shown. */
  visitor: Visitor;
  openUntil: number;
  token: string;
};
/** Who acts: the server, the server for a member, the member on the page, or an operator. */
export type Who = { kind: "server" | "page" | "console" } | { kind: "by"; id: string };
export type Rank = "server" | "owner" | "admin" | "member";

/** What an act leaves in the log; `event`: also as an event. */
type Note = {
  actor: string;
  action: string;
  event?: string;
  userId?: string;
  roles?: string[];
  details?: Record<string, unknown>;
  changes?: Record<string, unknown>;
  /** Null: of a worker, or somebody else's. */
  ipAddress?: string | null;
  /** Whose rights decided. */
  onBehalfOf?: string | undefined;
};

export class Firm {
  readonly me: Resident;
  readonly people: Map<string, Person>;
  readonly id: string;
  name: string;
  slug: string;
  slugs: string[];
  secondFactor = "off";
  maxMembers: number | null = null;
  publicMetadata: Record<string, unknown> = {};
  isDisabled = false;
  /** When an owner's deletion happens. */
  deletesAt: string | null = null;
  isGone = false;
  /** By another owner, so that no owner may delete it. */
  lostOwner = false;
  createdAt: string;
  updatedAt: string;
  readonly members = new Map<string, Member>();
  invitations: Invited[] = [];
  readonly domains = new Map<string, Claim>();
  provider: FirmProvider | undefined;
  waiting: FirmProvider | undefined;
  readonly setupLinks: SetupLink[] = [];
  /** Of each member, whether an owner agreed; `isUnseen`: had never signed in. */
  readonly relinks = new Map<string, { isAgreed: boolean; isUnseen: boolean }>();
  /** How often each address was invited. */
  readonly sent = new Map<string, number>();
  /** Each line of the log. */
  readonly entries: string[] = [];
  readonly events: string[] = [];
  /** What the feed must say next, such as "org_… usr_…". */
  readonly told: string[] = [];
  /** Whom a mail told of a new or a former owner. */
  readonly mails: { to: string; about: string; since: number }[] = [];

  constructor(me: Resident, people: Map<string, Person>, answer: Record<string, unknown>) {
    this.me = me;
    this.people = people;
    this.id = String(answer["id"]);
    this.name = String(answer["name"]);
    this.slug = String(answer["slug"]);
    this.slugs = [this.slug];
    this.createdAt = String(answer["createdAt"]);
    this.updatedAt = String(answer["updatedAt"]);
  }

  get path(): string {
    return `/organizations/${this.id}`;
  }

  isLive(userId: string): boolean {
    const isMember = this.members.has(userId) && !this.isDisabled && !this.isGone;
    return isMember && this.people.get(userId)?.isDisabled === false;
  }

  rolesOf(userId: string): string[] {
    return this.members.get(userId)?.roles ?? [];
  }

  /** Undefined: not a live member. A server's word makes nobody more than an admin. */
  rankOf(who: Who): Rank | undefined {
    if (who.kind === "server" || who.kind === "console") return "server";
    const userId = who.kind === "by" ? who.id : this.me.userId;
    if (!this.isLive(userId)) return undefined;
    const roles = this.rolesOf(userId);
    if (roles.includes("owner")) return who.kind === "by" ? "admin" : "owner";
    return roles.includes("admin") ? "admin" : "member";
  }

  mayChange(who: Who, was: readonly string[], gets: readonly string[], userId?: string): boolean {
    const rank = this.rankOf(who);
    if (rank === undefined || rank === "server") return rank === "server";
    const isOwn = userId === (who.kind === "by" ? who.id : this.me.userId);
    return mayChange(rank, { was: was.join(" "), gets: gets.join(" "), isOwn });
  }

  owners(): string[] {
    const all = [...this.members].filter(([, { roles }]) => roles.includes("owner"));
    return all.map(([id]) => id).filter((id) => this.people.get(id)?.isDisabled === false);
  }

  note({ actor, action, event, userId, roles, onBehalfOf, ...more }: Note): void {
    const { ipAddress = this.me.ipAddress, details = {}, changes } = more;
    const about = {
      ...(roles && { roles: roles.join(", ") }),
      ...details,
      ...(onBehalfOf !== undefined && { onBehalfOf }),
    };
    const [kind, name] = actor.split(":");
    const whose = userId ?? (kind === "user" ? name : null);
    // Forgotten with its person, so another's is not kept.
    const from = kind === "user" && whose !== name ? null : ipAddress;
    this.entries.push(textOf([actor, `organization.${action}`, whose, from, about, changes ?? {}]));
    if (event === undefined) return;
    const isTheirs = kind === "user" && name === userId;
    const email = userId === undefined ? null : (this.people.get(userId)?.email ?? null);
    const data = { userId: userId ?? null, email, authMethod: null, ipAddress: isTheirs ? ipAddress : null };
    const text = { ...data, sessionId: null, organizationId: this.id, roles: roles ?? null };
    this.events.push(`organization.${event} ${textOf(text)}`);
  }

  /** Servers that verify tokens must ask about all of the organization, or about one user. */
  tells(userId?: string): void {
    this.told.push(userId === undefined ? this.id : `${this.id} ${userId}`);
  }

  /** What somebody sent who may not any more. */
  endsSentOf(userId: string): void {
    this.invitations = this.invitations.filter(({ inviterId }) => inviterId !== userId);
    for (const link of this.setupLinks) if (link.makerId === userId) link.isOver = true;
  }

  joins(userId: string, member: Member, note: Omit<Note, "action">): void {
    this.members.set(userId, member);
    const { roles, joinedBy } = member;
    this.note({ ...note, action: "member.add", event: "member.added", userId, roles, details: { joinedBy } });
    if (roles.includes("owner")) this.#mails(userId);
  }

  /** May do without the organization's provider. */
  exempts(userId: string, isExempt: boolean, note: Omit<Note, "action">): void {
    const member = this.members.get(userId);
    if (!member || (member.isExempt ?? false) === isExempt) return;
    this.members.set(userId, { ...member, isExempt });
    if (!isExempt) this.tells(userId);
    const details = { providerExempt: isExempt };
    this.note({ ...note, action: "member.update", event: "member.updated", userId, roles: member.roles, details });
  }

  /** All its owners read of a new one, and with a former one of that. */
  #mails(userId: string, former: string[] = []): void {
    this.tellsOwners(this.people.get(userId)?.email ?? "", former);
  }

  tellsOwners(about: string, others: string[] = []): void {
    for (const id of [...this.owners(), ...others])
      this.mails.push({ to: this.people.get(id)?.email ?? "", about, since: time.now() - 60_000 });
  }

  becomes(userId: string, roles: string[], note: Omit<Note, "action">): void {
    const before = this.rolesOf(userId);
    const member = this.members.get(userId);
    if (!member || before.join() === roles.join()) return;
    this.members.set(userId, { ...member, roles });
    const losesOwner = before.includes("owner") && !roles.includes("owner");
    const losesAdmin = before.includes("admin") && !roles.includes("admin") && !roles.includes("owner");
    if (losesOwner || losesAdmin) this.endsSentOf(userId);
    if (before.some((role) => !roles.includes(role))) this.tells(userId);
    const details = { before: before.join(", ") };
    this.note({ ...note, action: "member.update", event: "member.updated", userId, roles, details });
    if (losesOwner) this.#losesOwner(userId, note);
    if (!before.includes("owner") && roles.includes("owner")) this.#mails(userId);
  }

  leaves(userId: string, note: Omit<Note, "action">, { isOwn = false } = {}): void {
    const wasOwner = this.rolesOf(userId).includes("owner");
    this.members.delete(userId);
    this.relinks.delete(userId);
    this.endsSentOf(userId);
    const email = this.people.get(userId)?.email;
    if (!isOwn) this.invitations = this.invitations.filter((each) => each.email !== email);
    this.tells(userId);
    this.note({ ...note, action: isOwn ? "member.leave" : "member.remove", event: "member.removed", userId });
    if (wasOwner) this.#losesOwner(userId, note);
  }

  #losesOwner(userId: string, note: Omit<Note, "action">): void {
    if (note.actor.startsWith("user:") && note.actor !== `user:${userId}`) this.lostOwner = true;
    this.#mails(userId, this.people.get(userId)?.isDisabled === false ? [userId] : []);
    if (this.people.get(userId)?.isDisabled === false) this.isOwnerless(note);
  }

  /** After an owner is none any more, or is disabled. */
  isOwnerless({ actor, ipAddress, onBehalfOf }: Omit<Note, "action">): void {
    if (this.owners().length > 0) return;
    const from = ipAddress === undefined ? {} : { ipAddress };
    this.note({ actor, ...from, onBehalfOf, action: "ownerless", event: "ownerless" });
  }

  /** O4 and O9: what anybody may read of it is what was done. */
  async check(): Promise<void> {
    const { chances } = this.me;
    const all = [
      () => this.#checkItself(),
      () => this.#checkMembers(),
      () => this.#checkMembers(),
      () => this.#checkInvitations(),
      () => this.#checkPerson(),
      () => this.#checkBy(),
    ];
    await this.checkEntries();
    if (chances.chance(0.3)) await this.#checkFilter();
    if (this.isGone) return await this.#checkGone();
    for (let count = 0; count < 3; count += 1) await chances.pick(all)();
  }

  async #get(path: string): Promise<Record<string, unknown>> {
    const { status, body } = await this.me.server("GET", path);
    this.me.must("O4", status === 200, `no answer of ${this.name} at ${path.replace(/.*\/org_\w+/u, "")}: ${status}`);
    return body;
  }

  isAsKept(answer: Record<string, unknown>, what = "an organization"): void {
    const { disabledAt, ...rest } = answer;
    const { id, name, slug, secondFactor, maxMembers, publicMetadata, createdAt, updatedAt, deletesAt } = this;
    const should = { id, name, slug, secondFactor, maxMembers, publicMetadata, createdAt, updatedAt, deletesAt };
    const counts = "members" in answer ? { members: this.members.size, owners: this.owners().length } : {};
    this.me.must(
      "O4",
      sameText(rest, { ...should, ...counts }),
      `${what}: ${JSON.stringify(answer)} instead of ${JSON.stringify({ ...should, ...counts })}`,
    );
    this.me.must("O4", (disabledAt !== null) === this.isDisabled, `${what} is disabled: ${String(disabledAt)}`);
  }

  async #checkItself(): Promise<void> {
    this.isAsKept(await this.#get(this.path));
  }

  /** Each page of a list, as a server that shows it reads them. */
  async pages(path: string, field: string): Promise<Record<string, unknown>[]> {
    const { chances, me } = this.#own();
    const limit = chances.pick([1, 2, 3, 50]);
    const found: Record<string, unknown>[] = [];
    for (let cursor = ""; ;) {
      const query = `${path.includes("?") ? "&" : "?"}limit=${limit}${cursor}`;
      const body = await this.#get(`${path}${query}`);
      const page = body[field] as Record<string, unknown>[];
      me.must("O4", page.length <= limit, `a page of ${page.length}, at most ${limit} were wanted`);
      found.push(...page);
      if (body["nextCursor"] === null) return found;
      me.must("O10", found.length < 2000, `pages of ${path} without an end`);
      cursor = `&cursor=${body["nextCursor"] as string}`;
    }
  }

  #own() {
    return { chances: this.me.chances, me: this.me };
  }

  async #checkMembers(query = ""): Promise<void> {
    const found = await this.pages(`${this.path}/members${query}`, "members");
    const ids = [...this.members.keys()].toSorted();
    const should = ids.map((id) => {
      const person = this.people.get(id);
      const { roles, joinedBy, isExempt } = this.members.get(id) ?? {};
      const shown = { id, email: person?.email, name: person?.name, roles, joinedBy, disabled: person?.isDisabled };
      return { ...shown, ...(isExempt && { providerExempt: true }) };
    });
    const is = found.map((each) => without(each, "joinedAt"));
    this.me.must(
      "O4",
      sameText(is, should),
      `the members of ${this.name} are ${JSON.stringify(is)} instead of ${JSON.stringify(should)}`,
    );
  }

  async #checkInvitations(query = ""): Promise<void> {
    const found = await this.pages(`${this.path}/invitations${query}`, "invitations");
    const is = found.map((each) => without(each, "createdAt", "expiresAt"));
    const should = this.invitations.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    this.me.must(
      "O4",
      sameText(is, should),
      `the invitations of ${this.name} are ${JSON.stringify(is)} instead of ${JSON.stringify(should)}`,
    );
  }

  /** Of one person: with this organization exactly if it is live. */
  async #checkPerson(): Promise<void> {
    const id = this.me.chances.pick([...this.people.keys()]);
    const { organizations } = (await this.#get(`/users/${id}/organizations`)) as {
      organizations: Record<string, unknown>[];
    };
    const is = organizations.filter((each) => each["id"] === this.id).map((each) => without(each, "joinedAt"));
    const { name, slug } = this;
    const isThere =
      this.members.has(id) && !this.isDisabled && !this.isGone && this.people.get(id)?.isDisabled === false;
    const should = isThere ? [{ id: this.id, name, slug, roles: this.rolesOf(id) }] : [];
    this.me.must(
      "O4",
      sameText(is, should),
      `somebody's organizations are ${JSON.stringify(is)} instead of ${JSON.stringify(should)}`,
    );
  }

  /** O8: a member whom the server names sees what their roles allow. */
  async #checkBy(): Promise<void> {
    const id = this.me.chances.pick([...this.people.keys()]);
    const rank = this.rankOf({ kind: "by", id });
    const { status, body } = await this.me.server("GET", `${this.path}?by=${id}`);
    this.me.must("O8", (status === 200) === (rank !== undefined), `the organization by ${rank ?? "nobody"}: ${status}`);
    if (rank === undefined) return;
    const { roles, ...rest } = body;
    this.me.must("O8", sameText(roles, this.rolesOf(id)), `the roles of ${id} are ${JSON.stringify(roles)}`);
    if (rank === "admin") {
      this.isAsKept(rest);
      return await this.me.chances.pick([
        () => this.#checkMembers(`?by=${id}`),
        () => this.#checkInvitations(`?by=${id}`),
      ])();
    }
    const { name, slug } = this;
    this.me.must("O8", sameText(rest, { id: this.id, name, slug }), `a plain member sees ${JSON.stringify(body)}`);
    for (const list of ["members", "invitations"]) {
      const refused = await this.me.server("GET", `${this.path}/${list}?by=${id}`);
      this.me.must("O8", refused.status === 403, `a plain member sees the ${list}: ${refused.status}`);
    }
  }

  async #checkGone(): Promise<void> {
    for (const path of ["", "/members", "/invitations", "/domains", "/provider"]) {
      const { status } = await this.me.server("GET", `${this.path}${path}`);
      this.me.must("O11", status === 404, `${path} of an organization that was deleted: ${status}`);
    }
    await this.#checkPerson();
  }

  /** O9: a filter of the log lets through what it names, and nothing else. */
  async #checkFilter(): Promise<void> {
    const { world, chances, app } = this.me;
    const from = this.me.begun - 1000;
    const middle = from + chances.below(Math.max(1, time.now() - from));
    const actor = `app:${app.id}`;
    type Found = audit.AuditEventAnswer;
    const [filter, fits] = chances.pick<[Record<string, unknown>, (each: Found) => boolean]>([
      [{ appId: app.id }, ({ appId }) => appId === app.id],
      [{ exceptAppId: app.id }, ({ appId }) => appId !== app.id],
      [{ actor }, (each) => each.actor === actor],
      [{ actorKind: "operator" }, (each) => each.actor.startsWith("operator:")],
      [{ result: "failure" }, ({ result }) => result === "failure"],
      [{ action: "organization.create" }, ({ action }) => action === "organization.create"],
      [{ ipAddress: this.me.ipAddress }, ({ ipAddress }) => ipAddress === this.me.ipAddress],
      [{ userId: this.me.userId }, ({ userId }) => userId === this.me.userId],
      [{ before: middle }, ({ at }) => Date.parse(at) < middle],
      [{ since: middle }, ({ at }) => Date.parse(at) >= middle],
    ]);
    const since = "since" in filter ? {} : { since: from };
    const wanted = { ...since, ...filter, limit: 2000 };
    const found = await askedAgain(() => world.operate((ctx) => audit.list(ctx, wanted)));
    const text = JSON.stringify(filter);
    this.me.must(
      "O9",
      found.every(fits),
      `the log shows by ${text}: ${JSON.stringify(found.find((each) => !fits(each)))}`,
    );
    const own = await askedAgain(() => world.operate((ctx) => audit.list(ctx, { target: this.id, limit: 2000 })));
    const ids = new Set(found.map(({ id }) => id));
    const missing = found.length < 2000 ? own.find((each) => fits(each) && !ids.has(each.id)) : undefined;
    this.me.must("O9", missing === undefined, `the log does not show by ${text}: ${JSON.stringify(missing)}`);
  }

  /** O9: in pages, from either end, and by filters. */
  async checkEntries(): Promise<void> {
    const { world, chances, app } = this.me;
    const ofAction = chances.pick(this.entries);
    const [actor = "", action = ""] = JSON.parse(ofAction) as string[];
    const filter = chances.pick([{}, {}, { action }, { actor }, { appId: app.id }, { actorKind: actor.split(":")[0] }]);
    const [limit, oldest] = [chances.pick([3, 20, 1000]), chances.chance(0.5)];
    const found: audit.AuditEventAnswer[] = [];
    for (let after: { at: number; id: string } | undefined; ;) {
      const wanted = { target: this.id, ...filter, limit, oldest, ...(after && { after }) };
      const page = await askedAgain(() => world.operate((ctx) => audit.list(ctx, wanted)));
      found.push(...page);
      if (page.length < limit) break;
      const last = oldest ? page.at(-1) : page[0];
      after = { at: Date.parse(last?.at ?? ""), id: last?.id ?? "" };
    }
    const is = found.map(({ actor: by, action: done, userId, ipAddress, details, changes }) =>
      textOf([by, done, userId, ipAddress, details, changes ?? {}]),
    );
    const of = (line: string, at: number): string => (JSON.parse(line) as string[])[at] ?? "";
    const should = this.entries.filter(
      (line) =>
        (!("action" in filter) || of(line, 1) === action) &&
        (!("actor" in filter) || of(line, 0) === actor) &&
        (!("actorKind" in filter) || of(line, 0).startsWith(`${filter.actorKind}:`)),
    );
    const [more, less] = [surplus(is, should), surplus(should, is)];
    this.me.must("O9", more.length === 0, `${this.name}: an entry ${more[0]} too much; missing: ${less[0]}`);
    this.me.must("O9", less.length === 0, `${this.name}: no entry ${less[0]}, by ${JSON.stringify(filter)}`);
    const isItsOwn = found.every((each) => each.organizationId === this.id && each.appId === app.id);
    this.me.must("O9", isItsOwn, `an entry of ${this.name} is of another organization or application`);
  }
}

/** O1: what an application's servers are told to ask about, since the last time. */
export class Feed {
  readonly #me: Resident;
  #cursor = "";

  constructor(me: Resident) {
    this.#me = me;
  }

  async begin(): Promise<void> {
    await this.#poll();
  }

  async #poll(): Promise<string[]> {
    const { world, app } = this.#me;
    const found: string[] = [];
    for (;;) {
      const after = this.#cursor === "" ? "" : `&after=${this.#cursor}`;
      const path = `/auth/revocations?kinds=organization${after}`;
      const { status, body } = await askedAgain(() => call(world.service, "GET", path, app.headers));
      this.#me.must("O10", status === 200, `no feed: ${status}`);
      const { cursor, revoked, more } = body as { cursor: string; revoked: Record<string, string>[]; more: boolean };
      this.#cursor = cursor;
      for (const { organization, user } of revoked)
        if (organization !== undefined) found.push(user === undefined ? organization : `${organization} ${user}`);
      if (!more) return found;
    }
  }

  async check(firms: readonly Firm[]): Promise<void> {
    const should = firms.flatMap(({ told }) => told.splice(0));
    const is = await this.#poll();
    const [more, less] = [surplus(is, should), surplus(should, is)];
    this.#me.must("O1", less.length === 0, `the feed does not tell of ${less[0]}`);
    this.#me.must("O1", more.length === 0, `the feed tells of ${more[0]}, of whom nothing ended`);
  }
}
