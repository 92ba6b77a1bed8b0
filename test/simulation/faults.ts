import type { Generator } from "./generator.ts";
import type { PortFaults } from "./port.ts";

/** Milliseconds and probabilities, drawn anew each virtual hour. */
export type Faults = PortFaults & {
  network: number;
  lostRequests: number;
  lostAnswers: number;
  failingMail: number;
  failingReceiver: number;
  /** Crashes an hour. */
  crashes: number;
};

export const noFaults: Faults = {
  slow: 0,
  failingCommits: 0,
  network: 5,
  lostRequests: 0,
  lostAnswers: 0,
  failingMail: 0,
  failingReceiver: 0,
  crashes: 0,
};

/** Without some of them, one would hide what the others need. */
export function drawFaults(generator: Generator): Faults {
  const often = generator.chance(0.5);
  return {
    slow: generator.pick([0, 2, 20, 200]),
    failingCommits: generator.pick([0, 0, 0.03]),
    network: generator.pick([1, 20, 100]),
    lostRequests: generator.pick([0, 0.02]),
    lostAnswers: generator.pick([0, 0.03]),
    failingMail: generator.pick([0, 0.2]),
    failingReceiver: generator.pick([0, 0.2]),
    crashes: often ? generator.pick([2, 20]) : 0,
  };
}
