import { mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isPossibleApiKey, newApiKey } from "../../src/applications/api-keys.ts";
import { digestOf, newId, newSecret, systemRandom } from "../../src/lib/random.ts";
import { createKeyring } from "../../src/secrets/keyring.ts";
import { createMasterKey, readMasterKey } from "../../src/secrets/master-key.ts";

describe("encryption at rest", () => {
  const keyring = createKeyring(Buffer.alloc(32, 1), systemRandom);

  it("gives back what went in, and never the same text twice", () => {
    const sealed = keyring.encrypt("a private key", "signing_keys/k1");
    expect(sealed).not.toContain("private");
    expect(keyring.encrypt("a private key", "signing_keys/k1")).not.toBe(sealed);
    expect(keyring.decrypt(sealed, "signing_keys/k1")).toBe("a private key");
  });

  it("refuses another key, another row and a changed text", () => {
    const sealed = keyring.encrypt("a private key", "signing_keys/k1");
    expect(() => createKeyring(Buffer.alloc(32, 2), systemRandom).decrypt(sealed, "signing_keys/k1")).toThrow();
    expect(() => keyring.decrypt(sealed, "signing_keys/k2")).toThrow();
    expect(() => keyring.decrypt(`${sealed.slice(0, -2)}AA`, "signing_keys/k1")).toThrow();
    expect(() => keyring.decrypt("v2.AAAA", "signing_keys/k1")).toThrow();
  });

  it("keeps the parts of a MAC apart", () => {
    expect(keyring.mac("form", "ab", "c")).not.toEqual(keyring.mac("form", "a", "bc"));
    expect(keyring.mac("form", "a")).not.toEqual(keyring.mac("refresh", "a"));
  });
});

describe("the master key file", () => {
  it("is made once, readable by its owner only, and stays", () => {
    const file = join(mkdtempSync(join(tmpdir(), "authsvc-key-")), "data", "master.key");
    expect(readMasterKey(file)).toBeUndefined();
    const key = createMasterKey(file, systemRandom);
    expect(key.length).toBe(32);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(createMasterKey(file, systemRandom)).toEqual(key);
    expect(readMasterKey(file)).toEqual(key);
  });

  it("is refused when it was cut short, and not replaced", () => {
    const file = join(mkdtempSync(join(tmpdir(), "authsvc-key-")), "master.key");
    writeFileSync(file, "tooshort\n");
    expect(() => readMasterKey(file)).toThrow(/43 base64url characters/u);
    expect(() => createMasterKey(file, systemRandom)).toThrow(/43 base64url characters/u);
    expect(readFileSync(file, "utf8")).toBe("tooshort\n");
  });
});

describe("identifiers and capabilities", () => {
  it("capabilities are 256 random bits, none like another", () => {
    const secrets = Array.from({ length: 10_000 }, () => newSecret(systemRandom));
    expect(new Set(secrets).size).toBe(10_000);
    for (const secret of secrets) expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/u);
    expect(new Set(secrets.map((secret) => secret.slice(0, 3))).size).toBeGreaterThan(5000);
    expect(digestOf("a")).toBe("ypeBEsobvcr6wjGzmiPcTaeG7_gUfE5yuYB3ha_uSLs");
  });

  it("ids sort by the time at which they were made", () => {
    const ids = [1, 2, 1000, 1_700_000_000_000, 1_800_000_000_000].map((now) => newId("usr", now, systemRandom));
    expect(ids.toSorted()).toEqual(ids);
    for (const id of ids) expect(id).toMatch(/^usr_[0-9a-hjkmnp-tv-z]{26}$/u);
  });

  it("API keys carry a checksum, so that a mistyped one is refused without a look at storage", () => {
    const keys = Array.from({ length: 1000 }, () => newApiKey(systemRandom));
    expect(new Set(keys).size).toBe(1000);
    for (const key of keys) {
      expect(key).toMatch(/^ak_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/u);
      expect(isPossibleApiKey(key)).toBe(true);
      expect(isPossibleApiKey(`${key.slice(0, 10)}${key[10] === "a" ? "b" : "a"}${key.slice(11)}`)).toBe(false);
    }
    expect(isPossibleApiKey("an-operators-own-key-of-32-chars-or-more")).toBe(true);
    for (const bad of ["", "short", "with space ".repeat(5), "é".repeat(40), "a".repeat(257)])
      expect(isPossibleApiKey(bad)).toBe(false);
  });
});
