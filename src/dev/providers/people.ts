import { createHash } from "node:crypto";
import { clip } from "../../lib/text.ts";

/** A person signing in at a stand-in. */
export type Person = {
  name: string;
  /** As typed, in any form; null for a person who shares no address. */
  email: string | null;
  verified: boolean;
};

/** For trying without typing: one for each statement that a provider can make about an address. */
export const preparedPeople: ReadonlyMap<string, Person> = new Map([
  ["ada", { name: "Ada Lovelace", email: "ada@example.com", verified: true }],
  ["grace", { name: "Grace Hopper", email: "grace@example.com", verified: true }],
  ["alan", { name: "Alan Turing", email: "alan@example.com", verified: false }],
  ["joan", { name: "Joan Clarke", email: null, verified: false }],
]);

const maxCharacters = 300;

/** A prepared person, or one with the typed data. */
export function personFrom(form: Map<string, string>): Person {
  const prepared = preparedPeople.get(form.get("person") ?? "");
  if (prepared) return prepared;
  const typed = (field: string): string => clip((form.get(field) ?? "").trim(), maxCharacters);
  return { name: typed("name"), email: typed("email") || null, verified: form.has("verified") };
}

/**
 * The same for the same address and provider, also after a restart, because the database stores it.
 * In each provider's format.
 */
export function subjectOf(provider: string, { name, email }: Person): string {
  const digest = createHash("sha256")
    .update(`${provider}\n${(email ?? name).toLowerCase()}`)
    .digest();
  const digits = (count: number): string => {
    const number = BigInt(`0x${digest.toString("hex")}`) % 10n ** BigInt(count - 1);
    return `1${number.toString().padStart(count - 1, "0")}`;
  };
  switch (provider) {
    case "google":
      return digits(21);
    case "github":
      return digits(12);
    case "discord":
      return digits(18);
    case "facebook":
      return digits(16);
    case "apple":
      return `001234.${digest.toString("hex", 0, 16)}.0123`;
    default:
      return digest.toString("base64url");
  }
}
