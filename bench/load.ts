import { loadByAutocannon } from "./autocannon.ts";
import type { Load, Pace, Traffic } from "./traffic.ts";
import { hasWrk, loadByWrk } from "./wrk.ts";

/** Which program makes the load: wrk where it is installed, else autocannon, which takes far more of the cores that it shares. */
export const generator = hasWrk() ? "wrk" : "autocannon";

/** Loads one service, and throws where hardly anything of it was a success: such a figure would be one of errors. */
export async function load(traffic: Traffic, pace: Pace): Promise<Load> {
  const measured = generator === "wrk" ? await loadByWrk(traffic, pace) : await loadByAutocannon(traffic, pace);
  if (measured.failures * 100 > measured.calls)
    throw new Error(`${traffic.url}: ${measured.failures} of ${measured.calls} calls failed`);
  return measured;
}
