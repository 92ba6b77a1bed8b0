import { createHash } from "node:crypto";
import { clip } from "../../lib/text.ts";

/** Who signs in at a stand-in. */
export type Person = {
  name: string;
  /** As typed, in whatever form; null for somebody who shares none. */
  email: string | null;
  verified: boolean;
};

/** Good for a try without typing: one for each thing that a provider can say about an address. */
export const preparedPeople: ReadonlyMap<string, Person> = new Map([
  ["ada", { name: "Ada Lovelace", email: "ada@example.com", verified: true }],
  ["grace", { name: "Grace Hopper", email: "grace@example.com", verified: true }],
  ["alan", { name: "Alan Turing", email: "alan@example.com", verified: false }],
  ["joan", { name: "Joan Clarke", email: null, verified: false }],
]);

const mostCharacters = 300;

/** A prepared person, or the one whose facts were typed. */
export function personFrom(form: Map<string, string>): Person {
  const prepared = preparedPeople.get(form.get("person") ?? "");
  if (prepared) return prepared;
  const typed = (field: string): string => clip((form.get(field) ?? "").trim(), mostCharacters);
  return { name: typed("name"), email: typed("email") || null, verified: form.has("verified") };
}

/** The same for the same address at the same provider, also after a restart: the database remembers it. In the form that each provider uses. */
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
