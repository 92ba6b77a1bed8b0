import { distance } from "fastest-levenshtein";

/** The candidate that was most likely meant, or `undefined` when none is near. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  // A third of the letters may differ: "prot" is a port, "colour" is not a log level.
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

/** The sentence for a name that is not known. */
export function didYouMean(name: string | undefined): string {
  return name === undefined ? "" : `; did you mean ${name}?`;
}
