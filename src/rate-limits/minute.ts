import { minute } from "../lib/clock.ts";

/** A stranger is known by its address only, and may have as many of those as it likes; the others have shown a credential of ours. */
export type Who = "known" | "stranger";

/** Beyond this many strangers in one minute, new ones of a kind share a counter: memory stays bounded, and the flood limits itself. */
const mostStrangers = 1_000_000;

/** When the aligned minute of an instant ends, epoch milliseconds. */
export function endOfMinute(now: number): number {
  return (Math.floor(now / minute) + 1) * minute;
}

/**
 * What is known of each caller in the minute that runs. A minute that is over is forgotten whole. A flood of strangers takes nobody's counter
 * away who is known: there are no more of those than users and apps.
 */
export function createMinute<Entry>(newEntry: (key: string, endsAt: number) => Entry) {
  let endsAt = Number.NaN;
  let known = new Map<string, Entry>();
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
        known = new Map();
        strangers = new Map();
      }
      const entries = who === "known" ? known : strangers;
      const found = entries.get(key);
      if (found !== undefined) return found;
      if (entries === known || entries.size < mostStrangers) return add(entries, key);
      const shared = `${key.slice(0, key.indexOf(" "))} crowd`;
      return entries.get(shared) ?? add(entries, shared);
    },
  };
}
