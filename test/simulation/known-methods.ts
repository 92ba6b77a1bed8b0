/** The rows of somebody's ways to sign in, as their server reads them. */
import type { Resident } from "./resident.ts";
import { time } from "./time.ts";

type Row = { type: string; id: string; createdAt: string; lastUsed: string | null } & Record<string, unknown>;

export class KnownMethods {
  readonly #me: Resident;
  #rows = new Map<string, Row>();
  #since = time.now();
  /** Kinds that were tried since, and those that certainly led to a login. */
  readonly tried = new Set<string>();
  readonly used = new Set<string>();
  /** Addresses that the provider has said. */
  readonly said = new Set<string>();
  /** Ids of those that were removed. */
  readonly removed = new Set<string>();

  constructor(me: Resident) {
    this.#me = me;
  }

  /** O4: each row is as it was, but for the time of a use since then. */
  check(rows: Row[]): void {
    const { tried, used } = this;
    const must = (isSo: boolean, message: string): void =>
      this.#me.must("O4", isSo, `${message}: ${JSON.stringify(rows)}`);
    const isRecent = (at: string | null): boolean =>
      at !== null && Date.parse(at) >= this.#since && Date.parse(at) <= time.now();
    for (const row of rows) {
      const { id, type, createdAt, lastUsed } = row;
      const before = this.#rows.get(id);
      if (before) {
        const isSame = JSON.stringify({ ...before, lastUsed, email: "" }) === JSON.stringify({ ...row, email: "" });
        must(isSame, `a ${type} is not as it was`);
        must(lastUsed === before.lastUsed || (tried.has(type) && isRecent(lastUsed)), `when a ${type} was used`);
      } else {
        must(isRecent(createdAt) && (lastUsed === null || isRecent(lastUsed)), `when a ${type} was added`);
        const names = { passkey: ["name"], oauth: ["provider", "email"], password: [] }[type] ?? [];
        const should = ["type", "id", ...names, "createdAt", "lastUsed"];
        must(Object.keys(row).join() === should.join(), `what is said of a ${type}`);
      }
      must(type !== "passkey" || row["name"] === "Passkey", "the name of a passkey");
      const isOfProvider = row["provider"] === "discord" && this.said.has(String(row["email"]));
      must(type !== "oauth" || isOfProvider, "the account at the provider");
      must(!this.removed.has(id), "one that was removed");
    }
    for (const kind of used) {
      const all = rows.filter(({ type }) => type === kind);
      must(all.length === 0 || all.some(({ lastUsed }) => isRecent(lastUsed)), `a ${kind} seems not to be used`);
    }
    const times = rows.map(({ createdAt }) => createdAt);
    must(times.join() === times.toSorted().join(), "methods are not listed from old to new");
    this.#rows = new Map(rows.map((row) => [row.id, row]));
    this.#since = time.now();
    this.tried.clear();
    this.used.clear();
  }
}
