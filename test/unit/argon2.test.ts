import { expect, test } from "vitest";
import { loadArgon2, nodeArgon2 } from "../../src/credentials/passwords/argon2.ts";
import { silentLog } from "../../src/lib/silent-log.ts";

const password = "pässword 🔑";
const settings = { memoryCost: 64, timeCost: 2, parallelism: 2, salt: Buffer.alloc(16, 7) };

test("Node's argon2 writes the strings of the native one", async () => {
  const native = await loadArgon2(silentLog);
  expect(native).not.toBe(nodeArgon2);
  expect(await nodeArgon2.hash(password, settings)).toBe(await native.hash(password, settings));
});

test("either verifies what the other has made, and nothing else", async () => {
  const native = await loadArgon2(silentLog);
  const stored = await native.hash(password, settings);
  for (const implementation of [native, nodeArgon2]) {
    expect(await implementation.verify(stored, password)).toBe(true);
    expect(await implementation.verify(stored, `${password} `)).toBe(false);
  }
});

test.each([
  // From the reference implementation's own tests (phc-winner-argon2, test.c), "password" and
  // "somesalt".
  ["argon2i", "$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8"],
  ["argon2id", "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"],
])("Node's verifies %s of other programs", async (_, stored) => {
  expect(await nodeArgon2.verify(stored, "password")).toBe(true);
  expect(await nodeArgon2.verify(stored, "Password")).toBe(false);
});

test("a string in another form is an error, not a wrong password", async () => {
  await expect(nodeArgon2.verify("$argon2id$v=16$m=256,t=2,p=1$c29tZXNhbHQ$nf65", "password")).rejects.toThrow(
    "unknown form",
  );
});
