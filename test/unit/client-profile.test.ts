import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Application } from "../../src/applications/application.ts";
import { inProfile } from "../../src/applications/clients/profile.ts";
import { clientFrom, type NewClient } from "../../src/applications/clients/rules.ts";

const applicationBy = (signingAlgorithm: string) =>
  ({ id: "app_shop", settings: { scopes: ["profile"], signingAlgorithm } }) as unknown as Application;
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey.export({ format: "jwk" });

function client(changes: Partial<NewClient>, { isDevelopment = false, signedBy = "ES256" } = {}) {
  const application = applicationBy(signedBy);
  const input = { appId: "app_shop", name: "Bank", profile: "fapi2", ...changes } as const;
  return inProfile(
    clientFrom(input, application, "cli_new", () => undefined, 1),
    input,
    application,
    { isDevelopment },
  );
}

describe("a client with the profile fapi2", () => {
  it("gets all that it demands", () => {
    const demanded = { requirePkce: true, assertionAudience: "issuer", idTokenAlg: "ES256", jwks: null };
    expect(client({})).toMatchObject(demanded);
    expect(client({ idTokenAlg: "EdDSA" })).toMatchObject({ ...demanded, idTokenAlg: "EdDSA" });
    expect(client({ kind: "machine" })).toMatchObject(demanded);
  });

  it("takes http on this machine in development", () => {
    const redirectUris = ["http://localhost:3000/cb"];
    expect(client({ redirectUris }, { isDevelopment: true }).redirectUris).toEqual(redirectUris);
  });

  const refused: [title: string, changes: Partial<NewClient>, details: string][] = [
    ["in a browser", { kind: "spa" }, "profile: kind web or machine"],
    ["on a device", { kind: "native" }, "profile: kind web or machine"],
    ["without PKCE", { requirePkce: false }, "requirePkce: always on"],
    ["with assertions for endpoints", { assertionAudience: "any" }, "assertionAudience: always issuer"],
    ["with ID tokens by RS256", { idTokenAlg: "RS256" }, "idTokenAlg: ES256 or EdDSA"],
    ["with a key for RS256", { jwks: { keys: [{ ...rsa, alg: "RS256" }] } }, "jwks: no key for RS256"],
    ["with http", { redirectUris: ["https://a.example/cb", "http://localhost/cb"] }, "redirectUris[1]: https only"],
  ];
  it.each(refused)("C11: is refused %s", (_title, changes, details) => {
    expect(() => client(changes)).toThrow(
      expect.objectContaining({ code: "INVALID_REQUEST", details: expect.stringContaining(details) as string }),
    );
  });

  it("C11: is refused to an application whose access tokens are signed by RS256", () => {
    expect(() => client({}, { signedBy: "RS256" })).toThrow(
      expect.objectContaining({ details: expect.stringMatching(/^profile: .* RS256 with the profile/u) as string }),
    );
  });
});
