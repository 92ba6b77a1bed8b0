import { describe, expect, it } from "vitest";
import { deviceLabel } from "../../src/passkeys/device-label.ts";
import { relyingPartyId } from "../../src/passkeys/relying-party.ts";

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
