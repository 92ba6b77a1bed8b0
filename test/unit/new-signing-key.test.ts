import { expect, it } from "vitest";
import { newSigningKey } from "../../src/tokens/new-signing-key.ts";

it("the id of a new signing key is never taken for an option of the command line", async () => {
  // One thumbprint in 64 begins with "-".
  const keys = await Promise.all(Array.from({ length: 500 }, async () => await newSigningKey("ES256", 1, 0, 0)));
  expect(keys.map(({ id }) => id).filter((id) => id.startsWith("-"))).toEqual([]);
});
