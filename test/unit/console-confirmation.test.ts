import { expect, test } from "vitest";
import { isConfirmed } from "../../src/console/parts/confirmation.ts";

const named = { id: "usr_01kz0000000000000000abcdef", names: ["zoe@example.org", "Zo\u00EB  King"] };

test.each([
  ["zoe@example.org", true],
  ["  zoe@example.org ", true],
  // Composed differently, and with one blank.
  ["Zoe\u0308 King", true],
  ["Zo\u00EB\u00A0King", true],
  ["Zoe King", false],
  ["abcdef", false],
  ["", false],
])("what has a name is confirmed by it: %j", (entered, confirms) => {
  expect(isConfirmed(named, entered)).toBe(confirms);
});

test("what has no name is confirmed by the end of its id", () => {
  const nameless = { ...named, names: [null, " "] };
  expect(isConfirmed(nameless, "abcdef")).toBe(true);
  expect(isConfirmed(nameless, "")).toBe(false);
  expect(isConfirmed(nameless, named.id)).toBe(false);
});

test("a name with characters that nobody sees is confirmed as it is shown", () => {
  expect(isConfirmed({ ...named, names: ["Zo\u202Ee"] }, String.raw`Zo\u202ee`)).toBe(true);
});
