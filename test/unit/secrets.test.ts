import { mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isPossibleCredential, newCredential } from "../../src/lib/credentials.ts";
import { newId, newSecret, systemRandom } from "../../src/lib/random.ts";
import { macKeysAsText, macKeysFrom, MasterKey } from "../../src/secrets/key.ts";
import { createKeyring, createOpener } from "../../src/secrets/keyring.ts";
import { createMasterKey, parseMasterKeys, readMasterKeys } from "../../src/secrets/master-key.ts";
import { keyringOf } from "../support/keyring.ts";

describe("encryption at rest", () => {
  const key = new MasterKey(Buffer.alloc(32, 1), systemRandom);
  const other = new MasterKey(Buffer.alloc(32, 2), systemRandom);
  const keyring = keyringOf(1);

  it("gives back what went in, and never the same text twice", () => {
    const sealed = key.encrypt("a private key", "signing_keys/k1");
    expect(sealed).not.toContain("private");
    expect(key.encrypt("a private key", "signing_keys/k1")).not.toBe(sealed);
    expect(key.decrypt(sealed, "signing_keys/k1")).toBe("a private key");
  });

  it("refuses another key, another row and a changed text", () => {
    const sealed = key.encrypt("a private key", "signing_keys/k1");
    expect(() => other.decrypt(sealed, "signing_keys/k1")).toThrow();
    expect(() => key.decrypt(sealed, "signing_keys/k2")).toThrow();
    const changed = `${sealed.slice(0, 20)}${sealed[20] === "A" ? "B" : "A"}${sealed.slice(21)}`;
    expect(() => key.decrypt(changed, "signing_keys/k1")).toThrow();
    expect(() => key.decrypt("v2.AAAA", "signing_keys/k1")).toThrow();
  });

  it("opens what any of its keys has sealed, and learns of a new key when it meets one", () => {
    const sealed = [key, other].map((each) => each.encrypt("a private key", "signing_keys/k1"));
    const opener = createOpener([other, key]);
    for (const text of sealed) expect(opener.decrypt(text, "signing_keys/k1")).toBe("a private key");
    const found = [key];
    const learning = createKeyring({ keys: [key], reread: () => found, macKeys: key.macKeys() });
    expect(() => learning.decrypt(sealed[1] ?? "", "signing_keys/k1")).toThrow();
    found.unshift(other);
    expect(learning.decrypt(sealed[1] ?? "", "signing_keys/k1")).toBe("a private key");
    // What was read before the old key went away may still be under it.
    found.pop();
    expect(learning.decrypt(sealed[0] ?? "", "signing_keys/k1")).toBe("a private key");
  });

  it("keeps the keys of its MACs as a text", () => {
    expect(macKeysFrom(macKeysAsText(key.macKeys()))).toEqual(key.macKeys());
  });

  it("keeps the parts of a MAC apart", () => {
    expect(keyring.mac("form", "ab", "c")).not.toEqual(keyring.mac("form", "a", "bc"));
    expect(keyring.mac("form", "a")).not.toEqual(keyring.mac("refresh", "a"));
  });

  it("makes the MACs that tokens and digests out there were made with", () => {
    const mac = keyring.mac("refresh", "successor", "é", Uint8Array.from([0, 255]));
    expect(mac.toString("hex")).toBe("395dc7a81f27f32cb23ec29d77747dc9dde1e9c2ab47a07b7f805aee278f554a");
  });
});

describe("the master key file", () => {
  it("is made once, readable by its owner only, and stays", () => {
    const file = join(mkdtempSync(join(tmpdir(), "authsvc-key-")), "data", "master.key");
    expect(readMasterKeys(file)).toEqual([]);
    const [key = Buffer.alloc(0)] = createMasterKey(file, systemRandom);
    expect(key.length).toBe(32);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(createMasterKey(file, systemRandom)).toEqual([key]);
    expect(readMasterKeys(file)).toEqual([key]);
  });

  it("is refused when it was cut short, and not replaced", () => {
    const file = join(mkdtempSync(join(tmpdir(), "authsvc-key-")), "master.key");
    writeFileSync(file, "tooshort\n");
    expect(() => readMasterKeys(file)).toThrow(/43 base64url characters/u);
    expect(() => createMasterKey(file, systemRandom)).toThrow(/43 base64url characters/u);
    expect(readFileSync(file, "utf8")).toBe("tooshort\n");
  });
});

