import { isoTime } from "../lib/clock.ts";
import type { SigningAlgorithm } from "./jwt.ts";
import type { SigningKeyRow } from "./signing-key-store.ts";

/** A signing key as commands show it. `publishedUntil`: when a key that signs no more may leave the key set. */
export type SigningKeyAnswer = {
  kid: string;
  algorithm: SigningAlgorithm;
  state: "next" | "signing" | "retired";
  createdAt: string;
  signsFrom: string;
  publishedUntil: string | null;
};

/** The key that signs at `now`: the newest whose time has come. The first one signs at any time, or a clock set back would stop the service. */
export function signingKeyAt(generations: SigningKeyRow[], now: number): SigningKeyRow | undefined {
  return generations.findLast((row) => row.signsFrom <= now) ?? generations[0];
}

/** What each key of one algorithm is for at `now`, oldest first. */
export function describeGenerations(generations: SigningKeyRow[], now: number, keptAfter: number): SigningKeyAnswer[] {
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
