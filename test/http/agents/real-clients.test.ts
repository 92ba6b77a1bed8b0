/** What real clients do, each once somebody's bug. */
import { expect, it } from "vitest";
import {
  localDocuments,
  agentAt,
  codeOf,
  newAgentKey,
  tokensOf,
  useDocumentServer,
  withAgents,
} from "../../support/client-documents.ts";
import { post } from "../../support/openid-tokens.ts";
import { call } from "../../support/person.ts";
import { describeOnSqlite } from "../../support/service.ts";

const documents = useDocumentServer();

describeOnSqlite("real unregistered clients", localDocuments, (service) => {
  it("Claude finds the flag and `none`", async () => {
    await withAgents(service);
    service.clock.advance(2000);
    const { body } = await call(service, "GET", "/.well-known/openid-configuration", {});
    expect(body).toMatchObject({
      client_id_metadata_document_supported: true,
      token_endpoint_auth_methods_supported: expect.arrayContaining(["none"]) as string[],
    });
  });

  it("Claude on the web lists a grant that there is not here", async () => {
    const agent = agentAt(
      documents.serve({
        client_name: "Claude",
        client_uri: "https://claude.ai",
        logo_uri: "https://claude.ai/images/claude_app_icon.png",
        grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:jwt-bearer"],
        response_types: ["code"],
        redirect_uris: ["https://claude.ai/api/mcp/auth_callback", "https://claude.com/api/mcp/auth_callback"],
        token_endpoint_auth_method: "none",
      }),
      "https://claude.ai/api/mcp/auth_callback",
    );
    expect((await tokensOf(await withAgents(service), agent)).refresh_token).not.toBe("");
  });

  it("Claude Code uses any port of localhost and 127.0.0.1", async () => {
    const url = documents.serve({
      client_name: "Claude Code",
      redirect_uris: ["http://localhost/callback", "http://127.0.0.1/callback"],
      grant_types: ["authorization_code", "refresh_token"],
      token_endpoint_auth_method: "none",
    });
    const agents = await withAgents(service);
    for (const host of ["localhost:53682", "127.0.0.1:40001"])
      expect((await tokensOf(agents, agentAt(url, `http://${host}/callback`))).scope).toBe("read");
  });

  it("VS Code uses a fixed port, then a random one", async () => {
    const url = documents.serve({
      client_name: "Visual Studio Code",
      client_uri: "https://code.visualstudio.com",
      grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
      response_types: ["code"],
      redirect_uris: ["https://vscode.dev/redirect", "http://127.0.0.1/", "http://127.0.0.1:33418/"],
      token_endpoint_auth_method: "none",
      application_type: "native",
    });
    const agents = await withAgents(service);
    for (const port of [33_418, 51_234])
      expect((await tokensOf(agents, agentAt(url, `http://127.0.0.1:${port}/`))).scope).toBe("read");
  });

  it("ChatGPT has keys, and lists `none` beside them: either will do", async () => {
    const key = newAgentKey();
    const keys = documents.answer((response) => {
      response.writeHead(200, { "content-type": "application/jwk-set+json" });
      response.end(JSON.stringify({ keys: [key.jwk] }));
    });
    const url = documents.serve({
      client_name: "ChatGPT",
      client_uri: "https://chatgpt.com",
      redirect_uris: ["https://chatgpt.com/connector_platform_oauth_redirect"],
      token_endpoint_auth_method: "private_key_jwt",
      token_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
      token_endpoint_auth_signing_alg: "ES256",
      jwks_uri: keys,
    });
    const agents = await withAgents(service);
    const agent = agentAt(url, "https://chatgpt.com/connector_platform_oauth_redirect");
    expect((await tokensOf(agents, agent)).scope).toBe("read");
    const { client_id: _, ...form } = await codeOf(agents, agent);
    const signed = await post(service, "/oauth2/token", { ...form, ...(await key.assertion(service, url)) });
    expect([signed.status, signed.body["scope"]]).toEqual([200, "read"]);
  });

  it("ChatGPT reads the flag at the OAuth document alone", async () => {
    await withAgents(service);
    service.clock.advance(2000);
    const { body } = await call(service, "GET", "/.well-known/oauth-authorization-server", {});
    expect(body["client_id_metadata_document_supported"]).toBe(true);
  });

  it("many ask for a refresh token only if the metadata has its scope", async () => {
    const { body } = await call(service, "GET", "/.well-known/oauth-authorization-server", {});
    expect(body["scopes_supported"]).toContain("offline_access");
    const agent = agentAt(documents.serve());
    const without = await tokensOf(await withAgents(service), agent, { scope: "read" });
    expect(without.refresh_token).toBeUndefined();
  });

  it("one with keys alone cannot do without them", async () => {
    const key = newAgentKey();
    const url = documents.serve({ token_endpoint_auth_method: "private_key_jwt", jwks: { keys: [key.jwk] } });
    const agents = await withAgents(service);
    const { client_id: id = "", ...form } = await codeOf(agents, agentAt(url));
    const unsigned = await post(service, "/oauth2/token", { ...form, client_id: id });
    expect([unsigned.status, unsigned.body["error"]]).toEqual([401, "invalid_client"]);
    const forged = await post(service, "/oauth2/token", { ...form, ...(await newAgentKey().assertion(service, url)) });
    expect([forged.status, forged.body["error"]]).toEqual([401, "invalid_client"]);
    const signed = await post(service, "/oauth2/token", { ...form, ...(await key.assertion(service, url)) });
    expect(signed.status).toBe(200);
    const token = String(signed.body["refresh_token"]);
    const refresh = { grant_type: "refresh_token", refresh_token: token };
    expect((await post(service, "/oauth2/token", { ...refresh, client_id: id })).body["error"]).toBe("invalid_client");
    const again = await post(service, "/oauth2/token", { ...refresh, ...(await key.assertion(service, url)) });
    expect(again.status).toBe(200);
  });
});
