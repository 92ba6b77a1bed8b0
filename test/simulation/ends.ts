/** What ends with what, as docs/security.md tells people, and what that means for one account. */
import { readFileSync } from "node:fs";
import { time } from "./time.ts";

/** Something that an act may end. It was asked for at `askedAt`, and certainly there at `since`. */
export type Thing = { kind: string; askedAt: number; since: number; browser?: object | undefined };

/** `to`: when it was certainly over, done or not. The browser `keeps` may keep what it has. */
type Act = { kind: string; from: number; to: number; isCertain: boolean; keeps: object | undefined };

const cells = readTable();
const table = new Map(
  [...cells].map(([act, things]) => [
    act,
    new Set([...things].flatMap(([thing, cell]) => (cell === "ends" ? [thing] : []))),
  ]),
);

/** What the page says of a thing and an act: "ends", "since", "asked" or nothing. */
export function cellOf(act: string, thing: string): string {
  const cell = cells.get(act)?.get(thing);
  if (cell === undefined) throw new Error(`docs/security.md says nothing of ${act} and ${thing}`);
  return cell;
}

function readTable(): Map<string, Map<string, string>> {
  const page = readFileSync(new URL("../../docs/security.md", import.meta.url), "utf8");
  const section = page.split("## What ends with what\n")[1]?.split("\n- **")[0] ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("|"));
  const [acts = [], , ...things] = rows.map((line) => line.split("|").map((cell) => cell.trim()));
  return new Map(acts.map((act, column) => [act, new Map(things.map((row) => [row[1] ?? "", row[column] ?? ""]))]));
}

/** What was done to one account. */
export class Ends {
  readonly #acts: Act[] = [];

  /** An act that answers whether it was done. Throws if nobody knows. */
  async by(kind: string, work: () => Promise<boolean>, keeps?: object): Promise<boolean> {
    if (!table.has(kind)) throw new Error(`docs/security.md has no act ${kind}`);
    const act: Act = { kind, from: time.now(), to: Infinity, isCertain: false, keeps };
    this.#acts.push(act);
    try {
      act.isCertain = await work();
      if (!act.isCertain) this.#acts.splice(this.#acts.indexOf(act), 1);
      return act.isCertain;
    } finally {
      act.to = time.now();
    }
  }

  /** Whether it was over before `at`, for sure. */
  isOver(thing: Thing, at: number): boolean {
    return this.#ending(thing).some(
      ({ from, to, isCertain, keeps }) =>
        isCertain && from >= thing.since && to <= at && (keeps === undefined || keeps !== thing.browser),
    );
  }

  /** Whether something may have ended it by now. */
  mayBeOver(thing: Thing): boolean {
    return this.#ending(thing).some(({ to }) => to >= thing.askedAt);
  }

  /** Whether such an act may have happened since then. */
  mayHaveHappened(kind: string, since: number): boolean {
    return this.#acts.some((act) => act.kind === kind && act.to >= since);
  }

  #ending({ kind }: Thing): Act[] {
    return this.#acts.filter((act) => table.get(act.kind)?.has(kind) === true);
  }
}
