import { minute } from "../lib/clock.ts";
import type { Who } from "../lib/rate-limits.ts";

/**
 * Beyond this many strangers in a minute, new ones of a kind share a counter. This limits memory,
 * and the flood itself.
 */
const maxStrangers = 1_000_000;

/** The end of the clock minute of an instant, in epoch milliseconds. */
export function endOfMinute(now: number): number {
  return (Math.floor(now / minute) + 1) * minute;
}

/**
 * The entries of all callers in the current minute; they are dropped together when it ends. A flood
 * of strangers never displaces known callers, whose number is limited by users and apps.
 */
export class Minute<Entry> {
  #endsAt = Number.NaN;
  #known = new Map<string, Entry>();
  #strangers = new Map<string, Entry>();
  readonly #newEntry: (key: string, endsAt: number) => Entry;

  constructor(newEntry: (key: string, endsAt: number) => Entry) {
    this.#newEntry = newEntry;
  }

  /** `key` begins with the kind of limit and a space. */
  entryOf(key: string, who: Who, now: number): Entry {
    const current = endOfMinute(now);
    if (current !== this.#endsAt) {
      this.#endsAt = current;
      this.#known = new Map();
      this.#strangers = new Map();
    }
    const entries = who === "known" ? this.#known : this.#strangers;
    const entry = entries.get(key);
    if (entry !== undefined) return entry;
    if (entries === this.#known || entries.size < maxStrangers) return this.#add(entries, key);
    const shared = `${key.slice(0, key.indexOf(" "))} crowd`;
    return entries.get(shared) ?? this.#add(entries, shared);
  }

  #add(entries: Map<string, Entry>, key: string): Entry {
    const entry = this.#newEntry(key, this.#endsAt);
    entries.set(key, entry);
    return entry;
  }
}
