/** The owner of an attempt. `isKnown`: from a browser in which this user has signed in before. */
export type TurnOf = { appId: string; account: string; isKnown: boolean };

type Start = () => void;
/** `parts` are in the order of their next turns. Only leaves have jobs. */
type Line = { jobs: Start[]; parts: Map<string, Line> };

const maxWaitingOfAccount = 4;
/** For unknown browsers: strangers must not lock out people who have signed in before. */
const maxWaitingOfStrangers = 40;

/**
 * Runs one task at a time. Applications take turns; within an application, known browsers and all
 * others; within these, accounts. A flood at one delays the others by at most one turn.
 */
export class FairSlot {
  readonly #waiting = newLine();
  #running: string[] | undefined;

  /** Whether another task may wait. Reserves nothing. */
  hasRoom(turn: TurnOf): boolean {
    const path = pathOf(turn);
    if (lengthAt(this.#waiting, path) >= maxWaitingOfAccount) return false;
    return turn.isKnown || lengthAt(this.#waiting, path.slice(0, -1)) < maxWaitingOfStrangers;
  }

  /** Runs the work in its turn. Call `hasRoom` first: this has no limit. */
  async run<T>(turn: TurnOf, work: () => Promise<T>): Promise<T> {
    const path = pathOf(turn);
    if (this.#running !== undefined) await new Promise<void>((start) => add(this.#waiting, path, start));
    else this.#running = path;
    try {
      return await work();
    } finally {
      const next = takeNext(this.#waiting, this.#running ?? []);
      this.#running = next?.path;
      next?.start();
    }
  }
}

function pathOf({ appId, account, isKnown }: TurnOf): string[] {
  return [appId, isKnown ? "known" : "other", account];
}

function newLine(): Line {
  return { jobs: [], parts: new Map() };
}

function add(line: Line, [key, ...below]: string[], start: Start): void {
  if (key === undefined) {
    line.jobs.push(start);
    return;
  }
  const part = line.parts.get(key) ?? newLine();
  line.parts.set(key, part);
  add(part, below, start);
}

function lengthAt(line: Line, path: string[]): number {
  let next: Line | undefined = line;
  for (const key of path) next = next?.parts.get(key);
  return next ? lengthOf(next) : 0;
}

function lengthOf({ jobs, parts }: Line): number {
  let length = jobs.length;
  for (const part of parts.values()) length += lengthOf(part);
  return length;
}

/** `last`: the path of the previous job, whose parts come last. */
function takeNext({ jobs, parts }: Line, [last, ...below]: string[]): { path: string[]; start: Start } | undefined {
  const job = jobs.shift();
  if (job) return { path: [], start: job };
  const [key, part] = nextAfter(parts, last) ?? [];
  const next = part && takeNext(part, below);
  if (key === undefined || !part || !next) return undefined;
  // Moves to the end if more of it waits.
  parts.delete(key);
  if (lengthOf(part) > 0) parts.set(key, part);
  return { path: [key, ...next.path], start: next.start };
}

/** The first entry other than the previous one, unless that is the only one. */
function nextAfter<T>(entries: Map<string, T>, last: string | undefined): [string, T] | undefined {
  const [first, second] = entries;
  return first?.[0] === last && second ? second : first;
}
