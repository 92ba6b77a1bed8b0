import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { decodeBase32, encodeBase32 } from "../../src/factors/base32.ts";
import { hotp, stepAt, stepOf, totpUri } from "../../src/factors/totp.ts";
import { codeAt } from "../support/factors.ts";
import { noProgram } from "../support/left-out.ts";

const secret = Buffer.from("12345678901234567890");

describe("one-time passwords", () => {
  it("are those of RFC 4226, appendix D", () => {
    const expected = [
      "755224",
      "287082",
      "359152",
      "969429",
      "338314",
      "254676",
      "287922",
      "162583",
      "399871",
      "520489",
    ];
    expect(expected.map((_, counter) => hotp(secret, counter))).toEqual(expected);
  });

  it.each([
    [59, "94287082"],
    [1_111_111_109, "07081804"],
    [1_111_111_111, "14050471"],
    [1_234_567_890, "89005924"],
    [2_000_000_000, "69279037"],
    [20_000_000_000, "65353130"],
  ])("are those of RFC 6238, appendix B, at %i seconds", (seconds, expected) => {
    expect(hotp(secret, stepAt(seconds * 1000), 8)).toBe(expected);
  });

  it("count for one step either side", () => {
    const now = 1_700_000_010_000;
    const steps = [-2, -1, 0, 1, 2].map((by) => stepOf(hotp(secret, stepAt(now) + by), secret, now));
    expect(steps).toEqual([undefined, stepAt(now) - 1, stepAt(now), stepAt(now) + 1, undefined]);
  });

  it("are those of oathtool", ({ skip }) => {
    const now = 1_700_000_010_000;
    const key = encodeBase32(secret);
    // Not a dependency of the project: `codeAt`, written apart, stands in for it elsewhere.
    const missing = noProgram("oathtool");
    skip(missing !== undefined, missing);
    const code = execFileSync("oathtool", ["--totp", "--base32", `--now=@${now / 1000}`, key], { encoding: "utf8" });
    expect(hotp(secret, stepAt(now))).toBe(code.trim());
  });

  it("are those of a generator that was written apart", () => {
    for (let step = 0; step < 1000; step += 1) {
      const at = 1_600_000_000_000 + step * 7_654_321;
      expect(hotp(secret, stepAt(at))).toBe(codeAt(encodeBase32(secret), at));
    }
  });
});

describe("base 32", () => {
  it.each([
    ["", ""],
    ["f", "MY"],
    ["fo", "MZXQ"],
    ["foo", "MZXW6"],
    ["foob", "MZXW6YQ"],
    ["fooba", "MZXW6YTB"],
    ["foobar", "MZXW6YTBOI"],
  ])("of %j is that of RFC 4648, section 10", (text, expected) => {
    expect(encodeBase32(Buffer.from(text))).toBe(expected);
    expect(Buffer.from(decodeBase32(expected) ?? []).toString()).toBe(text);
  });

  it("has no other letters", () => {
    for (const text of ["0", "1", "8", "MY!", "m"]) expect(decodeBase32(text)).toBeUndefined();
  });
});

it("an authenticator app gets the names of application and account, whatever is in them", () => {
  const uri = new URL(totpUri(secret, { issuer: "Acme: Shop & Co", account: "ada+x@example.org" }));
  expect(decodeURIComponent(uri.pathname)).toBe("/Acme  Shop & Co:ada+x@example.org");
  expect(uri.searchParams.get("issuer")).toBe("Acme  Shop & Co");
  expect(uri.searchParams.get("secret")).toBe(encodeBase32(secret));
});
