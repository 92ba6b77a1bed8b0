import { describe, expect, it } from "vitest";
import { systemRandom } from "../../src/lib/random.ts";
import { keyringOf } from "../support/keyring.ts";
import {
  firstRefreshToken,
  formatRefreshToken,
  parseRefreshToken,
  refreshDigest,
  successorOf,
} from "../../src/tokens/refresh-tokens.ts";

const keyring = keyringOf(1);
const otherKeyring = keyringOf(2);

describe("refresh tokens", () => {
  it("come back from their text", () => {
    const token = firstRefreshToken("lgn_01", systemRandom);
    expect(parseRefreshToken(formatRefreshToken(token, keyring), keyring)).toEqual(token);
  });

  it("have one successor, which only the holder of the master key can compute", () => {
    const token = firstRefreshToken("lgn_01", systemRandom);
    expect(successorOf(token, keyring)).toEqual(successorOf(token, keyring));
    expect(successorOf(token, keyring).secret).not.toEqual(successorOf(token, otherKeyring).secret);
    expect(successorOf(token, keyring).secret).not.toEqual(token.secret);
    expect(successorOf(token, keyring).generation).toBe(1);
  });

  it("are told from invented ones without reading storage", () => {
    const text = formatRefreshToken(firstRefreshToken("lgn_01", systemRandom), keyring);
    expect(parseRefreshToken(text, otherKeyring)).toBeUndefined();
    for (let position = 0; position < text.length; position += 1) {
      const changed = text.slice(0, position) + (text[position] === "A" ? "B" : "A") + text.slice(position + 1);
      expect(parseRefreshToken(changed, keyring), `position ${position}`).toBeUndefined();
    }
    for (const garbage of [
      "",
      "a",
      "A".repeat(100),
      "A".repeat(10_000),
      `${text}A`,
      text.slice(0, -1),
      ` ${text}`,
      `${text}=`,
    ]) {
      expect(parseRefreshToken(garbage, keyring)).toBeUndefined();
    }
  });

  it("have digests that differ by login, generation and secret", () => {
    const token = firstRefreshToken("lgn_01", systemRandom);
    const digests = [
      token,
      { ...token, loginId: "lgn_02" },
      { ...token, generation: 1 },
      { ...token, secret: Buffer.alloc(32) },
    ].map(refreshDigest);
    expect(new Set(digests).size).toBe(4);
  });
});
