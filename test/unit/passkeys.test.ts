import { describe, expect, it } from "vitest";
import { deviceLabel } from "../../src/credentials/passkeys/device-label.ts";
import { relyingPartyId } from "../../src/applications/relying-party.ts";
import { isUsablePublicKey } from "../../src/credentials/passkeys/webauthn.ts";
import { newPasskey } from "../support/authenticator.ts";
import { cbor, type Cbor } from "../support/cbor.ts";

describe("the relying party", () => {
  it.each([
    ["auth.acme.example", "acme.example", "acme.example"],
    ["acme.example", "acme.example", "acme.example"],
    ["auth.acme.example", null, "auth.acme.example"],
    ["auth.acme.example", "other.example", "auth.acme.example"],
    ["auth.notacme.example", "acme.example", "auth.notacme.example"],
    ["acme.example", "auth.acme.example", "acme.example"],
    ["localhost", "acme.example", "localhost"],
  ])("of a service at %s for an app at %s is %s", (host, domain, id) => {
    expect(relyingPartyId(host, domain)).toBe(id);
  });
});

describe("the name of a new passkey", () => {
  it.each([
    ["fbfc3007-154e-4ecc-8c0b-6e020557d7bd", null, "Apple Passwords"],
    ["00000000-0000-0000-0000-000000000000", "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X)", "iPhone"],
    ["00000000-0000-0000-0000-000000000000", "Mozilla/5.0 (X11; Linux x86_64)", "Linux"],
    ["00000000-0000-0000-0000-000000000000", "curl/8", "Passkey"],
  ])("is told from AAGUID %s and user agent %s", (aaguid, userAgent, name) => {
    expect(deviceLabel(aaguid, userAgent)).toBe(name);
  });
});

describe("a public key", () => {
  it.each(["ES256", "EdDSA", "RS256"] as const)("for %s is usable, each time anew", async (algorithm) => {
    for (let made = 0; made < 5; made += 1)
      expect(await isUsablePublicKey(cbor(newPasskey(algorithm).cose).toString("base64url"))).toBe(true);
  });

  it.each([
    ["PS256", -37],
    ["RS384", -258],
    ["ES384", -35],
  ])("for an algorithm that was not offered, %s, is not usable", async (_name, algorithm) => {
    const key = new Map<number, Cbor>([...(newPasskey("RS256").cose as Map<number, Cbor>), [3, algorithm]]);
    expect(await isUsablePublicKey(cbor(key).toString("base64url"))).toBe(false);
  });

  // Every encoding of a point of small order, with the sign bit of x, and the ones that are not
  // reduced.
  it.each([
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000080",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  ])("for EdDSA is not usable when it is the point of small order %s", async (point) => {
    const key = new Map<number, Cbor>([
      ...(newPasskey("EdDSA").cose as Map<number, Cbor>),
      [-2, Buffer.from(point, "hex")],
    ]);
    expect(await isUsablePublicKey(cbor(key).toString("base64url"))).toBe(false);
  });
});
