import { isoTime } from "../lib/clock.ts";
import type { SigningAlgorithm } from "../storage/column-types.ts";
import type { SigningKeyRow } from "./signing-key-store.ts";

/**
 * A signing key as shown by commands. `publishedUntil`: when a key that no longer signs may leave
 * the key set.
 */
export type SigningKeyAnswer = {
  kid: string;
  algorithm: SigningAlgorithm;
  state: "next" | "signing" | "retired";
  createdAt: string;
  signsFrom: string;
  publishedUntil: string | null;
};

/** An algorithm's signing key at `now`: the newest that has become active. */
export function signingKeyAt<Row extends Pick<SigningKeyRow, "signsFrom" | "generation">>(
  generations: Row[],
  now: number,
): Row | undefined {
  return generations.findLast((row) => row.signsFrom <= now);
}

/** An algorithm's keys whose tokens have all expired at `now`. */
export function expiredGenerations<Row extends Pick<SigningKeyRow, "signsFrom">>(
  generations: Row[],
  now: number,
  keptAfter: number,
): Row[] {
  return generations.filter((_, position) => {
    const successor = generations[position + 1];
    return successor !== undefined && successor.signsFrom + keptAfter < now;
  });
}

/** The state of an algorithm's keys at `now`, oldest first. */
export function describeGenerations(
  generations: Omit<SigningKeyRow, "encryptedPrivateJwk">[],
  now: number,
  keptAfter: number,
): SigningKeyAnswer[] {
  const signing = signingKeyAt(generations, now)?.generation ?? 0;
  return generations.map(({ id, algorithm, generation, createdAt, signsFrom }, position) => {
    const state = generation === signing ? "signing" : generation > signing ? "next" : "retired";
    const successor = generations[position + 1];
    const publishedUntil = state === "retired" && successor ? isoTime(successor.signsFrom + keptAfter) : null;
    return {
      kid: id,
      algorithm,
      state,
      createdAt: isoTime(createdAt),
      signsFrom: isoTime(signsFrom),
      publishedUntil,
    };
  });
}
