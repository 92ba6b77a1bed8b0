import { expect, it } from "vitest";
import { discover } from "../../src/credentials/identities/discovery.ts";
import { newContext, type Context } from "../../src/runtime/context.ts";
import { useService } from "../support/one-service.ts";

const issuer = "https://id.example";
const document = {
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/keys`,
  userinfo_endpoint: `${issuer}/userinfo`,
};

const current = useService();

async function discovered(change: object, of = issuer): Promise<unknown> {
  const text = JSON.stringify({ ...document, issuer: of, ...change });
  // A context of its own has read no document before.
  const ctx = newContext<Context>({ ...current().server.app.ctx, fetch: async () => new Response(text) });
  return await discover(ctx, of);
}

it("takes the endpoints of an https issuer, on other hosts, too", async () => {
  const tokenUrl = "https://token.example/";
  expect(await discovered({ token_endpoint: tokenUrl })).toMatchObject({ jwksUrl: `${issuer}/keys`, tokenUrl });
});

it.each(["authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint"])(
  "refuses an https issuer whose %s is http, on this machine as well",
  async (name) => {
    await expect(discovered({ [name]: "http://127.0.0.1:8080/" })).rejects.toThrow("http endpoint");
    await expect(discovered({ [name]: "http://id.example/" })).rejects.toThrow("returned no endpoint");
  },
);

it("takes a userinfo endpoint that is null for none", async () => {
  expect(await discovered({ userinfo_endpoint: null })).toMatchObject({ userinfoUrl: undefined });
});

it("takes http endpoints of an issuer that is itself http, on this machine", async () => {
  const local = "http://127.0.0.1:8080";
  expect(await discovered({ jwks_uri: `${local}/keys` }, local)).toMatchObject({ jwksUrl: `${local}/keys` });
});
