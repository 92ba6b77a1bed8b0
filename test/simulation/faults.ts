import type { Generator } from "./generator.ts";

/** What each kind of fault is drawn from. The first value is none of it. */
const kinds = {
  /** Milliseconds that a statement of the database usually takes. */
  slow: [0, 2, 20, 200],
  /** Probabilities. */
  failingCommits: [0, 0, 0.03],
  crashesAtCommits: [0, 0, 0, 0.002],
  /** Milliseconds of one way through the network. */
  network: [5, 1, 20, 100],
  /** Probabilities for each call. */
  lostRequests: [0, 0.02],
  lostAnswers: [0, 0.03],
  late: [0, 0, 0.01],
  doubled: [0, 0, 0.1],
  /** Probabilities for each mail and each webhook. */
  failingMail: [0, 0.2],
  failingReceiver: [0, 0.2],
  /** How often an hour. */
  crashes: [0, 0, 2, 20],
  stops: [0, 0, 0, 6],
  hangs: [0, 0, 0, 6],
  fullDisks: [0, 0, 0, 4],
  clockJumps: [0, 0, 0, 0, 4],
} as const satisfies Record<string, readonly number[]>;

type Kind = keyof typeof kinds;

export const faultKinds = Object.keys(kinds) as readonly Kind[];

/** The faults of now. A database hangs, or its disk is full, until a moment of virtual time. */
export type Faults = Record<Kind, number> & { hangsUntil: number; fullUntil: number };

export const noFaults: Faults = {
  ...(Object.fromEntries(faultKinds.map((kind) => [kind, kinds[kind][0]])) as Record<Kind, number>),
  hangsUntil: 0,
  fullUntil: 0,
};

/** Without some kinds at a time, one would hide what the others need. */
export function drawFaults(generator: Generator, without: readonly string[]): Record<Kind, number> {
  const drawn = faultKinds.map((kind) => {
    const value = generator.pick<number>(kinds[kind]);
    return [kind, without.includes(kind) ? kinds[kind][0] : value];
  });
  return Object.fromEntries(drawn) as Record<Kind, number>;
}
