import type { FirebaseParameters } from "../../credentials/passwords/foreign-hashes.ts";
import { AppError } from "../../lib/errors.ts";

/**
 * Parses the hash parameters of a Firebase project, from the text in its console ("Password hash
 * parameters") or JSON with the same names. Throws INVALID_REQUEST naming the parameter.
 */
export function firebaseParameters(text: string, flag: string): FirebaseParameters {
  const value = (name: string, form: RegExp): string => {
    const value = new RegExp(`\\b${name}"?\\s*:\\s*"?(${form.source})(?=["\\s,}]|$)`, "u").exec(text)?.[1];
    if (value === undefined)
      throw new AppError("INVALID_REQUEST", `${flag}: ${name} is missing or has the wrong format`);
    return value;
  };
  const base64 = /[A-Za-z0-9+/_-]+={0,2}/u;
  return {
    signerKey: value("base64_signer_key", base64),
    saltSeparator: value("base64_salt_separator", base64),
    rounds: Number(value("rounds", /\d{1,2}/u)),
    memCost: Number(value("mem_cost", /\d{1,2}/u)),
  };
}
