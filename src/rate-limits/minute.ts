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
export function createMinute<Entry>(newEntry: (key: string, endsAt: number) => Entry) {
  let endsAt = Number.NaN;
  let knownEntries = new Map<string, Entry>();
  let strangers = new Map<string, Entry>();

  function add(entries: Map<string, Entry>, key: string): Entry {
    const entry = newEntry(key, endsAt);
    entries.set(key, entry);
    return entry;
  }

  return {
    /** `key` begins with the kind of limit and a space. */
    entryOf(key: string, who: Who, now: number): Entry {
      const current = endOfMinute(now);
      if (current !== endsAt) {
        endsAt = current;
        knownEntries = new Map();
        strangers = new Map();
      }
      const entries = who === "known" ? knownEntries : strangers;
      const entry = entries.get(key);
      if (entry !== undefined) return entry;
      if (entries === knownEntries || entries.size < maxStrangers) return add(entries, key);
      const shared = `${key.slice(0, key.indexOf(" "))} crowd`;
      return entries.get(shared) ?? add(entries, shared);
    },
  };
}
