/** What a file of an application's state says, plans and applies. */
import { isDeepStrictEqual } from "node:util";
import { command } from "../command-line.ts";
import { textOf } from "../firm-answers.ts";
import type { Generator } from "../generator.ts";
import { Violation } from "../model.ts";
import type { World } from "../world.ts";

type Json = Record<string, unknown>;
type Application = { id: string } & Partial<Record<List, Json[]>>;
type State = { version: number; applications: Application[] };
type Change = { action: string; kind: string; application: string; name?: string; fields: { field: string }[] };
type List = (typeof lists)[number];
const lists = ["groups", "clients", "webhooks", "resources", "providers"] as const;
const env = { SECRET: "a secret for whatever needs one, which is long enough" };

const nameOf = (list: List, item: Json | string): string =>
  String(
    typeof item === "string"
      ? item
      : item[{ groups: "name", clients: "id", webhooks: "id", resources: "identifier", providers: "name" }[list]],
  );

export class Files {
  readonly #world: World;
  readonly #chances: Generator;

  constructor(world: World, chances: Generator) {
    this.#world = world;
    this.#chances = chances;
  }

  async #run(args: string[], state?: State, code = 0): Promise<Json> {
    const ended = await command(this.#world, args, state ? JSON.stringify(state) : "", env);
    if (ended.code === code) return ended.said as Json;
    throw new Violation("O4", `${args.join(" ")} ended with ${ended.code} instead of ${code}: ${ended.notes}`);
  }

  async #exported(): Promise<State> {
    return (await this.#run(["export"])) as unknown as State;
  }

  async #planned(state: State, more: string[] = []): Promise<Change[]> {
    return (await this.#run(["plan", "-", ...more], state))["changes"] as Change[];
  }

  /** O4: a plan says what is done. What the file has is then there, and all else as before. */
  async check(): Promise<void> {
    const state = await this.#exported();
    if (this.#chances.chance(0.5)) return await this.#prunes(state);
    const same = await this.#planned(state, ["--prune"]);
    if (same.length > 0) throw new Violation("O4", `what was exported differs: ${textOf(same[0])}`);
    await this.#copies(state);
  }

  /** Another application by the same words, and its secrets. */
  async #copies(state: State): Promise<void> {
    const one = this.#chances.pick(state.applications.filter(({ clients }) => clients));
    const copied = JSON.parse(
      JSON.stringify(one)
        .replaceAll(/"(cli|whe)_/gu, '"$1_copy_')
        .replaceAll(`"${one.id}"`, `"${one.id}_copy"`)
        .replaceAll(/([a-z0-9-]+)\.example\b/gu, "$1.copy.example"),
    ) as Application;
    for (const each of copied.webhooks ?? []) each["secret"] = "env:SECRET";
    for (const each of copied.providers ?? []) each["clientSecret"] = "env:SECRET";
    const wanted = { version: 1, applications: [copied] };
    const hosts = "--secrets-to=corp.copy.example,idp.copy.example";
    const planned = await this.#planned(wanted, [hosts]);
    const { changes } = await this.#run(["apply", "-", hosts], wanted);
    if (textOf(changes) !== textOf(planned))
      throw new Violation("O4", `planned: ${textOf(planned)}, done: ${textOf(changes)}`);
    const now = await this.#exported();
    const [made, ...others] = now.applications.toSorted(({ id }) => (id === copied.id ? -1 : 1));
    for (const each of copied.webhooks ?? []) delete each["secret"];
    for (const each of copied.providers ?? []) delete each["clientSecret"];
    // They were made at once, and are listed by their ids.
    for (const one of [made, copied])
      for (const list of lists) one?.[list]?.sort((a, b) => (nameOf(list, a) < nameOf(list, b) ? -1 : 1));
    if (textOf(made) !== textOf(copied))
      throw new Violation("O4", `a file has ${textOf(copied)}, and made ${textOf(made)}`);
    if (textOf(others) !== textOf(state.applications)) throw new Violation("O4", "a file changed another application");
    this.#world.reached("an application made by a file");
  }

  /** What the file no longer names goes, and nothing else. */
  async #prunes(state: State): Promise<void> {
    const chances = this.#chances;
    const rest = async (): Promise<Json[]> => {
      const { code, said } = await command(this.#world, ["client", "list"]);
      return code === 0 ? (said as Json[]).filter(({ organizationId }) => organizationId) : [];
    };
    const machines = await rest();
    const should: string[] = [];
    const left = state.applications.flatMap((each): Application[] => {
      if (chances.chance(0.15)) {
        should.push(`application ${each.id} undefined`);
        return [];
      }
      const kept: Application = { ...each };
      for (const list of lists) {
        // Clients of organizations are in no file.
        const needs = textOf([list === "clients" ? [] : kept.clients, machines]);
        const items = (each[list] ?? []).filter((item) => {
          const name = nameOf(list, item);
          const isNeeded = (list === "groups" || list === "resources") && needs.includes(`"${name}"`);
          if (isNeeded || list === "providers" || chances.chance(0.6)) return true;
          should.push(`${list.slice(0, -1)} ${each.id} ${name}`);
          return false;
        });
        if (each[list]) kept[list] = items;
        if (items.length === 0) delete kept[list];
      }
      return [kept];
    });
    const wanted = { ...state, applications: left };
    const linesOf = (changes: Change[]): string[] =>
      changes
        .map(
          ({ action, kind, application, name }) => `${action === "delete" ? "" : action}${kind} ${application} ${name}`,
        )
        .toSorted();
    const planned = linesOf(await this.#planned(wanted, ["--prune"]));
    if (!isDeepStrictEqual(planned, should.toSorted()))
      throw new Violation("O4", `a file without ${should.join(", ")} would delete ${planned.join(", ")}`);
    const { changes } = await this.#run(["apply", "-", "--prune"], wanted);
    if (!isDeepStrictEqual(linesOf(changes as Change[]), should.toSorted()))
      throw new Violation(
        "O4",
        `a file without ${should.join(", ")} deleted ${linesOf(changes as Change[]).join(", ")}`,
      );
    const now = await this.#exported();
    if (textOf(now) !== textOf(wanted)) throw new Violation("O4", "after an apply, an export is not the file");
    const gone = new Set(should.flatMap((each) => (each.startsWith("application ") ? [each.split(" ")[1]] : [])));
    const remaining = machines.filter(({ appId }) => !gone.has(String(appId)));
    if (textOf(await rest()) !== textOf(remaining))
      throw new Violation("O4", "a file deleted clients of organizations");
    this.#world.reached("what a file no longer names is gone");
  }
}
