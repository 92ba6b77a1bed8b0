/**
 * Keepers change an application: its settings by the server, a command, a file and the console; its
 * groups; and who is an operator. What a change did not name stays as it was.
 */
import { Hand } from "../hand.ts";
import { checkNothingIsLeft } from "../oracles/deleted.ts";
import { lives, type Resident } from "../resident.ts";
import { time } from "../time.ts";
import type { Part, World } from "../world.ts";
import { Branch } from "./keeper-branch.ts";
import { GroupBook } from "./keeper-groups.ts";
import { LogReader } from "./keeper-log.ts";
import { Settings } from "./keeper-settings.ts";

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
  const settings = new Settings(me, team.owner);
  const keeper = new Keeper(me, team.owner, settings);
  const book = new GroupBook(me);
  const log = new LogReader(me, team.owner);
  await book.open();
  await settings.open();
  for (let rounds = 0; rounds < 12 && !isOver(); rounds += 1) {
    await pause(30_000);
    await chances.pick([
      async () => {
        for (let turns = 0; turns < 3; turns += 1) await settings.changes();
      },
      () => book.acts(),
      () => book.acts(),
      () => keeper.colleague(),
      () => new Branch(me, rounds).lives(),
    ])();
    await log.acts();
  }
}

class Keeper {
  readonly #me: Resident;
  readonly #owner: Hand;
  readonly #settings: Settings;
  #count = 0;

  constructor(me: Resident, owner: Hand, settings: Settings) {
    this.#me = me;
    this.#owner = owner;
    this.#settings = settings;
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
    const promoted = async (): Promise<void> => {
      const done = await this.#owner.press(`/operators/${other.id}`, `${other.id}/role`, { role: "owner" });
      this.#me.must("O10", done.status === 303, `a role is not changed: ${done.status}`);
    };
    if (chances.chance(0.6)) {
      await leaves("changeOperator", promoted);
      const entriesBefore = await this.#settings.entries();
      const done = await other.press(`/applications/${app.id}`, `${app.id}/settings/names`, {
        name: `By ${name} ${this.#count}`,
      });
      this.#me.must("O10", done.status === 303, `an owner cannot rename: ${done.status}`);
      const [entry] = await this.#settings.entries(entriesBefore);
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
}
