/** The application's own server: it keeps accounts and groups by its API key. */
import { call } from "../../support/person.ts";
import { calling } from "../browser.ts";
import type { Generator } from "../generator.ts";
import type { Act } from "../ledger.ts";
import { KnownAccount, Possible, Violation } from "../model.ts";
import { checkNothingIsLeft } from "../oracles/deleted.ts";
import { time } from "../time.ts";
import { Lost, type Part, type World } from "../world.ts";
import { changeAccess, drawAccess } from "./access.ts";

type Answer = Awaited<ReturnType<typeof call>>;
const names = ["editors", "testers"];

export async function keepAccounts(world: World, { chances, isOver, pause }: Part): Promise<void> {
  const caller = { world, ipAddress: "203.0.113.10", chances: chances.fork("network") };
  await calling(caller, async () => await new Server(world, chances).live(isOver, pause));
}

class Server {
  readonly #world: World;
  readonly #chances: Generator;
  readonly #groups = new Map(names.map((name) => [name, new Possible(false)]));
  readonly #actor: string;
  #count = 0;

  constructor(world: World, chances: Generator) {
    this.#world = world;
    this.#chances = chances;
    this.#actor = `app:${world.app.id}`;
  }

  async live(isOver: Part["isOver"], pause: Part["pause"]): Promise<void> {
    while (!isOver()) {
      await pause(25_000);
      await this.#trying(this.#draw());
    }
    // An account that nobody knows of would have unexplained entries.
    for (const account of this.#world.accounts)
      for (let tries = 0; account.userId === undefined && tries < 200; tries += 1)
        await this.#trying(async () => await this.#create(account));
  }

  /** One after the other, or several at once. */
  async #trying(...acts: (() => Promise<void>)[]): Promise<void> {
    for (const done of await Promise.allSettled(acts.map(async (act) => await act())))
      if (done.status === "rejected" && !(done.reason instanceof Lost)) throw done.reason;
  }

