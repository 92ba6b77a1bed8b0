import { distance } from "fastest-levenshtein";

/** The candidate most similar to `name`, or `undefined` if none is similar. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  // At most a third of the letters may differ: "prot" suggests "port", "colour" does not suggest
  // "log level".
  let limit = Math.max(2, Math.floor(name.length / 3));
  for (const candidate of candidates) {
    const apart = distance(name.toLowerCase(), candidate.toLowerCase());
    if (apart <= limit) {
      best = candidate;
      limit = apart - 1;
    }
  }
  return best;
}

/** The suggestion for an unknown name, as a sentence. */
export function didYouMean(name: string | undefined): string {
  return name === undefined ? "" : `; did you mean ${name}?`;
}