describe("several master keys", () => {
  const [first, second] = [newSecret(systemRandom), newSecret(systemRandom)];

  it("stand in lines or with spaces between them, the newest first", () => {
    for (const text of [`${first}\n${second}\n`, `${first} ${second}`, `\n${first}\r\n${second}`])
      expect(parseMasterKeys(text).map((key) => key.toString("base64url"))).toEqual([first, second]);
  });

  it("are refused when two are the same or one is none", () => {
    expect(() => parseMasterKeys(`${first}\n${first}\n`)).toThrow(/Two of the master keys are the same/u);
    expect(() => parseMasterKeys(`${first}\n${second.slice(1)}\n`)).toThrow(/43 base64url characters/u);
  });
});

describe("identifiers and capabilities", () => {
  it("ids sort by the time at which they were made", () => {
    const ids = [1, 2, 1000, 1_700_000_000_000, 1_800_000_000_000].map((now) => newId("usr", now, systemRandom));
    expect(ids.toSorted()).toEqual(ids);
    for (const id of ids) expect(id).toMatch(/^usr_[0-9a-hjkmnp-tv-z]{26}$/u);
    const random = () => Uint8Array.from([0, 1, 2, 3, 250, 251, 252, 253, 254, 255]);
    expect(newId("usr", 1_700_000_000_000, random)).toBe("usr_01hf7yat00000g40ztzfyfvzqz");
  });

  it("random bytes are of the size asked for, never the same, and their caller's own", () => {
    const sizes = Array.from({ length: 2000 }, (_, turn) => [16, 32, 10, 4096, 5000][turn % 5] ?? 0);
    const drawn = sizes.map((size) => Buffer.from(systemRandom(size)));
    expect(drawn.map(({ length }) => length)).toEqual(sizes);
    expect(new Set(drawn.map((bytes) => bytes.toString("hex"))).size).toBe(sizes.length);
    // Neither a part of a larger draw nor of one before: no ten bytes come twice.
    const starts = drawn.flatMap((bytes) => [bytes.toString("hex", 0, 10), bytes.toString("hex", bytes.length - 10)]);
    expect(new Set(starts).size).toBe(drawn.length * 2 - sizes.filter((size) => size === 10).length);
    const own = systemRandom(16);
    const before = Buffer.from(own).toString("hex");
    for (let turn = 0; turn < 1000; turn += 1) systemRandom(16);
    expect(Buffer.from(own).toString("hex")).toBe(before);
    expect(own.buffer.byteLength).toBe(16);
  });

  it("API keys carry a checksum, so that a mistyped one is refused without a look at storage", () => {
    const keys = Array.from({ length: 1000 }, () => newCredential("ak", systemRandom));
    expect(new Set(keys).size).toBe(1000);
    expect(isPossibleCredential("ak_1fJjkkpe9PiTw9KSulA8Ghct30vZz4HpdQ5c5b9cPF1_2dZ9Ea")).toBe(true);
    for (const key of keys) {
      expect(key).toMatch(/^ak_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/u);
      expect(isPossibleCredential(key)).toBe(true);
      expect(isPossibleCredential(`${key.slice(0, 10)}${key[10] === "a" ? "b" : "a"}${key.slice(11)}`)).toBe(false);
    }
    expect(isPossibleCredential("an-operators-own-key-of-32-chars-or-more")).toBe(true);
    for (const bad of ["", "short", "with space ".repeat(5), "é".repeat(40), "a".repeat(257)])
      expect(isPossibleCredential(bad)).toBe(false);
  });
});
