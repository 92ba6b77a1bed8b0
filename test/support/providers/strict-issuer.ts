import { generateKeyPairSync } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider, type Configuration } from "oidc-provider";
import { createMemoryAdapter } from "oidc-provider/lib/adapters/memory_adapter.js";
import type { ProviderInput } from "../../../src/applications/providers/provider-input.ts";
import { Visitor } from "../person.ts";

export type StrictPerson = { sub: string; email: string; email_verified: boolean; name: string };

export type StrictIssuer = {
  name: string;
  origin: string;
  settings(): ProviderInput;
  /** Errors that it saw: a strict server says what it does not like. */
  errors: string[];
  /** Signs this person in, without pages if the browser is known; where it is sent back to. */
  signIn(address: URL, person: StrictPerson, visitor?: Visitor): Promise<string>;
  /** Signs with another key from now on. */
  rotateKeys(): void;
  close(): Promise<void>;
};

const clientId = "client: with%odd+characters";
const secret = "s3cret: with%odd+characters/=&";

/**
 * The certified OpenID provider of panva as an issuer. `claims` "id-token" puts them into the
 * id_token; "userinfo" leaves them to the userinfo endpoint, as OpenID Connect Core §5.4 says of
 * the code flow.
 */
export async function startStrictIssuer(claims: "id-token" | "userinfo", callbackUrl: string): Promise<StrictIssuer> {
  const people = new Map<string, StrictPerson>();
  const errors: string[] = [];
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const newKeys = () => {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    return { keys: [{ ...privateKey.export({ format: "jwk" }), use: "sig", alg: "RS256" }] };
  };
  const configuration: Omit<Configuration, "jwks"> = {
    adapter: createMemoryAdapter(),
    clients: [{ client_id: clientId, client_secret: secret, redirect_uris: [callbackUrl] }],
    pkce: { required: () => true },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    conformIdTokenClaims: claims === "userinfo",
    features: { devInteractions: { enabled: true } },
    findAccount: (_context, sub) => {
      const person = people.get(sub);
      return person && { accountId: sub, claims: () => ({ ...person }) };
    },
  };
  function serve(): void {
    const provider = new Provider(origin, { ...configuration, jwks: newKeys() });
    for (const event of ["authorization.error", "grant.error", "userinfo.error", "server_error"] as const)
      provider.on(event, (_context: unknown, error: Error) => void errors.push(`${event}: ${error.message}`));
    server.removeAllListeners("request").on("request", provider.callback());
  }
  serve();
  return {
    name: "strict",
    origin,
    errors,
    settings: () => ({ name: "strict", clientId, secret, issuer: origin }),
    rotateKeys: serve,
    async signIn(address, person, visitor = new Visitor()) {
      people.set(person.sub, person);
      let page = await visitor.get(address.href);
      for (let step = 0; step < 12; step += 1) {
        const location = page.headers.get("location");
        if (location?.startsWith(callbackUrl) === true) return location;
        if (location !== null) page = await visitor.get(new URL(location, page.url).href);
        // Its development pages: a login with any password, then a consent.
        else {
          const fields = { prompt: promptOf(page.text), login: person.sub, password: "x" };
          page = await visitor.post(actionOf(page.text, page.url), fields);
        }
      }
      throw new Error(`oidc-provider did not finish: ${page.status} ${page.text}`);
    },
    close: async () => await closed(server),
  };
}

function actionOf(text: string, url: string): string {
  return new URL(/<form[^>]*action="([^"]+)"/u.exec(text)?.[1] ?? "", url).href;
}

function promptOf(text: string): string {
  return /name="prompt" value="([^"]+)"/u.exec(text)?.[1] ?? "";
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