  #draw(): () => Promise<void> {
    const chances = this.#chances;
    const unknown = this.#world.accounts.find(({ userId }) => userId === undefined);
    if (unknown) return () => this.#create(unknown);
    const present = this.#world.accounts.filter(({ exists }) => exists.allows(true));
    const group = chances.pick(names);
    if (present.length < 3) return () => this.#create(this.#newAccount());
    const [one, other] = [chances.pick(present), chances.pick(present)];
    return chances.pick([
      () => this.#create(this.#newAccount()),
      () => this.#rename(one),
      () =>
        this.#trying(
          () => this.#rename(one),
          () => this.#rename(one),
        ),
      () => this.#keep(one, "plan"),
      () =>
        this.#trying(
          () => this.#keep(one, "plan"),
          () => this.#keep(one, "seat"),
        ),
      () => this.#belong(one, group, true),
      () => this.#belong(one, group, true),
      () =>
        this.#trying(
          () => this.#belong(one, group, true),
          () => this.#belong(one, group, false),
        ),
      () =>
        this.#trying(
          () => this.#remove(one),
          () => this.#belong(one, group, true),
          () => this.#keep(one, "plan"),
        ),
      () => this.#putGroup(group),
      () =>
        this.#trying(
          () => this.#removeGroup(group),
          () => this.#belong(one, group, true),
          () => this.#keep(other, "seat"),
        ),
      () => this.#read(one),
      () => this.#list(),
      () => this.#changeAccess(),
      () => this.#beginSignIn(),
      () => this.#beginSignIn(),
      () => this.#nameApplication(),
    ]);
  }

  #newAccount(): KnownAccount {
    this.#count += 1;
    const account = new KnownAccount(`account${this.#count}@example.org`);
    this.#world.accounts.push(account);
    return account;
  }

  async #call(method: string, path: string, body?: unknown): Promise<Answer> {
    const { service, app } = this.#world;
    const answer = await call(service, method, `/applications/${app.id}${path}`, app.headers, body);
    this.#world.note(`the server: ${method} ${path.replaceAll(/usr_\w+/gu, "…")} ${answer.status}`);
    return answer;
  }

  /** An act that leaves this if it changes something: always, or undefined if nobody knows. */
  async #acting(
    act: Act,
    account: KnownAccount | undefined,
    work: () => Promise<Answer>,
    changes: () => boolean | undefined = () => true,
  ): Promise<Answer> {
    const leaving = { actor: this.#actor, act, about: account?.userId ?? "" };
    const answer = await this.#world.ledger.leaving(leaving, work, (answer) =>
      isDone(answer) === true ? changes() : isDone(answer),
    );
    if (account && answer.status === 404 && answer.body.error?.code === "USER_NOT_FOUND") this.#isGone(account);
    return answer;
  }

  #isGone(account: KnownAccount): void {
    if (!account.exists.allows(false))
      throw new Violation("O4", `${account.email} is not there, though nobody deleted it`);
  }

  /** Again, until it is known. */
  async #create(account: KnownAccount): Promise<void> {
    const { email } = account;
    const created = await this.#call("POST", "/users", { email, emailVerified: true });
    let id = created.body["id"];
    if (created.status === 409) {
      const found = await this.#call("GET", `/users?email=${encodeURIComponent(email)}`);
      if (found.status !== 200) return;
      [{ id }] = found.body["users"] as [{ id: string }];
      this.#world.reached("an account created again after a lost answer");
    }
    if (typeof id !== "string") return;
    account.userId = id;
    this.#world.ledger.left({ actor: this.#actor, act: "create", about: id }, { isSure: true });
  }

  async #rename(account: KnownAccount): Promise<void> {
    this.#count += 1;
    const name = `Account ${this.#count}`;
    await account.name.changing(
      name,
      async () =>
        await this.#acting(
          "change",
          account,
          async () => await this.#call("PATCH", `/users/${account.userId}`, { name }),
        ),
      isDone,
    );
  }

  async #keep(account: KnownAccount, key: "plan" | "seat"): Promise<void> {
    this.#count += 1;
    const value = this.#count;
    const path = `/users/${account.userId}/metadata`;
    const patch = { public: { [key]: value } };
    await account.metadata[key].changing(
      value,
      async () => await this.#acting("changeMetadata", account, async () => await this.#call("PATCH", path, patch)),
      isDone,
    );
  }

  /** For somebody whose address the server knows: the form will have it. */
  async #beginSignIn(): Promise<void> {
    const known = this.#world.people.filter(({ isGone }) => !isGone);
    if (known.length === 0) return;
    const { email } = this.#chances.pick(known);
    const { service, app } = this.#world;
    await call(service, "POST", "/auth/initiate", app.headers, { redirectUri: app.redirectUri, loginHint: email });
  }

  /** O4: beside what commands change of the same row. */
  async #nameApplication(): Promise<void> {
    this.#count += 1;
    const { name: known } = this.#world.settings;
    const name = `Simulated ${this.#count}`;
    await known.changing(
      name,
      async () => await this.#acting("changeSettings", undefined, async () => await this.#call("PATCH", "", { name })),
      isDone,
    );
    const watch = known.watch();
    const { status, body } = await this.#call("GET", "");
    if (status === 200 && watch.isAlone())
      this.#world.mustBe("the name of the application", known, String(body["name"]));
  }

  /** Adds somebody to a group, or removes them. */
  async #belong(account: KnownAccount, group: string, isIn: boolean): Promise<void> {
    const known = account.isIn(group);
    const [before, watch] = [known.all, known.watch()];
    const path = `/groups/${group}/members/${account.userId}`;
    await known.changing(
      isIn,
      async () =>
        await this.#acting(
          isIn ? "join" : "leave",
          account,
          async () => await this.#call(isIn ? "PUT" : "DELETE", path),
          () => (before.length === 1 && watch.isAlone(1) ? before[0] !== isIn : undefined),
        ),
      isDone,
    );
  }

  async #remove(account: KnownAccount): Promise<void> {
    const since = time.now();
    const { status } = await account.exists.changing(
      false,
      async () =>
        await this.#acting("delete", account, async () => await this.#call("DELETE", `/users/${account.userId}`)),
      // Whether by this or by an earlier call.
      ({ status }) => (status === 200 || status === 404 ? true : undefined),
    );
    if (status !== 200) return;
    this.#world.reached("an account deleted by the server");
    const { userId, email } = account;
    await checkNothingIsLeft(this.#world, { name: email, userId, email }, since);
  }

  async #putGroup(group: string): Promise<void> {
    const known = this.#groups.get(group) ?? new Possible(false);
    const [before, watch] = [known.all, known.watch()];
    await known.changing(
      true,
      async () =>
        await this.#acting(
          "createGroup",
          undefined,
          async () => await this.#call("PUT", `/groups/${group}`, {}),
          () => (before.length === 1 && watch.isAlone(1) ? before[0] !== true : undefined),
        ),
      isDone,
    );
  }

  /** Each of its members gets an event, now or by a later sweep. */
  async #removeGroup(group: string): Promise<void> {
    const known = this.#groups.get(group) ?? new Possible(false);
    const { accounts, ledger } = this.#world;
    const losing = accounts.map((account) => ({
      account,
      isIn: account.isIn(group),
      watch: account.isIn(group).watch(),
    }));
    const wasIn = losing.map(({ isIn }) => isIn.allows(true));
    const remove = async (): Promise<Answer> =>
      await known.changing(
        false,
        async () =>
          await this.#acting("deleteGroup", undefined, async () => await this.#call("DELETE", `/groups/${group}`)),
        ({ status }) => (status === 200 || status === 404 ? true : undefined),
      );
    try {
      await losing.reduce<() => Promise<Answer>>(
        (act, { isIn }) =>
          async () =>
            await isIn.changing(false, act, ({ status }) => (status === 200 ? true : undefined)),
        remove,
      )();
    } finally {
      for (const [at, { account, watch }] of losing.entries())
        // Also somebody who joined meanwhile.
        if (wasIn[at] === true || !watch.isAlone(1))
          ledger.left({ actor: this.#actor, act: "loseGroup", about: account.userId ?? "" }, { isSure: false });
    }
    this.#world.reached("a group deleted with its members");
  }

  /** O4: what was acknowledged can be read. */
  async #read(account: KnownAccount): Promise<void> {
    const { exists, name, metadata } = account;
    const watches = [exists, name, metadata.plan, metadata.seat].map((each) => each.watch());
    const { status, body } = await this.#call("GET", `/users/${account.userId}`);
    if (!watches.every((watch) => watch.isAlone())) return;
    if (status === 404 && exists.isOnly(true)) throw new Violation("O4", `${account.email} is not there`);
    if (status !== 200) return;
    if (exists.isOnly(false)) throw new Violation("O1", `${account.email} is there after its deletion`);
    this.#world.mustBeAsKept(account, body["name"], body["publicMetadata"]);
    await this.#readGroups(account);
  }

  async #readGroups(account: KnownAccount): Promise<void> {
    const watches = names.map((group) => account.isIn(group).watch());
    const { status, body } = await this.#call("GET", `/users/${account.userId}/groups`);
    if (status !== 200 || !watches.every((watch) => watch.isAlone())) return;
    const isIn = JSON.stringify(body["groups"]);
    for (const group of names) {
      const known = account.isIn(group);
      // A group that is gone has nobody, whatever was answered for it.
      if (!known.allows(isIn.includes(`"${group}"`)))
        throw new Violation("O4", `${account.email}: the groups are ${isIn}, not as acknowledged for ${group}`);
    }
  }

  /** O4: the list has everybody who is there. */
  async #list(): Promise<void> {
    const certain = this.#world.accounts.filter(({ userId, exists }) => userId !== undefined && exists.isOnly(true));
    const gone = this.#world.accounts.filter(({ userId, exists }) => userId !== undefined && exists.isOnly(false));
    const watched = certain.map((account) => ({ account, watch: account.exists.watch() }));
    const listed = new Set<string>();
    for (let cursor: string | undefined = ""; cursor !== undefined;) {
      const { status, body }: Answer = await this.#call("GET", `/users?limit=200${cursor}`);
      if (status !== 200) return;
      for (const { id } of body["users"] as { id: string }[]) listed.add(id);
      cursor = typeof body["nextCursor"] === "string" ? `&cursor=${encodeURIComponent(body["nextCursor"])}` : undefined;
    }
    for (const { account, watch } of watched)
      if (watch.isAlone() && !listed.has(account.userId ?? ""))
        throw new Violation("O4", `${account.email} is not listed`);
    for (const { email, userId } of gone)
      if (listed.has(userId ?? "")) throw new Violation("O1", `${email} is listed after its deletion`);
  }

  /** Of people who sign in. */
  async #changeAccess(): Promise<void> {
    const known = this.#world.people.filter(({ userId, isGone }) => userId !== undefined && !isGone);
    if (known.length === 0) return;
    const person = this.#chances.pick(known);
    const act = drawAccess(person, this.#chances.next());
    await changeAccess(this.#world, person, { act, actor: this.#actor }, async (userId) => {
      const path = `/users/${userId}`;
      const answer =
        act === "delete"
          ? await this.#call("DELETE", path)
          : act === "revoke"
            ? await this.#call("POST", `${path}/logout`, {})
            : await this.#call("PATCH", path, { disabled: act === "disable" });
      // Nobody knows what happened, as if there were no answer.
      if (isDone(answer) === undefined) throw new Lost(`answered ${answer.status}`);
      return answer.status === 200;
    });
  }
}

/** Undefined if nobody knows. */
function isDone({ status }: Answer): boolean | undefined {
  return status >= 500 ? undefined : status < 300;
}
