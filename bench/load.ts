import { loadByAutocannon } from "./autocannon.ts";
import type { Load, Pace, Traffic } from "./traffic.ts";
import { hasWrk, loadByWrk } from "./wrk.ts";

/**
 * The load generator: wrk if installed, else autocannon, which takes far more of the shared cores.
 */
export const generator = hasWrk() ? "wrk" : "autocannon";

/**
 * Loads a service. Throws if hardly any call succeeded, because the figure would measure errors.
 */
export async function load(traffic: Traffic, pace: Pace): Promise<Load> {
  const measured = generator === "wrk" ? await loadByWrk(traffic, pace) : await loadByAutocannon(traffic, pace);
  if (measured.failures * 100 > measured.calls)
    throw new Error(`${traffic.url}: ${measured.failures} of ${measured.calls} calls failed`);
  return measured;
}
