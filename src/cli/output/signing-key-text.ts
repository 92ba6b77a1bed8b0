import type { SigningKeyAnswer } from "../../tokens/signing-key-answer.ts";
import { timeOr } from "./screen.ts";
import type { Columns } from "./table.ts";

export const signingKeyColumns: Columns<SigningKeyAnswer> = {
  "KEY ID (kid)": ({ kid }) => kid,
  ALGORITHM: ({ algorithm }) => algorithm,
  STATE: ({ state }) => state,
  "SIGNS FROM": ({ signsFrom }, screen) => screen.time(signsFrom),
  "PUBLISHED UNTIL": ({ publishedUntil }, screen) => timeOr("-", publishedUntil, screen),
};
