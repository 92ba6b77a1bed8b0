/** The server of two applications that have the same people, and what it and operators know. */
import { call } from "../support/person.ts";
import type { TestApp } from "../support/service.ts";
import { command } from "./command-line.ts";
import { changedBy } from "./dry-runs.ts";
import type { Generator } from "./generator.ts";
import { KnownUser, listedOf, type Asked } from "./known-users.ts";
import { Violation } from "./model.ts";
import { askedAgain } from "./resident.ts";
import { Lost, type World } from "./world.ts";

type Json = Record<string, unknown>;
type Answer = Awaited<ReturnType<typeof call>>;

export const groups = ["blue", "green"];

export class Registry {
  readonly world: World;
  readonly chances: Generator;
  readonly ipAddress: string;
  /** Everybody who ever was there. */
  readonly users: KnownUser[] = [];
  #count = 0;

  constructor(world: World, chances: Generator, ipAddress: string) {
    this.world = world;
    this.chances = chances;
    this.ipAddress = ipAddress;
  }

  /** Those of whom all is known. */
  present(app: TestApp): KnownUser[] {
    return this.users.filter((user) => user.app === app && !user.isGone && !user.isUnsure && user.userId !== "");
  }

  next(word: string): string {
    this.#count += 1;
    return `${word} ${this.#count}`;
  }

  nextEmail(): string {
    return `${this.next("registered").replace(" ", "")}@example.org`;
  }

  async call(app: TestApp, method: string, path: string, body?: unknown): Promise<Answer> {
    const { service } = this.world;
    const asks = async () => await call(service, method, `/applications/${app.id}${path}`, app.headers, body);
    const answer = await (method === "GET" ? askedAgain(asks) : asks());
    this.world.note(`the registrar: ${method} ${path.replaceAll(/[a-z]{3}_\w+/gu, "…")} ${answer.status}`);
    if (answer.status === 429) throw new Lost("the service is busy");
    return answer;
  }

