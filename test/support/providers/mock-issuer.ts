import type { IncomingMessage } from "node:http";
import { OAuth2Server, type MutableRedirectUri, type MutableResponse, type MutableToken } from "oauth2-mock-server";
import type { ProviderInput } from "../../../src/applications/providers/provider-input.ts";
import { kinds, type Person } from "./kinds.ts";
import type { Provider } from "./provider.ts";

const clientId = "client-1";
const secret = "s3cret-of-corp";

/**
 * An OpenID Connect issuer that somebody else wrote (oauth2-mock-server), found by its discovery
 * document. It checks PKCE by itself.
 */
export async function startMockIssuer(): Promise<Provider> {
  const server = new OAuth2Server();
  await server.issuer.keys.generate("RS256");
  await server.start(0, "127.0.0.1");
  const origin = server.issuer.url ?? "";
  const complaints: string[] = [];
  const check = (what: string, right: boolean): void => {
    if (!right) complaints.push(`corp: ${what}`);
  };
  const provider: Provider = {
    name: "corp",
    displayName: "Corp",
    origin,
    complaints,
    person: { subject: "nobody" } satisfies Person,
    settings: (): ProviderInput => ({ name: "corp", clientId, secret, issuer: origin }),
    close: async () => await server.stop(),
  };
  server.service.on("beforeAuthorizeRedirect", (_redirect: MutableRedirectUri, request: IncomingMessage) => {
    const { searchParams } = new URL(request.url ?? "/", origin);
    check("state", /^[A-Za-z0-9_-]{43}$/u.test(searchParams.get("state") ?? ""));
    check("nonce", /^[A-Za-z0-9_-]{43}$/u.test(searchParams.get("nonce") ?? ""));
    check("code_challenge", /^[A-Za-z0-9_-]{43}$/u.test(searchParams.get("code_challenge") ?? ""));
    check("code_challenge_method", searchParams.get("code_challenge_method") === "S256");
    check("scope", searchParams.get("scope") === kinds.openid.scope);
    check("redirect_uri", searchParams.get("redirect_uri")?.endsWith("/oauth/corp/callback") === true);
  });
  server.service.on("beforeTokenSigning", ({ payload }: MutableToken) => {
    const { subject: sub, email, name, verified, raw } = provider.person;
    const claims = Object.entries({ sub, email, name, email_verified: verified, ...raw });
    Object.assign(payload, Object.fromEntries(claims.filter(([, value]) => value !== undefined)));
  });
  server.service.on("beforeResponse", (_response: MutableResponse, request: IncomingMessage & { body: object }) => {
    const credentials = Buffer.from(`${clientId}:${secret}`).toString("base64");
    check("the client's secret", request.headers.authorization === `Basic ${credentials}`);
    check("a secret in the body", !("client_secret" in request.body));
    check("code_verifier", "code_verifier" in request.body);
  });
  return provider;
}
