/** Acts of which nobody may know whether they were done. */
import type { SimulatedNode } from "../node.ts";
import { Lost, type World } from "../world.ts";

/** All of them at once; undefined for those that were lost. */
export async function settled<Result>(acts: (() => Promise<Result>)[]): Promise<(Result | undefined)[]> {
  const results = await Promise.allSettled(acts.map(async (act) => await act()));
  return results.map((result) => {
    if (result.status === "rejected" && !(result.reason instanceof Lost)) throw result.reason;
    return result.status === "fulfilled" ? result.value : undefined;
  });
}

/** What an act of an operator answered; undefined: nobody knows whether it was done. */
export async function operated<Result>(
  world: World,
  act: (ctx: SimulatedNode["ctx"]) => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await world.operate(act);
  } catch (error) {
    if (world.isFault(error)) return undefined;
    throw error;
  }
}
