/**
 * Keepers change an application: its settings by the server, a command, a file and the console; its
 * groups; and who is an operator. What a change did not name stays as it was.
 */
import { applicationSettings, type ApplicationChange } from "../../../src/applications/settings.ts";
import * as applications from "../../../src/applications/service.ts";
import * as audit from "../../../src/records/audit/audit.ts";
import type { Context } from "../../../src/runtime/context.ts";
import * as desiredStates from "../../../src/upkeep/desired-state/service.ts";
import { sameText, shownText, surplus, without } from "../firm-answers.ts";
import { Hand } from "../hand.ts";
import { checkNothingIsLeft } from "../oracles/deleted.ts";
import { lives, type Resident } from "../resident.ts";
import { time } from "../time.ts";
import type { Part, World } from "../world.ts";
import { GroupBook } from "./keeper-groups.ts";

const cli = { kind: "cli", name: "keepers" } as const;

export async function keepers(world: World, part: Part): Promise<void> {
  const team = { owner: undefined as Hand | undefined };
  await lives(world, part, { app: world.keepers, name: "keeper", network: 160 }, async (me, own) => {
    await live(me, own, team);
  });
}

async function live(
  me: Resident,
  { isOver, pause }: Pick<Part, "isOver" | "pause">,
  team: { owner: Hand | undefined },
): Promise<void> {
  const { world, chances } = me;
  team.owner ??= await Hand.invited(world, chances, { email: `hand.of.${me.name}@example.org`, role: "owner" });
  const keeper = new Keeper(me, team.owner);
  const book = new GroupBook(me);
  await book.open();
  for (let rounds = 0; rounds < 12 && !isOver(); rounds += 1) {
    await pause(45_000);
    await chances.pick([
      () => keeper.changes(),
      () => keeper.changes(),
      () => book.acts(),
      () => book.acts(),
      () => keeper.colleague(),
      () => keeper.branch(),
    ])();
  }
}

type Shape = Record<string, unknown>;

class Keeper {
  readonly #me: Resident;
  readonly #owner: Hand;
  #count = 0;

  constructor(me: Resident, owner: Hand) {
    this.#me = me;
    this.#owner = owner;
  }

