/** What founders do: members, roles, invitations and settings, by everybody who may, or may not. */
import { call, refresh, Visitor, type Page } from "../../support/person.ts";
import { changesOf, sameText, shownText, without } from "../firm-answers.ts";
import type { Firm, Person, Who } from "../firm.ts";
import type { Hand } from "../hand.ts";
import { claimsOf } from "../oracles/tokens.ts";
import { has, type Resident } from "../resident.ts";
import { time } from "../time.ts";
import { Lost } from "../world.ts";

const roleChoices = ["member", "member", "admin", "owner", "billing", "billing,member", "audit,member", "admin,audit"];
/** A running service notices within a second, and reads slowly at times. */
const noticed = 70_000;

type Answer = { isDone: boolean; status: number; body: Record<string, unknown> };

export class Manager {
  readonly me: Resident;
  readonly own: Firm;
  readonly other: Firm;
  readonly people: Map<string, Person>;
  readonly hand: Hand;
  #count = 0;

  constructor(me: Resident, of: { own: Firm; other: Firm; people: Map<string, Person>; hand: Hand }) {
    this.me = me;
    this.own = of.own;
    this.other = of.other;
    this.people = of.people;
    this.hand = of.hand;
    const answer = me.answerTo.bind(me);
    // What a sign-in offers by the way is left for later.
    me.answerTo = (page) =>
      answer(page) ??
      (has(page, "/step/organization")
        ? Promise.resolve(["/step/organization", { organization: this.#choiceOf(page) }])
        : undefined);
  }

  /** One that is offered: later, none, or the first. */
  #choiceOf({ text }: Page): string {
    const all = [...text.matchAll(/name="organization" value="([^"]+)"/gu)].map(([, value]) => value ?? "");
    return [this.#wanted, "later", "none"].find((each) => all.includes(each)) ?? all[0] ?? "none";
  }

  /** The organization of the sign-in that goes on. */
  #wanted = "none";

  /** Server, members whom it names, the founder on the page, an operator. */
  drawWho(): Who {
    const { chances } = this.me;
    const all = [...this.people.keys()];
    const ranked = all.filter((id) => ["admin", "owner"].some((role) => this.own.rolesOf(id).includes(role)));
    const by = (): Who => ({ kind: "by", id: chances.pick(chances.chance(0.7) && ranked.length > 0 ? ranked : all) });
    return chances.pick<() => Who>([
      () => ({ kind: "server" }),
      () => ({ kind: "server" }),
      by,
      by,
      () => ({ kind: "page" }),
      () => ({ kind: "page" }),
      () => ({ kind: "console" }),
    ])();
  }

  actor(who: Who): { actor: string; onBehalfOf?: string } {
    if (who.kind === "console") return { actor: this.hand.actor };
    if (who.kind === "page") return { actor: `user:${this.me.userId}` };
    return { actor: `app:${this.me.app.id}`, ...(who.kind === "by" && { onBehalfOf: who.id }) };
  }

  drawPerson(): Person {
    return this.me.chances.pick([...this.people.values()]);
  }

  next(): string {
    this.#count += 1;
    return String(this.#count);
  }

  /** By the API; `by` names a member. */
  async api(who: Who, method: string, path: string, body?: unknown): Promise<Answer> {
    const query = who.kind === "by" ? `?by=${who.id}` : "";
    const answer = await this.me.server(method, `${path}${query}`, body);
    return { ...answer, isDone: answer.status < 300 };
  }

  /** By a form of the organization's page. */
  async page(fields: Record<string, string>, path?: string): Promise<Answer> {
    const done = await this.press(fields, path);
    return { isDone: done.status === 303, status: done.status, body: { text: done.text } };
  }

  async press(fields: Record<string, string>, path = "/organization"): Promise<Page> {
    const { me } = this;
    const url = `${me.world.service.url}${path}?app_id=${me.app.id}&organization=${this.own.id}`;
    for (let tries = 0; tries < 3; tries += 1) {
      const shown = await me.at();
      const [, token = ""] = /name="token" value="([^"]+)"/u.exec(shown.text) ?? [];
      const done = await me.desk.post(url, { token, ...fields });
      me.world.note(`${me.name}: ${fields["act"]} at the page: ${done.status}`);
      const asksFirst = done.status === 303 && !done.location.pathname.startsWith("/organization");
      if (!asksFirst) return done;
      await me.walk(done, me.desk);
    }
    throw new Lost("the page asks for proofs again and again");
  }

  /** By a form of the console. */
  async console(form: string, values: Record<string, string> = {}, boxes = ""): Promise<Answer> {
    const { id } = this.own;
    const place = `/applications/${this.me.app.id}/organizations/${id}`;
    const page = await this.hand.open(place);
    if (!page.text.includes(`${id}/${form}"`)) return { isDone: false, status: 0, body: {} };
    const done = await this.hand.submit(page, `${id}/${form}`, values, boxes);
    return { isDone: done.status === 303, status: done.status, body: { text: done.text } };
  }

  /** O8: refused, if it is not allowed; done otherwise. */
  judge({ isDone, status, body }: Answer, isAllowed: boolean, what: string): boolean {
    if (status === 429) throw new Lost("too many");
    // The console shows no such button.
    if (status === 0) return false;
    const why = JSON.stringify(body).slice(0, 300);
    this.me.must(
      isAllowed ? "O10" : "O8",
      isDone === isAllowed,
      `${what}: ${isAllowed ? "" : "not "}allowed, ${status} ${why}`,
    );
    this.me.world.reached(isAllowed ? "a founder's act" : "a founder's act that was refused");
    return isDone;
  }

  boxes(roles: readonly string[]): Record<string, string> {
    return Object.fromEntries(roles.map((role) => [`role.${role}`, "on"]));
  }

  isFull(): boolean {
    const { own } = this;
    return own.maxMembers !== null && own.members.size >= own.maxMembers;
  }

  async changesRoles(): Promise<void> {
    const { own, me } = this;
    const who = this.drawWho();
    const strangers = [...this.people.values()].filter(({ id }) => !own.members.has(id));
    const person = strangers.length > 0 && me.chances.chance(0.4) ? me.chances.pick(strangers) : this.drawPerson();
    const gets = me.chances.pick(roleChoices).split(",").toSorted();
    const was = own.rolesOf(person.id);
    const isMember = own.members.has(person.id);
    const adds = who.kind !== "page" && me.chances.chance(0.7);
    const isLastOwner =
      was.includes("owner") && !gets.includes("owner") && own.owners().every((id) => id === person.id);
    const mayJoin = isMember || (adds && own.rankOf(who) === "server" && !this.isFull());
    const isAllowed =
      mayJoin && own.mayChange(who, was, gets, person.id) && (own.rankOf(who) === "server" || !isLastOwner);
    const what = `${who.kind} (${own.rankOf(who)}) gives ${person.name} with ${was.join()} the roles ${gets.join()}`;
    let answer: Answer;
    if (who.kind === "page") answer = await this.page({ act: "roles", user: person.id, ...this.boxes(gets) });
    else if (who.kind === "console") {
      const chosen = this.some("roles", gets);
      const form = isMember ? `members/${person.id}/roles` : "members";
      const whom: Record<string, string> = isMember ? {} : { who: me.chances.pick([person.id, person.email]) };
      answer = await this.console(form, { ...whom, ...chosen }, "roles");
      return this.#roles(answer, isMember || !this.isFull(), what, person, gets, who);
    } else {
      const providerExempt = me.chances.chance(0.5) ? me.chances.chance(0.7) : undefined;
      const wanted = { roles: gets, ...(providerExempt !== undefined && { providerExempt }) };
      const isExempt = own.members.get(person.id)?.isExempt ?? false;
      const mayExempt = own.rankOf(who) === "server" || (providerExempt ?? isExempt) === isExempt;
      answer = await this.api(who, adds ? "PUT" : "PATCH", `${own.path}/members/${person.id}`, wanted);
      this.#roles(answer, isAllowed && mayExempt, `${what}, exempt: ${providerExempt}`, person, gets, who);
      if (answer.isDone && providerExempt !== undefined) own.exempts(person.id, providerExempt, this.actor(who));
    }
    if (who.kind === "page") this.#roles(answer, isAllowed, what, person, gets, who);
    if (!answer.isDone || who.kind === "page") return;
    const is = without(answer.body, "joinedAt");
    const { id, email, name, isDisabled: disabled } = person;
    const { joinedBy, isExempt } = own.members.get(id) ?? {};
    const should = { id, email, name, roles: gets, joinedBy, disabled, ...(isExempt && { providerExempt: true }) };
    me.must(
      "O4",
      sameText(is, should),
      `a member is answered as ${JSON.stringify(is)} instead of ${JSON.stringify(should)}`,
    );
  }

  /** Boxes of a form that shows what is chosen. */
  some(field: string, chosen: readonly string[]): Record<string, string> {
    return Object.fromEntries(chosen.map((each) => [`${field}.${each}`, "on"]));
  }

  #roles(answer: Answer, isAllowed: boolean, what: string, person: Person, gets: string[], who: Who): void {
    if (!this.judge(answer, isAllowed, what)) return;
    const { own } = this;
    if (own.members.has(person.id)) own.becomes(person.id, gets, this.actor(who));
    else own.joins(person.id, { roles: gets, joinedBy: "server" }, this.actor(who));
  }

  /** By the server, of a member. */
  async gives(userId: string, roles: string[]): Promise<void> {
    const person = this.people.get(userId);
    if (!person || !this.own.members.has(userId)) return;
    const answer = await this.api({ kind: "server" }, "PATCH", `${this.own.path}/members/${userId}`, { roles });
    this.#roles(answer, true, `the server gives ${person.name} ${roles.join()}`, person, roles, { kind: "server" });
  }

  async removes(): Promise<void> {
    const { own, me } = this;
    const [who, person] = [this.drawWho(), this.drawPerson()];
    const was = own.rolesOf(person.id);
    const isMember = own.members.has(person.id);
    if (who.kind === "console" && !isMember) return;
    const isOwn = who.kind === "page" && person.id === me.userId;
    const isLastOwner = was.includes("owner") && own.owners().every((id) => id === person.id);
    const isAllowed =
      isMember &&
      (isOwn ? own.isLive(person.id) : own.mayChange(who, was, [], person.id)) &&
      (own.rankOf(who) === "server" || !isLastOwner);
    const what = `${who.kind} (${own.rankOf(who)}) removes ${person.name} with ${was.join()}`;
    const answer =
      who.kind === "page"
        ? await this.page({ act: isOwn ? "leave" : "remove", user: person.id })
        : who.kind === "console"
          ? await this.console(`members/${person.id}/remove`)
          : await this.api(who, "DELETE", `${own.path}/members/${person.id}`);
    if (this.judge(answer, isAllowed, what)) own.leaves(person.id, this.actor(who), { isOwn });
  }

  /** With the founder's own token. */
  async leavesByToken(): Promise<void> {
    const { own, other, me } = this;
    if (this.people.get(me.userId)?.isDisabled === true) return;
    const firm = me.chances.pick([own, other]);
    if (own.isGone || !me.chances.chance(0.5)) return;
    const { accessToken } = await me.login();
    const headers = { authorization: `Bearer ${accessToken}`, "x-service-app-id": me.app.id };
    const listed = await call(me.world.service, "GET", "/users/organizations", headers);
    const is = (listed.body["organizations"] as { id: string }[] | undefined)?.map(({ id }) => id) ?? [];
    const should = [own, other].filter((each) => each.isLive(me.userId)).map(({ id }) => id);
    me.must(
      "O4",
      sameText(is.toSorted(), should.toSorted()),
      `own organizations are ${is.join()} instead of ${should.join()}`,
    );
    const was = firm.rolesOf(me.userId);
    const isLast = was.includes("owner") && firm.owners().every((id) => id === me.userId);
    const { status, body } = await call(me.world.service, "DELETE", `/users/organizations/${firm.id}`, headers);
    const isAllowed = firm.members.has(me.userId) && !isLast;
    if (firm.isDisabled && isAllowed) return this.#maybeLeft(firm, status < 300);
    if (this.judge({ isDone: status < 300, status, body }, isAllowed, `leaves with ${was.join()}`))
      firm.leaves(me.userId, { actor: `user:${me.userId}` }, { isOwn: true });
  }

  /** The documents do not say whether somebody leaves what is disabled. */
  #maybeLeft(firm: Firm, isDone: boolean): void {
    if (isDone) firm.leaves(this.me.userId, { actor: `user:${this.me.userId}` }, { isOwn: true });
  }