  /** What must be answered. */
  async answered(status: number, app: TestApp, method: string, path: string, body?: unknown): Promise<Json> {
    const answer = await this.call(app, method, path, body);
    // What is created may be there by the first of two arrivals.
    if (answer.status === 409 && status === 201) throw new Lost("it arrived twice");
    if (answer.status !== status)
      throw new Violation("O10", `${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** What a command says. Some are run dry first, which ends alike and leaves nothing. */
  async commanded(user: KnownUser, args: string[], { code = 0, input = "", isRead = false } = {}): Promise<unknown> {
    const run = async (more: string[] = []): Promise<unknown> => {
      const ended = await command(this.world, [...args, ...more], input);
      if (ended.code === code) return ended.said;
      throw new Violation("O10", `${args.join(" ")} ended with ${ended.code}: ${ended.notes}`);
    };
    if (!isRead && this.chances.chance(0.3)) {
      const changed = await changedBy(this.world, user.userId || user.email, async () => await run(["--dry-run"]));
      if (changed !== undefined) throw new Violation("O4", `a dry run of ${args.join(" ")} changed ${changed}`);
    }
    const said = await (isRead ? askedAgain(run) : run());
    this.world.reached("a command about a user");
    return said;
  }

  /** By the id, or by the address if nobody else ever had it. */
  named({ userId, emails, email }: KnownUser): string {
    const others = this.users.filter((user) => user.userId !== userId);
    const isAlone = others.every((other) => [...emails].every((each) => !other.emails.has(each)));
    return isAlone && this.chances.chance(0.3) ? email : userId;
  }

  /** Somebody new: nobody knows whether they are there until that was answered. */
  added(app: TestApp, email = this.nextEmail()): KnownUser {
    const user = new KnownUser(this.world, app, email, email);
    user.isUnsure = true;
    this.users.push(user);
    this.world.residents.push(user);
    return user;
  }

  /** All pages of what is asked for, without those of whom something is not known. */
  async pages(app: TestApp, path: string, list: string): Promise<Json[]> {
    const all: Json[] = [];
    if (this.chances.chance(0.25)) return this.ofKnown(app, await this.#pagesByCommand(app, path));
    for (let cursor: string | undefined = ""; cursor !== undefined;) {
      const limit = this.chances.pick([1, 3, 5, 50]);
      const body = await this.answered(200, app, "GET", `${path}&limit=${limit}${cursor}`);
      const page = body[list] as Json[];
      if (page.length > limit) throw new Violation("O4", `${path}: ${page.length} on a page of at most ${limit}`);
      all.push(...page);
      const next = body["nextCursor"];
      cursor = typeof next === "string" ? `&cursor=${encodeURIComponent(next)}` : undefined;
    }
    return this.ofKnown(app, all);
  }

  async #pagesByCommand(app: TestApp, path: string): Promise<Json[]> {
    const [place = "", query] = path.split("?");
    const [, group] = /^\/groups\/(.+)\/members$/u.exec(place) ?? [];
    const filters = [...new URLSearchParams(query)].map(
      ([name, value]) => `--${name.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}=${value}`,
    );
    const args = [...(group === undefined ? ["user", "list"] : ["group", "show", group]), `--app=${app.id}`];
    const all: Json[] = [];
    for (let after: string[] = []; ;) {
      const limit = this.chances.pick([1, 3, 50]);
      const asked = [...args, ...filters, `--limit=${limit}`, ...after];
      const { code, said, notes } = await askedAgain(async () => await command(this.world, asked));
      if (code !== 0) throw new Violation("O10", `${asked.join(" ")} ended with ${code}: ${notes}`);
      const page = (group === undefined ? said : (said as Json)["members"]) as Json[];
      if (page.length > limit) throw new Violation("O4", `${asked.join(" ")} printed ${page.length}`);
      all.push(...page);
      const [next] = /--after \S+/u.exec(notes) ?? [];
      if (next === undefined) return all;
      after = next.split(" ");
    }
  }

  ofKnown(app: TestApp, all: readonly Json[]): Json[] {
    const known = new Set(this.present(app).map(({ userId }) => userId));
    const unsure = this.users
      .filter((user) => user.app === app && user.isUnsure)
      .flatMap(({ userId, email }) => [userId, email]);
    for (const { id, email } of all)
      if (!known.has(String(id)) && !unsure.includes(String(id)) && !unsure.includes(String(email)))
        throw new Violation("O1", `${String(email)} is in a list of ${app.id}, and should not be`);
    return all.filter(({ id }) => known.has(String(id)));
  }

  /** O4: nobody is missing, nobody is there twice, and all in their order. */
  async list(app: TestApp): Promise<void> {
    const { chances, world } = this;
    const there = this.present(app);
    const one = chances.pick(there);
    if (chances.chance(0.15)) {
      const group = chances.pick(groups);
      const members = await this.pages(app, `/groups/${group}/members?`, "members");
      const said = members.map(({ id, email, name }) => ({ id, email, name }));
      const is = listedOf(there, { group }).map(({ userId: id, email, displayName: name }) => ({ id, email, name }));
      one.mustBe(said, is, `the list of the group ${group}`);
      return;
    }
    const of = (user: KnownUser): string => user.moments?.lastLoginAt ?? user.moments?.createdAt ?? "";
    const mayBe = (value: string, chance = 0.25): string | undefined => (chances.chance(chance) ? value : undefined);
    const isOfGroup = chances.chance(0.25);
    const asked: Asked = {
      email: mayBe(one.email.toUpperCase().replace("EXAMPLE.ORG", "example.org"), 0.1),
      name: mayBe(chances.pick(["a", "ADA", "b", "Name", "Bo"])),
      group: isOfGroup ? chances.pick(groups) : undefined,
      state: mayBe(chances.pick(["active", "disabled"]), 0.35),
      ...chances.pick<Asked>([
        {},
        {},
        { createdSince: one.moments?.createdAt },
        { createdBefore: one.moments?.createdAt },
      ]),
      ...chances.pick<Asked>([{}, {}, { lastLoginSince: of(one) }, { lastLoginBefore: of(one) }]),
      sort: isOfGroup
        ? undefined
        : mayBe(chances.pick(["createdAt", "name", "lastLoginAt", "-createdAt", "-name", "-lastLoginAt"]), 0.6),
    };
    const query = new URLSearchParams(
      Object.entries(asked).filter((each): each is [string, string] => each[1] !== undefined),
    );
    const listed = await this.pages(app, `/users?${query.toString()}`, "users");
    world.reached("a list of users compared");
    one.mustBe(
      listed,
      listedOf(there, asked).map((user) => user.listed),
      `a list of ${query.toString()}`,
    );
  }

  /** O4: everybody who has all parts, the newest first. */
  async search(app: TestApp): Promise<void> {
    const { chances } = this;
    const there = this.present(app);
    const one = chances.pick(there);
    const parts = chances.pick([
      ["registered"],
      [one.email.slice(3, 14)],
      ["ADA"],
      ["obrien"],
      ["a", "shop"],
      [one.userId],
    ]);
    const state = chances.chance(0.3) ? chances.pick(["active", "disabled"]) : undefined;
    const query = new URLSearchParams({ search: parts.join(" "), ...(state !== undefined && { state }) });
    const found = await this.pages(app, `/users?${query.toString()}`, "users");
    const has = ({ email, displayName, userId }: KnownUser): boolean =>
      parts.every((part) =>
        [email, (displayName ?? "").replaceAll("'", ""), userId].join("\n").toLowerCase().includes(part.toLowerCase()),
      );
    const known = listedOf(there, { state, sort: "-createdAt" }).filter(has);
    one.mustBe(
      found,
      known.map((user) => user.listed),
      `a search for ${query.toString()}`,
    );
    this.world.reached("a search compared");
  }
}