  async #read(): Promise<Shape> {
    const { world, app } = this.#me;
    const row = await world.operate(async (ctx) => await applications.find(ctx, ctx.storage.reader, app.id));
    return structuredClone(row) as unknown as Shape;
  }

  /** Of now, without those of before: some may be of a future that a clock was set to. */
  async #entries(before: readonly audit.AuditEventAnswer[] = []): Promise<audit.AuditEventAnswer[]> {
    const { world, app } = this.#me;
    const wanted = { appId: app.id, action: "application.update", since: this.#me.begun, limit: 500 };
    const known = new Set(before.map(({ id }) => id));
    return (await world.operate(async (ctx) => await audit.list(ctx, wanted))).filter(({ id }) => !known.has(id));
  }

  /** Each with a value that the setting may not have yet. */
  #draw(): { path: string; value: unknown } {
    const { chances, app, name } = this.#me;
    this.#count += 1;
    const number = `${this.#count} of ${name}`;
    return chances.pick<{ path: string; value: unknown }>([
      { path: "name", value: `Keepers ${number}` },
      { path: "redirectUris", value: [app.redirectUri, `https://app.example/${chances.below(4)}`] },
      { path: "branding.companyName", value: `Company ${number}` },
      { path: "branding.homeUrl", value: chances.pick(["https://app.example/home", "https://app.example/other"]) },
      { path: "settings.signUpBlockedDomains", value: [`no${chances.below(4)}.example`, "never.example"] },
      { path: "settings.secondFactor", value: chances.pick(["off", "optional"]) },
    ]);
  }

  /** O4: it has this value, and all else is as before. O9: one entry says who changed what. */
  async changes(): Promise<void> {
    const { world, chances, app } = this.#me;
    const { path, value } = this.#draw();
    const [top = "", inner] = path.split(".");
    const before = await this.#read();
    const entriesBefore = await this.#entries();
    const change = (inner === undefined ? { [top]: value } : { [top]: { [inner]: value } }) as ApplicationChange;
    const { form } = applicationSettings[path as keyof typeof applicationSettings] as { form?: string };
    const ways: Record<string, () => Promise<string>> = {
      [cli.kind]: async () => {
        await world.operate(async (ctx) => await applications.update(ctx, app.id, change, cli));
        return `cli:${cli.name}`;
      },
      apply: async () => {
        await world.operate(async (ctx) => await this.#apply(ctx, change));
        return `cli:${cli.name}`;
      },
      ...(form !== undefined &&
        form !== "branding" && {
          console: async () => {
            const shown = Array.isArray(value) ? value.join(path === "redirectUris" ? "\n" : ",") : String(value);
            const done = await this.#owner.press(`/applications/${app.id}`, `${app.id}/settings/${form}`, {
              [inner ?? top]: shown,
            });
            const isSame = done.status === 200 && done.text.includes("You have not changed anything");
            this.#me.must("O10", done.status === 303 || isSame, `the console does not save ${path}: ${done.status}`);
            return this.#owner.actor;
          },
        }),
      ...(["name", "redirectUris", "branding.homeUrl"].includes(path) && {
        server: async () => {
          const { status, body } = await this.#me.server("PATCH", "", change);
          this.#me.must(
            "O10",
            status === 200,
            `the server does not change ${path}: ${status} ${JSON.stringify(body.error)}`,
          );
          return `app:${app.id}`;
        },
      }),
    };
    const way = chances.pick(Object.keys(ways));
    const actor = (await ways[way]?.()) ?? "";
    world.note(`${this.#me.name} changes ${path} by ${way}`);
    const after = await this.#read();
    const was = valueAt(before, path);
    const should = structuredClone(before);
    if (inner === undefined) should[top] = value;
    else (should[top] as Shape)[inner] = value;
    const [is, wanted] = [comparable(after), comparable(should)];
    this.#me.must("O4", sameText(is, wanted), `${path} by ${way}: ${differenceOf(is, wanted)}`);
    const added = await this.#entries(entriesBefore);
    const isNew = !sameText(was ?? "off", value ?? "off");
    this.#me.must("O9", added.length === (isNew ? 1 : 0), `${added.length} entries of a change of ${path} by ${way}`);
    const [entry] = added;
    if (!entry) return;
    const says = [entry.actor, entry.target, entry.details["fields"], Object.keys(entry.changes ?? {}).length];
    this.#me.must(
      "O9",
      sameText(says, [actor, app.id, top, 1]),
      `an entry of ${path} by ${way} says ${JSON.stringify(entry)}`,
    );
    const [{ to } = { to: "" }] = Object.values(entry.changes ?? {});
    const isTold = Array.isArray(value)
      ? value.some((each) => to.includes(String(each))) || to === ""
      : to === shownText(value);
    this.#me.must(
      "O9",
      isTold,
      `an entry of ${path} says ${JSON.stringify(entry.changes)} instead of ${shownText(value)}`,
    );
    world.reached(`a setting changed by ${way}`);
    await this.#shown();
  }

  async #apply(ctx: Context, change: ApplicationChange): Promise<void> {
    const { settings, ...rest } = change;
    // Settings stand beside the name in a file.
    const state = { version: 1 as const, applications: [{ id: this.#me.app.id, ...rest, ...settings }] } as Parameters<
      typeof desiredStates.plan
    >[1];
    const options = { prune: false, keepIdentities: false, actor: cli };
    const planned = await desiredStates.plan(ctx, state, options);
    await desiredStates.apply(ctx, state, { ...options, planned });
  }

  /** What the server reads is what is stored. */
  async #shown(): Promise<void> {
    const { status, body } = await this.#me.server("GET", "");
    this.#me.must("O4", status === 200, `no application: ${status}`);
    const row = await this.#read();
    const branding = row["branding"] as Shape;
    const is = [
      body["name"],
      body["redirectUris"],
      (body["branding"] as Shape)["companyName"],
      (body["branding"] as Shape)["homeUrl"],
    ];
    const should = [row["name"], row["redirectUris"], branding["companyName"] ?? null, branding["homeUrl"]];
    this.#me.must(
      "O4",
      sameText(is, should),
      `the application is read as ${JSON.stringify(is)} instead of ${JSON.stringify(should)}`,
    );
  }

  /** O3: the id of an application that is gone is not given again. */
  async branch(): Promise<void> {
    const { world, name } = this.#me;
    this.#count += 1;
    const id = `app_branch_${this.#count}_of_${name}`;
    const wanted = { id, name: "Branch", redirectUris: [this.#me.app.redirectUri] };
    const create = async () => await world.operate(async (ctx) => await applications.create(ctx, wanted, cli));
    await create();
    await world.operate(async (ctx) => await applications.remove(ctx, id, cli));
    const again = await create().catch((error: unknown) => {
      if ((error as { code?: unknown }).code !== "CONFLICT") throw error;
    });
    this.#me.must("O3", again === undefined, `the id ${id} was given twice`);
    world.reached("an application's id asked for again");
  }

  /** Another operator, who may look, then act, then nothing. */
  async colleague(): Promise<void> {
    const { world, chances, app, name } = this.#me;
    this.#count += 1;
    const email = `colleague${this.#count}.of.${name}@example.org`;
    const since = time.now();
    const other = await Hand.invited(world, chances, { email, role: "viewer" });
    const leaves = async (act: "changeOperator" | "removeOperator", work: () => Promise<unknown>): Promise<void> => {
      await world.ledger.leaving({ actor: this.#owner.actor, act, about: other.id }, work);
    };
    const page = await other.open(`/applications/${app.id}`);
    this.#me.must("O10", page.status === 200, `a viewer sees no application: ${page.status}`);
    const before = await this.#read();
    await this.#tries(other, before);
    const promoted = async (): Promise<void> => {
      const done = await this.#owner.press(`/operators/${other.id}`, `${other.id}/role`, { role: "owner" });
      this.#me.must("O10", done.status === 303, `a role is not changed: ${done.status}`);
    };
    if (chances.chance(0.6)) {
      await leaves("changeOperator", promoted);
      const entriesBefore = await this.#entries();
      const done = await other.press(`/applications/${app.id}`, `${app.id}/settings/names`, {
        name: `By ${name} ${this.#count}`,
      });
      this.#me.must("O10", done.status === 303, `an owner cannot rename: ${done.status}`);
      const [entry] = await this.#entries(entriesBefore);
      this.#me.must("O9", entry?.actor === other.actor, `a rename by ${other.actor} is of ${String(entry?.actor)}`);
      const own = await other
        .press(`/operators/${other.id}`, `${other.id}/role`, { role: "viewer" })
        .catch((error: unknown) => {
          // There is no such form.
          if (!String(error).includes("no form")) throw error;
        });
      this.#me.must("O8", own === undefined || own.status !== 303, "an operator changed their own role");
      world.reached("an operator who became an owner");
    }
    await leaves("removeOperator", async () => {
      const done = await this.#owner.press(`/operators/${other.id}`, `${other.id}/remove`, { confirmation: email });
      this.#me.must("O10", done.status === 303, `an operator is not removed: ${done.status}`);
    });
    const after = await other.look("/overview");
    this.#me.must("O1", after.status !== 200, `a removed operator sees the console: ${after.status}`);
    await checkNothingIsLeft(world, { name: email, userId: other.id, email }, since);
    world.reached("an operator removed by another");
  }

  /** O8: whatever the form of an owner would send. */
  async #tries(viewer: Hand, before: Shape): Promise<void> {
    const { app, chances } = this.#me;
    const places = [
      `/applications/${app.id}/settings/names`,
      `/applications/${app.id}/delete`,
      `/applications/${app.id}/groups`,
      "/operators",
      `/operators/${viewer.id}/role`,
      `/operators/${this.#owner.id}/remove`,
    ];
    const place = chances.pick(places);
    const values = {
      name: "By a viewer",
      "was.name": String(before["name"]),
      role: "owner",
      email: "x@example.org",
      confirmation: this.#owner.email,
    };
    const done = await viewer.post(place, values);
    this.#me.must(
      "O8",
      done.status >= 400,
      `a viewer's ${place.replaceAll(/[a-z]{3}_\w+/gu, "…")} was answered with ${done.status}`,
    );
    this.#me.must(
      "O8",
      sameText(comparable(await this.#read()), comparable(before)),
      `a viewer changed the application by ${place}`,
    );
  }
}

function valueAt(row: Shape, path: string): unknown {
  return path.split(".").reduce<unknown>((value, part) => (value as Shape | undefined)?.[part], row);
}

/** Without what a mail keeps of a name, and when it was changed. */
function comparable(row: Shape): Shape {
  const rest = without(row["settings"] as Shape, "mailName");
  const known = Object.entries(rest).filter(
    ([name, value]) => value !== undefined && !(name === "secondFactor" && value === "off"),
  );
  return { ...without(row, "updatedAt"), settings: Object.fromEntries(known) };
}

function differenceOf(is: Shape, should: Shape): string {
  const lines = (of: Shape): string[] =>
    Object.entries(of).flatMap(([name, value]) =>
      Object.entries(Object(value) as Shape).map(([each, inner]) => `${name}.${each}: ${JSON.stringify(inner)}`),
    );
  return `${surplus(lines(is), lines(should)).join("; ")} instead of ${surplus(lines(should), lines(is)).join("; ")}`;
}
