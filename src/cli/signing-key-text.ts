import type { SigningKeyAnswer } from "../tokens/signing-key-line.ts";
import { table } from "./text.ts";

export function signingKeyTable(keys: SigningKeyAnswer[], emphasise: (text: string) => string): string {
  const rows = keys.map(({ kid, algorithm, state, signsFrom, publishedUntil }) => [
    kid,
    algorithm,
    state,
    signsFrom,
    publishedUntil ?? "-",
  ]);
  return table(["KEY ID (kid)", "ALGORITHM", "STATE", "SIGNS FROM", "PUBLISHED UNTIL"], rows, emphasise);
}
