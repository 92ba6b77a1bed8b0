/** Disables, enables and logs people out, from a command line beside the service. */
import * as people from "../../../src/people/administration.ts";
import { Lost, type Part, type World } from "../world.ts";

const by = { actor: { kind: "cli", name: "operator" } } as never;

export async function operate(world: World, { chances, isOver, pause }: Part): Promise<void> {
  while (!isOver()) {
    await pause(60_000);
    const known = world.people.filter(({ userId }) => userId !== undefined);
    if (known.length === 0) continue;
    const person = chances.pick(known);
    const userId = person.userId ?? "";
    const isShutOut = !person.access.isOnly("allowed");
    const how = isShutOut ? "enable" : chances.pick(["disable", "revoke", "revoke"] as const);
    try {
      await person.beingChanged(
        { becomes: how === "disable" ? "disabled" : "allowed", ends: how !== "enable" },
        async () => {
          await world.operate(async (ctx) => {
            if (how === "disable") await people.disable(ctx, userId, { dryRun: false }, by);
            else if (how === "enable") await people.enable(ctx, userId, { dryRun: false }, by);
            else await people.revokeLogins(ctx, userId, { dryRun: false }, by);
          });
        },
      );
      world.note(`the operator: ${how} ${person.name}`);
    } catch (error) {
      if (!(error instanceof Lost)) throw error;
    }
  }
}