  async invites(): Promise<void> {
    const { own, me } = this;
    const { chances } = me;
    const who = this.drawWho();
    const rank = own.rankOf(who);
    const known = [...this.people.values()].map(({ email }) => email);
    const fresh = (): string => `guest.${this.next()}.of.${me.name}@example.org`;
    const openOnes = own.invitations.map(({ email }) => email);
    const count = who.kind === "page" || who.kind === "console" ? 1 : 1 + chances.below(3);
    const wanted = Array.from({ length: count }, () => ({
      email: chances.pick([fresh(), fresh(), ...known, ...openOnes]),
      roles: chances.pick(roleChoices).split(",").toSorted(),
    })).filter(({ email }, at, all) => all.findIndex((each) => each.email === email) === at);
    if (wanted.some(({ email }) => (own.sent.get(email) ?? 0) >= 4)) return;
    const mayBe = wanted.map(({ email, roles }) => this.#mayInvite(who, email, roles));
    const since = time.now();
    if (who.kind === "page" || who.kind === "console") {
      const [{ email, roles } = { email: "", roles: [] }] = wanted;
      const answer =
        who.kind === "page"
          ? await this.page({ act: "invite", addresses: email, ...this.boxes(roles) })
          : await this.console("invitations", { addresses: email, ...this.some("roles", roles) }, "roles");
      const isDone = this.judge(answer, mayBe[0] === true, `${who.kind} (${rank}) invites with ${roles.join()}`);
      if (!isDone) return;
      const { body } = await me.server("GET", `${own.path}/invitations?limit=200`);
      const made = (body["invitations"] as { id: string; email: string }[] | undefined)?.findLast(
        (each) => each.email === email,
      );
      me.must("O4", made !== undefined, `no invitation of ${email} by ${who.kind}`);
      return await this.#invited(who, { email, roles, id: made?.id ?? "" }, since);
    }
    const answer = await this.api(who, "POST", `${own.path}/invitations`, { invitations: wanted });
    const isCalled = this.judge(answer, rank !== undefined && rank !== "member", `${who.kind} (${rank}) invites`);
    if (!isCalled) return;
    const results = answer.body["results"] as {
      email: string;
      invitation: Record<string, unknown> | null;
      error: unknown;
    }[];
    for (const [at, { email, roles }] of wanted.entries()) {
      const result = results[at];
      const isDone = result?.invitation !== null && result?.error === null;
      const one = { isDone, status: 200, body: { result } };
      if (!this.judge(one, mayBe[at] === true, `${who.kind} (${rank}) invites ${email} with ${roles.join()}`)) continue;
      const { id, createdAt, expiresAt, ...is } = result?.invitation ?? {};
      const should = { email, roles, inviterId: who.kind === "by" ? who.id : null };
      me.must("O4", sameText(is, should), `an invitation is answered as ${JSON.stringify(is)}`);
      const lasts = Date.parse(String(expiresAt)) - Date.parse(String(createdAt));
      me.must("O4", lasts === 7 * 86_400_000, `an invitation lasts ${lasts}`);
      await this.#invited(who, { email, roles, id: String(id) }, since);
    }
  }

  #mayInvite(who: Who, email: string, roles: readonly string[]): boolean {
    const { own } = this;
    const [open] = own.invitations.filter((each) => each.email === email);
    const person = [...this.people.values()].find((each) => each.email === email);
    const isMember = person !== undefined && own.members.has(person.id);
    const mayReplace = !open || own.mayChange(who, open.roles, roles);
    return own.mayChange(who, [], roles) && mayReplace && !isMember && !own.isDisabled && !own.isGone;
  }

