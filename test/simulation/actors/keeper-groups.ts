/** Groups of an application, each of which is known whole. */
import * as audit from "../../../src/records/audit/audit.ts";
import { command } from "../command-line.ts";
import { sameText, surplus, textOf } from "../firm-answers.ts";
import type { Resident } from "../resident.ts";

type Group = { secondFactor: string; members: Set<string> };

export class GroupBook {
  readonly #me: Resident;
  readonly #groups = new Map<string, Group>();
  readonly #people: string[] = [];
  readonly #entries: string[] = [];

  constructor(me: Resident) {
    this.#me = me;
  }

  async open(): Promise<void> {
    for (const word of ["ada", "bob"]) {
      const { status, body } = await this.#me.server("POST", "/users", {
        email: `${word}.of.${this.#me.name}@example.org`,
      });
      this.#me.must("O10", status === 201, `nobody was created: ${status}`);
      this.#people.push(String(body["id"]));
    }
  }

  #notes(action: string, userId: string | null, details: object, changes: object = {}): void {
    this.#entries.push(textOf([`group.${action}`, userId, details, changes]));
  }

  async acts(): Promise<void> {
    const { chances, world } = this.#me;
    // Of this life: those of others stay as they are.
    const name = `${chances.pick(["staff", "sales", "it"])}-${this.#me.name}`;
    const userId = chances.pick(this.#people);
    const known = this.#groups.get(name);
    const path = `/groups/${name}`;
    const act = chances.pick(["put", "put", "add", "add", "add", "remove", "delete"]);
    const secondFactor = chances.pick([undefined, "off", "optional", "required"]);
    const method = act === "put" || act === "add" ? "PUT" : "DELETE";
    const place = act === "add" || act === "remove" ? `${path}/members/${userId}` : path;
    const body = act === "put" && secondFactor !== undefined ? { secondFactor } : undefined;
    const policy = secondFactor === undefined ? [] : [`--second-factor=${secondFactor}`];
    // A command that changes nothing is a mistake.
    const verb = act === "put" ? (known ? "update" : "create") : act;
    const args = [
      "group",
      verb,
      name,
      ...(place === path ? [] : [userId]),
      `--app=${this.#me.app.id}`,
      ...(body ? policy : []),
    ];
    const byCommand = chances.chance(0.4) && !(verb === "update" && policy.length === 0);
    if (byCommand && chances.chance(0.3)) {
      await command(world, [...args, "--dry-run"]);
      await this.#check();
    }
    const status = byCommand ? (await command(world, args)).code : (await this.#me.server(method, place, body)).status;
    if (byCommand) this.#me.must("O4", status === (act === "put" || known ? 0 : 3), `${args.join(" ")}: ${status}`);
    const isAllowed = act === "put" || known !== undefined;
    this.#me.must(
      "O4",
      byCommand || status < 300 === isAllowed,
      `${act} of a group that is ${known ? "" : "not "}there: ${status}`,
    );
    if (isAllowed) this.#done(act, name, userId, secondFactor);
    world.reached("a group of a keeper changed");
    await this.#check();
  }

  #done(act: string, group: string, userId: string, secondFactor: string | undefined): void {
    const known = this.#groups.get(group);
    if (act === "put" && !known) {
      const policy = secondFactor ?? "off";
      this.#groups.set(group, { secondFactor: policy, members: new Set() });
      this.#notes("create", null, { group, ...(policy !== "off" && { secondFactor: policy }) });
    } else if (act === "put" && known && secondFactor !== undefined && secondFactor !== known.secondFactor) {
      const changes = { secondFactor: { from: known.secondFactor, to: secondFactor } };
      this.#notes("update", null, { group, secondFactor }, changes);
      known.secondFactor = secondFactor;
    } else if (act === "add" && known && !known.members.has(userId)) {
      known.members.add(userId);
      this.#notes("add", userId, { group });
    } else if (act === "remove" && known?.members.delete(userId)) this.#notes("remove", userId, { group });
    else if (act === "delete") {
      this.#groups.delete(group);
      this.#notes("delete", null, { group });
    }
  }

  /** O4 and O9: the list, one with its members, the groups of each, and what the log says. */
  async #check(): Promise<void> {
    const { chances, name, app, world } = this.#me;
    const { body } = await this.#me.server("GET", "/groups");
    const own = ((body["groups"] ?? []) as { name: string; secondFactor: string }[]).filter((each) =>
      each.name.endsWith(`-${name}`),
    );
    const is = own.map((each) => [each.name, each.secondFactor]);
    const should = [...this.#groups]
      .map(([each, { secondFactor }]) => [each, secondFactor] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
    this.#me.must(
      "O4",
      sameText(is, should),
      `the groups are ${JSON.stringify(is)} instead of ${JSON.stringify(should)}`,
    );
    if (this.#groups.size > 0) {
      const [group, known] = chances.pick([...this.#groups]);
      const one = await this.#me.server("GET", `/groups/${group}`);
      this.#me.must(
        "O4",
        one.body["members"] === known.members.size,
        `${String(one.body["members"])} members of ${group} instead of ${known.members.size}`,
      );
      const found: string[] = [];
      for (let cursor = ""; ;) {
        const page = await this.#me.server("GET", `/groups/${group}/members?limit=1${cursor}`);
        const members = (page.body["members"] ?? []) as { id: string }[];
        found.push(...members.map(({ id }) => id));
        if (typeof page.body["nextCursor"] !== "string" || found.length > 9) break;
        cursor = `&cursor=${page.body["nextCursor"]}`;
      }
      this.#me.must(
        "O4",
        sameText(found, [...known.members].toSorted()),
        `the members of ${group} are ${found.join()}`,
      );
    }
    const userId = chances.pick(this.#people);
    const of = await this.#me.server("GET", `/users/${userId}/groups`);
    const theirs = [...this.#groups].filter(([, { members }]) => members.has(userId)).map(([each]) => each);
    this.#me.must(
      "O4",
      sameText(of.body["groups"], theirs.toSorted()),
      `somebody's groups are ${JSON.stringify(of.body["groups"])} instead of ${theirs.join()}`,
    );
    const wanted = { appId: app.id, since: this.#me.begun - 1000, limit: 1000 };
    const all = await world.operate(async (ctx) => await audit.list(ctx, wanted));
    const entries = all
      .filter(({ action, details }) => action.startsWith("group.") && String(details["group"]).endsWith(`-${name}`))
      .map(({ action, userId: whose, details, changes }) => {
        // A deletion may count its members, too.
        const { group, secondFactor } = details;
        return textOf([action, whose, { group, secondFactor }, changes ?? {}]);
      });
    const [more, less] = [surplus(entries, this.#entries), surplus(this.#entries, entries)];
    this.#me.must("O9", more.length + less.length === 0, `entries of groups: ${more[0]} too much, ${less[0]} missing`);
  }
}
