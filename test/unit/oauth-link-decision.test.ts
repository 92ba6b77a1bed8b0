import { describe, expect, it } from "vitest";
import { decideLink, type LinkDecision } from "../../src/oauth/identity.ts";

type Local = "nobody" | "verified" | "unverified";
/**
 * What the provider says of the address; "unproven" is silence, and every word of Microsoft and
 * Facebook.
 */
type Word = "verified" | "unproven" | "refuted";

const words: Record<Word, { linksByEmail: boolean; emailRefuted: boolean }> = {
  verified: { linksByEmail: true, emailRefuted: false },
  unproven: { linksByEmail: false, emailRefuted: false },
  refuted: { linksByEmail: false, emailRefuted: true },
};

function decide(identityKnown: boolean, email: string | null, word: Word, local: Local): LinkDecision {
  return decideLink({
    identityKnown,
    email,
    ...words[word],
    local: local === "nobody" ? undefined : { emailVerified: local === "verified" },
  });
}

const strangers: [word: Word, local: Local, decision: LinkDecision][] = [
  ["verified", "nobody", "create"],
  ["verified", "verified", "link"],
  ["verified", "unverified", "take-over-unproven"],
  ["unproven", "nobody", "create"],
  ["unproven", "verified", "existing-method-first"],
  ["unproven", "unverified", "existing-method-first"],
  ["refuted", "nobody", "unverified-email"],
  ["refuted", "verified", "unverified-email"],
  ["refuted", "unverified", "unverified-email"],
];
const cells = strangers.map(([word, local]) => [word, local] as const);

describe("what to do with somebody who comes from a provider", () => {
  it.each(strangers)("O2: an unknown subject with a %s address, %s here: %s", (word, local, decision) => {
    expect(decide(false, "ada@example.org", word, local)).toBe(decision);
  });

  it.each(cells)("O1: a known subject signs its own user in, its address %s, %s here", (word, local) => {
    expect(decide(true, "ada@example.org", word, local)).toBe("sign-in");
    expect(decide(true, null, word, local)).toBe("sign-in");
  });

  it.each(["verified", "unproven", "refuted"] as const)("needs an address of an unknown subject (%s)", (word) => {
    expect(decide(false, null, word, "nobody")).toBe("no-email");
  });

  it("O2: links in one cell of all, and takes over in one", () => {
    const decisions = cells.map(([word, local]) => decide(false, "ada@example.org", word, local));
    expect(decisions.filter((decision) => decision === "link")).toHaveLength(1);
    expect(decisions.filter((decision) => decision === "take-over-unproven")).toHaveLength(1);
  });
});