  async #invited(
    who: Who,
    { email, roles, id }: { email: string; roles: string[]; id: string },
    since: number,
  ): Promise<void> {
    const { own, me } = this;
    own.invitations = own.invitations.filter((each) => each.email !== email);
    const inviterId = who.kind === "by" ? who.id : who.kind === "page" ? me.userId : null;
    own.invitations.push({ id, email, roles, inviterId });
    own.sent.set(email, (own.sent.get(email) ?? 0) + 1);
    own.note({ ...this.actor(who), action: "invite", roles, details: { invitation: id } });
    const { link } = await me.mailed("organization/invitation", since, email);
    const before = this.links.get(email);
    this.links.set(email, link);
    if (before === undefined || before === link) return;
    // O3: an earlier one is over.
    me.voided.push({
      what: "an invitation that was replaced",
      works: async () => (await new Visitor().get(before)).status === 200,
    });
  }

  /** Of the newest invitation to each address. */
  readonly links = new Map<string, string>();

  async withdraws(): Promise<void> {
    const { own, me } = this;
    if (own.invitations.length === 0) return;
    const who = this.drawWho();
    const one = me.chances.pick(own.invitations);
    const isAllowed = own.mayChange(who, one.roles, []);
    const answer =
      who.kind === "page"
        ? await this.page({ act: "withdraw", invitation: one.id })
        : who.kind === "console"
          ? await this.console(`invitations/${one.id}/withdraw`)
          : await this.api(who, "DELETE", `${own.path}/invitations/${one.id}`);
    if (!this.judge(answer, isAllowed, `${who.kind} (${own.rankOf(who)}) withdraws ${one.roles.join()}`)) return;
    own.invitations = own.invitations.filter((each) => each !== one);
    own.note({ ...this.actor(who), action: "invitation.withdraw", details: { invitation: one.id } });
    const link = this.links.get(one.email);
    if (link === undefined) return;
    const { status } = await new Visitor().get(link);
    me.must("O3", status !== 200, `a withdrawn invitation opens: ${status}`);
    const again = await this.api({ kind: "server" }, "DELETE", `${own.path}/invitations/${one.id}`);
    me.must("O3", again.status === 404, `an invitation was withdrawn twice: ${again.status}`);
  }

  /** The provider that waits works from now on. */
  activates(note: { actor: string; action: string; event: string }): void {
    const { own } = this;
    const { provider, waiting } = own;
    if (!waiting) return;
    own.note({ ...note, details: { issuer: waiting.issuer }, changes: changesOf(provider, waiting) });
    if (provider) own.tells();
    own.provider = { ...waiting, isSettled: false, isRequired: provider?.isRequired === true };
    own.waiting = undefined;
  }

  /** What a change of fields leaves. */
  async updates(): Promise<void> {
    const { own, other, me } = this;
    const { chances } = me;
    const who = this.drawWho();
    const rank = own.rankOf(who);
    const fresh = `own-${this.next()}-${me.name}`;
    const all: Record<string, () => unknown> = {
      // A web address only if it is a domain that it has proved.
      name: () => chances.pick([`Firm ${this.next()} of ${me.name}`, own.name, "acme.com", `own-${me.name}.com`]),
      slug: () => chances.pick([fresh, own.slug, other.slug, ...own.slugs]),
      secondFactor: () => chances.pick(["off", "optional"]),
      maxMembers: () => chances.pick([null, 3, 4, 0, own.members.size]),
      publicMetadata: () => ({ [chances.pick(["plan", "seats"])]: chances.pick([null, chances.below(5)]) }),
    };
    const fields: Record<string, readonly string[]> = {
      server: Object.keys(all),
      owner: ["name", "slug", "secondFactor"],
      admin: ["name"],
    };
    const count = who.kind === "page" ? 1 : 1 + chances.below(2);
    const onPage = who.kind === "page" ? ["name", "slug", "secondFactor"] : Object.keys(all);
    const choices = who.kind === "console" ? onPage.filter((name) => name !== "publicMetadata") : onPage;
    const names = [...new Set(Array.from({ length: count }, () => chances.pick(choices)))];
    const change = Object.fromEntries(
      Object.keys(all)
        .filter((name) => names.includes(name))
        .map((name) => [name, all[name]?.()]),
    );
    const isProved = (domain: string): boolean => {
      const claim = own.domains.get(domain);
      return claim?.state === "proved" && claim.setupLinkId === null;
    };
    const name = (change["name"] ?? "") as string;
    const wrongName = name.endsWith(".com") && !isProved(name);
    const slug = change["slug"] as string | undefined;
    const isNewSlug = slug !== undefined && !own.slugs.includes(slug);
    const wrongSlug = slug === other.slug || (isNewSlug && own.slugs.length > 3);
    const isRight = !wrongName && !wrongSlug && change["maxMembers"] !== 0;
    const may = rank !== undefined && names.every((name) => fields[rank]?.includes(name) === true);
    const altered = Object.keys(change).filter((name) => !sameText(this.#after(change)[name], own[name as keyof Firm]));
    if (who.kind === "console" && altered.length === 0) return;
    const texts = Object.fromEntries(Object.entries(change).map(([name, value]) => [name, shownText(value)]));
    const act = names[0] === "secondFactor" ? "policy" : (names[0] ?? "");
    const answer =
      who.kind === "page"
        ? await this.page({ act, ...texts })
        : who.kind === "console"
          ? await this.console("change", texts)
          : await this.api(who, "PATCH", own.path, change);
    const what = `${who.kind} (${rank}) changes ${JSON.stringify(change)}`;
    if (!this.judge(answer, isRight && may, what)) return;
    if (who.kind === "page" || who.kind === "console") await this.#readTime();
    else own.updatedAt = String(answer.body["updatedAt"]);
    if (altered.length > 0) this.#altered(change, altered, who);
    if (who.kind === "server" || who.kind === "by") own.isAsKept(answer.body, "a changed organization");
  }

  /** O4: a form of before overwrites nothing that was changed since, and keeps all else. */
  async isOvertaken(): Promise<void> {
    const { own, me, hand } = this;
    const before = own.name;
    const [name, another] = [`Firm ${this.next()} of ${me.name}`, `Firm ${this.next()} of ${me.name}`];
    const page = await hand.open(`/applications/${me.app.id}/organizations/${own.id}`);
    const answer = await this.api({ kind: "server" }, "PATCH", own.path, { name });
    if (!this.judge(answer, true, "the server renames")) return;
    own.updatedAt = String(answer.body["updatedAt"]);
    this.#altered({ name }, ["name"], { kind: "server" });
    me.world.reached("a form of an organization that was overtaken");
    const rank = own.rankOf({ kind: "page" });
    if (me.chances.chance(0.4) && (rank === "owner" || rank === "admin")) {
      const late = await this.page({ act: "name", name: another, was: before });
      return void this.judge(late, false, "a page of before renames");
    }
    const isSame = me.chances.chance(0.6);
    const maxMembers = (own.maxMembers ?? own.members.size) + 1;
    const change: Record<string, string> = isSame ? { name: another } : { maxMembers: String(maxMembers) };
    const planned = await hand.submit(page, `${own.id}/change`, { ...change, check: "yes" });
    me.must("O9", planned.status !== 303, "a plan of a change was done");
    own.isAsKept((await me.server("GET", own.path)).body, "an organization after a plan");
    const { status } = await hand.submit(page, `${own.id}/change`, change);
    const done = { isDone: status === 303, status, body: {} };
    if (!this.judge(done, !isSame, "a form of before at the console")) return;
    await this.#readTime();
    this.#altered({ maxMembers }, ["maxMembers"], { kind: "console" });
  }

  /** O9: "Check" creates nothing; the same form creates what it says. */
  async plansAnother(): Promise<void> {
    const { me, hand } = this;
    const slug = `planned-${this.next()}-${me.name}`;
    const owner = this.drawPerson();
    const path = `/applications/${me.app.id}/organizations`;
    const values = { name: `Planned by ${me.name}`, slug, owner: owner.id };
    const planned = await hand.post(path, { ...values, check: "yes" });
    me.must("O10", owner.isDisabled || planned.status === 200, `no plan of an organization: ${planned.status}`);
    const listed = async () => {
      const all = (await this.own.pages("/organizations", "organizations")).filter((each) => each["slug"] === slug);
      return all[0];
    };
    me.must("O9", (await listed()) === undefined, "a planned organization is there");
    if (owner.isDisabled || me.chances.chance(0.5)) return;
    const { status } = await hand.post(path, values);
    const made = await listed();
    const is = [status, made?.["name"], made?.["secondFactor"], made?.["maxMembers"]];
    me.must("O4", sameText(is, [303, values.name, "off", null]), `created at the console: ${JSON.stringify(is)}`);
    const members = await this.own.pages(`/organizations/${String(made?.["id"])}/members`, "members");
    const roles = members.map((each) => [each["id"], each["roles"]]);
    me.must("O4", sameText(roles, [[owner.id, ["owner"]]]), `its members are ${JSON.stringify(roles)}`);
    await me.server("DELETE", `/organizations/${String(made?.["id"])}`);
    this.own.told.push(String(made?.["id"]));
    me.world.reached("an organization created at the console");
  }

  async #readTime(): Promise<void> {
    const { own, me } = this;
    own.updatedAt = String((await me.server("GET", own.path)).body["updatedAt"]);
  }

  #after(change: Record<string, unknown>): Record<string, unknown> {
    const patch = change["publicMetadata"] as Record<string, unknown> | undefined;
    const merged = Object.fromEntries(
      Object.entries({ ...this.own.publicMetadata, ...patch }).filter(([, value]) => value !== null),
    );
    return { ...change, ...(patch && { publicMetadata: merged }) };
  }

  #altered(change: Record<string, unknown>, altered: string[], who: Who): void {
    const { own } = this;
    const was = own.secondFactor;
    if (typeof change["slug"] === "string" && !own.slugs.includes(change["slug"])) own.slugs.push(change["slug"]);
    Object.assign(own, this.#after(change));
    const changes = altered.includes("secondFactor") ? { secondFactor: { from: was, to: own.secondFactor } } : {};
    own.note({
      ...this.actor(who),
      action: "update",
      event: "updated",
      details: { fields: altered.join(", ") },
      changes,
    });
  }

  async disables(given?: Who): Promise<void> {
    const { own, me } = this;
    const isOn = own.isDisabled || me.chances.chance(0.3);
    const drawn: Who[] = [{ kind: "server" }, { kind: "console" }, { kind: "by", id: this.drawPerson().id }];
    const who = given ?? me.chances.pick(drawn);
    const disabled = !isOn;
    if (who.kind === "console" && own.isDisabled === disabled) return;
    const wasDeleting = own.deletesAt !== null;
    const answer =
      who.kind === "console"
        ? await this.console(disabled ? "disable" : "enable")
        : await this.api(who, "PATCH", own.path, { disabled });
    if (!this.judge(answer, who.kind !== "by", `${who.kind} disables`)) return;
    await this.#readTime();
    const fields = wasDeleting ? "deletesAt" : "";
    const isChanged = own.isDisabled !== disabled;
    own.deletesAt = null;
    if (!isChanged && !wasDeleting) return;
    own.isDisabled = disabled;
    const action = !isChanged ? "update" : disabled ? "disable" : "enable";
    own.note({ ...this.actor(who), action, event: "updated", details: { fields } });
    if (isChanged && disabled) own.tells();
    await this.#waits();
  }

  /** Nodes notice what happened to a whole organization within a second. */
  async #waits(): Promise<void> {
    await time.pause(2000);
  }

  /** Their invitations end; an organization may be without an owner then. */
  async disablesPerson(): Promise<void> {
    const { me } = this;
    const others = [...this.people.values()].filter(({ id }) => id !== me.userId);
    const person = others.find(({ isDisabled }) => isDisabled) ?? me.chances.pick(others);
    const disabled = !person.isDisabled;
    const { status } = await me.server("PATCH", `/users/${person.id}`, { disabled });
    me.must("O10", status === 200, `not changed: ${status}`);
    person.isDisabled = disabled;
    if (!disabled) return;
    for (const firm of [this.own, this.other]) {
      if (!firm.members.has(person.id)) continue;
      firm.endsSentOf(person.id);
      if (firm.rolesOf(person.id).includes("owner") && !firm.isGone) firm.isOwnerless({ actor: `app:${me.app.id}` });
    }
  }

  /** The founder follows a link: their own, or somebody else's. */
  async isInvited(): Promise<void> {
    const { own, me } = this;
    if (own.isDisabled) return;
    const isTheirs = me.chances.chance(0.7);
    if (isTheirs && own.members.has(me.userId) && me.chances.chance(0.6)) {
      const removed = await this.api({ kind: "server" }, "DELETE", `${own.path}/members/${me.userId}`);
      if (!this.judge(removed, true, "the server removes the founder")) return;
      own.leaves(me.userId, this.actor({ kind: "server" }));
    }
    const others = [...this.people.values()].filter(({ id }) => id !== me.userId).map(({ email }) => email);
    const guest = own.invitations.find(({ email }) => others.includes(email));
    const email = isTheirs ? me.email : guest?.email;
    if (email === undefined) return;
    if (isTheirs && !own.invitations.some((each) => each.email === email)) {
      if (own.members.has(me.userId) || (own.sent.get(email) ?? 0) >= 4) return;
      const since = time.now();
      const roles = me.chances.pick(roleChoices).split(",").toSorted();
      const answer = await this.api({ kind: "server" }, "POST", `${own.path}/invitations`, {
        invitations: [{ email, roles }],
      });
      const [result] = (answer.body["results"] ?? []) as { invitation: { id: string } | null }[];
      if (!this.judge({ ...answer, isDone: result?.invitation !== null }, true, "the server invites the founder"))
        return;
      await this.#invited({ kind: "server" }, { email, roles, id: result?.invitation?.id ?? "" }, since);
    }
    const invitation = own.invitations.find((each) => each.email === email);
    const link = this.links.get(email);
    if (!invitation || link === undefined) return;
    const pressed = await this.#accept(link);
    const isFull = !own.members.has(me.userId) && this.isFull();
    if (!isTheirs) return me.must("O8", pressed === undefined, "accepted an invitation of somebody else");
    if (pressed === undefined) return me.must("O10", isFull, "cannot accept an invitation");
    me.must("O7", !isFull, "joined an organization that is full");
    this.#accepted(invitation.id, me.userId, invitation.roles);
    me.must("O3", (await this.#accept(link)) === undefined, "an invitation was accepted twice");
  }

  #accepted(id: string, userId: string, roles: string[]): void {
    const { own } = this;
    const actor = `user:${userId}`;
    own.invitations = own.invitations.filter((each) => each.id !== id);
    if (own.members.has(userId)) {
      const all = [...new Set([...own.rolesOf(userId), ...roles])].toSorted();
      own.becomes(userId, all, { actor });
    } else own.joins(userId, { roles, joinedBy: "invitation" }, { actor });
    own.note({ actor, action: "invitation.accept", userId, details: { invitation: id } });
  }

  /** Undefined: it did not work. */
  async #accept(link: string): Promise<Page | undefined> {
    const { me } = this;
    const shown = await me.desk.get(link);
    if (shown.status !== 200 && shown.status !== 303) return undefined;
    // Who is signed in is led on.
    const first = shown.status === 303 ? shown : await me.desk.submit(shown, new URL(link).pathname, {});
    const page = await me.walk(first, me.desk);
    const form = /\/organization\/invitations\/inv_\w+/u.exec(page.url)?.[0];
    if (form === undefined || page.status !== 200 || !page.text.includes(form)) return undefined;
    const done = await me.desk.submit(page, `${form}?app_id=${me.app.id}`, {});
    return done.status === 303 && done.location.searchParams.has("organization") ? done : undefined;
  }

  /** Somebody without an account: the mail proves the address. */
  async newcomer(): Promise<void> {
    const { own, me } = this;
    const emails = [...this.people.values()].map(({ email }) => email);
    const invitation = own.invitations.find(({ email }) => !emails.includes(email));
    const link = invitation && this.links.get(invitation.email);
    if (!invitation || link === undefined || this.people.size > 7) return;
    const visitor = new Visitor();
    const page = await visitor.get(link);
    if (own.isDisabled) return me.must("O8", page.status !== 200, "an invitation of what is disabled opens");
    me.must("O10", page.status === 200, `no page of an invitation: ${page.status}`);
    const pressed = await visitor.submit(page, new URL(link).pathname, {});
    if (this.isFull())
      return me.must(
        "O7",
        pressed.status !== 303 || !pressed.location.pathname.startsWith("/invite/"),
        "a newcomer to what is full",
      );
    me.must("O10", pressed.status === 303, `no way in for a newcomer: ${pressed.status}`);
    const { body } = await me.server("GET", `/users?email=${encodeURIComponent(invitation.email)}`);
    const [user] = (body["users"] ?? []) as { id: string; email: string; name: string }[];
    me.must("O4", user !== undefined, "a newcomer has no account");
    const id = user?.id ?? "";
    this.people.set(id, { id, email: invitation.email, name: user?.name ?? (null as never), isDisabled: false });
    this.#accepted(invitation.id, id, invitation.roles);
    me.must("O3", (await visitor.get(link)).status !== 200, "a newcomer's invitation opens again");
    me.world.reached("a newcomer at a founder's");
  }

  /** An owner's deletion waits for a week, and is undone. */
  async deletesOwn(): Promise<void> {
    const { own, me } = this;
    if (own.isDisabled) return;
    const isAllowed = own.rankOf({ kind: "page" }) === "owner" && !own.lostOwner;
    const answer = await this.page({ act: "delete" });
    if (!this.judge(answer, isAllowed, `${own.rankOf({ kind: "page" })} deletes`)) return;
    const { body } = await me.server("GET", own.path);
    own.updatedAt = String(body["updatedAt"]);
    own.deletesAt = String(body["deletesAt"]);
    own.isDisabled = true;
    const left = Date.parse(own.deletesAt) - time.now();
    me.must("O4", left > 6.9 * 86_400_000 && left <= 7 * 86_400_000, `it is deleted in ${left}`);
    const actor = `user:${me.userId}`;
    own.note({ actor, action: "disable", event: "updated", details: { deletesAt: own.deletesAt } });
    own.tells();
    await this.#waits();
    await own.check();
    me.world.reached("an owner's deletion");
    if (!me.chances.chance(0.6)) return;
    if (!this.judge(await this.page({ act: "restore" }), true, "an owner restores")) return;
    await this.#readTime();
    Object.assign(own, { isDisabled: false, deletesAt: null });
    own.note({ actor, action: "enable", event: "updated" });
    await this.#waits();
  }

  /** O8: what is not there, or is another organization's. */
  async nonsense(): Promise<void> {
    const { own, other, me } = this;
    const [one, stranger] = [this.drawPerson(), `usr_${"0".repeat(26)}`];
    const [foreign] = other.members.keys();
    const path = own.path;
    const tries: [string, string, unknown?][] = [
      ["PUT", `${path}/members/${stranger}`, { roles: ["member"] }],
      ["PUT", `${path}/members/${one.id}`, { roles: ["emperor"] }],
      ["PUT", `${path}/members/${one.id}`, { roles: [] }],
      ["DELETE", `${path}/members/${stranger}`],
      ["DELETE", `${path}/invitations/inv_${"0".repeat(26)}`],
      ["DELETE", `${path}/domains/nobody.example`],
      ["POST", `${path}/invitations`, { invitations: [] }],
      ["GET", `${path}/members?limit=0`],
      ["GET", `${path}/members?colour=red`],
      ["GET", `/organizations/${me.world.firms.organizations[0]?.id ?? "org_none"}`],
      ["PATCH", `/organizations/${me.world.offices.id}`, { name: "Somebody else's" }],
      ["POST", "/organizations", { name: "Twice", slug: own.slug, owner: one.id }],
      ["POST", "/organizations", { name: "Nobody's", owner: stranger }],
      ["POST", "/organizations", { name: "Slug", slug: me.chances.pick(["Bad", "a b", "-a", "a"]), owner: one.id }],
      ...[...this.people.values()]
        .filter(({ isDisabled }) => isDisabled)
        .map(({ id }): [string, string, unknown] => ["POST", "/organizations", { name: "Disabled", owner: id }]),
      ["DELETE", `${path}/invitations/${other.invitations[0]?.id ?? "inv_none"}`],
      ...(foreign !== undefined && !own.members.has(foreign)
        ? ([
            ["DELETE", `${path}/members/${foreign}`],
            ["PATCH", `${path}/members/${foreign}`, { roles: ["member"] }],
          ] as [string, string, unknown?][])
        : []),
    ];
    const [method, place, body] = me.chances.pick(tries);
    const { status } = await me.server(method, place, body);
    me.must(
      "O8",
      status >= 400 && status < 500,
      `${method} ${place.replaceAll(/[a-z]{3}_\w+/gu, "…")} was answered with ${status}`,
    );
  }

  /** O12: a token of the founder says their roles, and is over when one of them is taken. */
  async token(): Promise<void> {
    const { own, me } = this;
    // Where there is a provider, companies try what it is for.
    if (!own.isLive(me.userId) || own.provider) return;
    const visitor = new Visitor();
    this.#wanted = own.id;
    const { session, page } = await me.begin(visitor, { organization: me.chances.pick([own.id, own.slug]) });
    const last = await me.walk(page, visitor);
    this.#wanted = "none";
    const code = last.location.searchParams.get("code") ?? undefined;
    const why = `${last.status} ${/<h1>([^<]*)/u.exec(last.text)?.[1]}`;
    me.must("O10", code !== undefined, `cannot sign in to an organization: ${why}`);
    const { status, body } = await me.redeem({ session, code });
    if (status !== 200) throw new Lost("too late for the code");
    const claims = claimsOf(String(body["accessToken"]));
    const { id, slug, name } = own;
    const roles = own.rolesOf(me.userId);
    const is = [claims["org_id"], claims["org_roles"], body["organization"]];
    const should = [id, roles, { id, slug, name, roles }];
    me.must("O12", sameText(is, should), `a login says ${JSON.stringify(is)} instead of ${JSON.stringify(should)}`);
    const gets = me.chances.pick([["member"], ["owner"], ["billing", "member"]]);
    await this.gives(me.userId, gets);
    const isLess = roles.some((role) => !gets.includes(role));
    const isValid = await me.isValid(String(body["accessToken"]));
    me.must(
      isLess ? "O1" : "O4",
      isValid !== isLess,
      `a token with ${roles.join()} is ${isValid ? "valid" : "over"} with ${gets.join()}`,
    );
    const next = await refresh(me.world.service, me.app, String(body["refreshToken"]));
    me.must("O4", next.status === 200, `no refresh after a change of roles: ${next.status}`);
    const now = claimsOf(String(next.body["accessToken"]))["org_roles"];
    me.must("O12", sameText(now, gets), `a refresh says ${JSON.stringify(now)} instead of ${gets.join()}`);
  }

  /** At once and for good; the other one stays as it is. */
  async deletes(endDomains: (manager: Manager) => void): Promise<void> {
    const { own, me } = this;
    const who = me.chances.pick<Who>([{ kind: "server" }, { kind: "console" }]);
    const answer =
      who.kind === "console"
        ? await this.console("delete", { confirmation: own.name })
        : await this.api(who, "DELETE", own.path);
    if (!this.judge(answer, true, `${who.kind} deletes`)) return;
    endDomains(this);
    Object.assign(own, { isGone: true, isDisabled: true, invitations: [] });
    own.tells();
    own.note({ ...this.actor(who), action: "delete", event: "deleted" });
    await time.pause(noticed);
    for (const link of this.links.values())
      me.must("O3", (await new Visitor().get(link)).status !== 200, "an invitation outlived its organization");
    own.members.clear();
    me.world.reached("a founder's organization deleted");
  }
}
