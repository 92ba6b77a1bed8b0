import { generateKeyPairSync } from "node:crypto";
import { importJWK, jwtVerify, SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import type { SigningAlgorithm } from "../../src/storage/column-types.ts";
import { importPrivateKey, importPublicKey, parseJwt, signatureProblem, signJwt } from "../../src/tokens/jwt.ts";

const pairs = {
  ES256: generateKeyPairSync("ec", { namedCurve: "P-256" }),
  EdDSA: generateKeyPairSync("ed25519"),
  RS256: generateKeyPairSync("rsa", { modulusLength: 2048 }),
};
const claims = { iss: "http://localhost", sub: "usr_1", exp: 4_000_000_000 };

function problem(token: string, algorithm: SigningAlgorithm): string | undefined {
  const publicKey = importPublicKey(pairs[algorithm].publicKey.export({ format: "jwk" }));
  const parsed = parseJwt(token);
  return parsed
    ? signatureProblem(parsed, (kid) => (kid === "k1" ? { id: "k1", algorithm, publicKey } : undefined), "at+jwt")
    : "not a JWT";
}

it("a token of more than 8192 characters is not parsed", () => {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const ofLength = (length: number): string => {
    const head = `${part({ alg: "ES256" })}.${part({})}.`;
    return head + "A".repeat(length - head.length);
  };
  expect(parseJwt(ofLength(8192))).toBeDefined();
  expect(parseJwt(ofLength(8196))).toBeUndefined();
});

describe.each(["ES256", "EdDSA", "RS256"] as const)("JWTs signed with %s", (algorithm) => {
  const privateJwk = pairs[algorithm].privateKey.export({ format: "jwk" });
  const sign = (): string =>
    signJwt(claims, { id: "k1", algorithm, privateKey: importPrivateKey(privateJwk) }, "at+jwt");

  it("verify in jose", async () => {
    const publicKey = await importJWK(pairs[algorithm].publicKey.export({ format: "jwk" }), algorithm);
    const { payload, protectedHeader } = await jwtVerify(sign(), publicKey, { algorithms: [algorithm], typ: "at+jwt" });
    expect(payload).toEqual(claims);
    expect(protectedHeader).toEqual({ alg: algorithm, typ: "at+jwt", kid: "k1" });
  });

  it("are accepted when jose made them", async () => {
    const privateKey = await importJWK(privateJwk, algorithm);
    const token = await new SignJWT(claims)
      .setProtectedHeader({ alg: algorithm, typ: "at+jwt", kid: "k1" })
      .sign(privateKey);
    expect(problem(token, algorithm)).toBeUndefined();
    expect(parseJwt(token)?.claims).toEqual(claims);
  });

  it("are refused when jose made them for another purpose, key or extension", async () => {
    const privateKey = await importJWK(privateJwk, algorithm);
    const header = { alg: algorithm, typ: "at+jwt", kid: "k1" };
    const made = async (changes: object) =>
      await new SignJWT(claims).setProtectedHeader({ ...header, ...changes }).sign(privateKey);
    expect(problem(await made({ typ: "JWT" }), algorithm)).toContain("typ");
    expect(problem(await made({ kid: "k2" }), algorithm)).toContain("kid");
    expect(problem(await made({ kid: undefined }), algorithm)).toContain("kid");
  });

  it("are refused when any single character changes", () => {
    const token = sign();
    for (let position = 0; position < token.length; position += 1) {
      const changed = token.slice(0, position) + (token[position] === "A" ? "B" : "A") + token.slice(position + 1);
      expect(problem(changed, algorithm), `position ${position}`).toBeDefined();
    }
  });
});

describe("hostile JWTs", () => {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signature = Buffer.alloc(64).toString("base64url");

  it.each(["none", "None", "NONE", "nOnE", "HS256", "ES384", "", null, 256])("are refused with alg %s", (alg) => {
    expect(problem(`${part({ alg, typ: "at+jwt", kid: "k1" })}.${part(claims)}.${signature}`, "ES256")).toContain(
      "alg",
    );
    expect(problem(`${part({ alg, typ: "at+jwt", kid: "k1" })}.${part(claims)}.`, "ES256")).toBe("not a JWT");
  });

  it("are refused with the all-zero ECDSA signature (r = s = 0)", () => {
    expect(problem(`${part({ alg: "ES256", typ: "at+jwt", kid: "k1" })}.${part(claims)}.${signature}`, "ES256")).toBe(
      "its signature is invalid",
    );
  });

  it("cost nothing when they are not JWTs", () => {
    for (const text of [
      "",
      ".",
      "..",
      "a.b.c",
      ".".repeat(100_000),
      "A".repeat(1_000_000),
      `${part([])}.${part(claims)}.${signature}`,
      "é.é.é",
    ]) {
      // Of the processor: what else the machine does is not in it.
      const before = process.cpuUsage();
      expect(parseJwt(text)).toBeUndefined();
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1000).toBeLessThan(50);
    }
  });

  it("are refused in a second spelling of the same bytes", () => {
    const [header = "", payload = "", last = ""] = signJwt(
      claims,
      {
        id: "k1",
        algorithm: "ES256",
        privateKey: pairs.ES256.privateKey,
      },
      "at+jwt",
    ).split(".");
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    // 64 bytes leave four unused bits in the last character: 15 other characters decode to the same
    // bytes.
    const spelling = alphabet[(alphabet.indexOf(last.at(-1) ?? "") & 0b110000) | 0b000001] ?? "";
    const other = `${header}.${payload}.${last.slice(0, -1)}${spelling}`;
    expect(Buffer.from(last.slice(0, -1) + spelling, "base64url")).toEqual(Buffer.from(last, "base64url"));
    expect(problem(other, "ES256")).toBe("not a JWT");
  });
});
