import type { SigningKeyAnswer } from "../../tokens/signing-key-answer.ts";
import type { Screen } from "./screen.ts";
import { table } from "./table.ts";

export function signingKeyTable(keys: SigningKeyAnswer[], screen: Screen): string {
  const rows = keys.map(({ kid, algorithm, state, signsFrom, publishedUntil }) => [
    kid,
    algorithm,
    state,
    screen.time(signsFrom),
    publishedUntil === null ? "-" : screen.time(publishedUntil),
  ]);
  return table(["KEY ID (kid)", "ALGORITHM", "STATE", "SIGNS FROM", "PUBLISHED UNTIL"], rows, screen);
}
