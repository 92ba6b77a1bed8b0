import { expect, it } from "vitest";
import { describeOnSqlite } from "../../support/service.ts";

describeOnSqlite("oidcc-config-certification-test-plan", (current) => {
  it("oidcc-discovery-endpoint-verification", async () => {
    const { url } = current();
    const response = await fetch(`${url}/.well-known/openid-configuration`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toMatch(/^application\/json/u);
    const metadata = (await response.json()) as Record<string, unknown>;
    expect(metadata["issuer"]).toBe(url);
    expect(metadata["scopes_supported"]).toContain("openid");
    expect(metadata["response_types_supported"]).toEqual(["code"]);
    expect(metadata["grant_types_supported"]).toContain("authorization_code");
    expect(metadata["subject_types_supported"]).toEqual(["public"]);
    expect(metadata["id_token_signing_alg_values_supported"]).toContain("RS256");
    expect(metadata["token_endpoint_auth_methods_supported"]).toContain("client_secret_basic");
    expect(metadata["claims_supported"]).toEqual(expect.arrayContaining(["sub", "iss", "name", "email"]));
    for (const flag of ["claims_parameter_supported", "request_parameter_supported", "request_uri_parameter_supported"])
      expect(metadata[flag], flag).toEqual(expect.any(Boolean));
    const addresses = Object.entries(metadata).filter(([name]) => /_(?:endpoint|uri)$/u.test(name));
    expect(addresses.map(([name]) => name)).toEqual(
      expect.arrayContaining(["authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri"]),
    );
    for (const [name, address] of addresses) expect(String(address), name).toMatch(new RegExp(`^${url}/`, "u"));
    const lists = Object.values(metadata).filter((value) => Array.isArray(value));
    for (const list of lists) expect(new Set(list).size).toBe(list.length);
  });
});
