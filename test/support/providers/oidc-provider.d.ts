/** What these tests use of oidc-provider, which comes without types. */
declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  export type Account = { accountId: string; claims(): Record<string, unknown> };

  export type Configuration = {
    clients: { client_id: string; client_secret: string; redirect_uris: string[] }[];
    pkce: { required(): boolean };
    claims: Record<string, string[]>;
    conformIdTokenClaims: boolean;
    jwks: { keys: object[] };
    adapter: object;
    features: { devInteractions: { enabled: boolean } };
    findAccount(context: unknown, subject: string): Account | undefined;
  };

  export class Provider {
    constructor(issuer: string, configuration: Configuration);
    on(event: string, listener: (context: unknown, error: Error) => void): this;
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
  }
}

declare module "oidc-provider/lib/adapters/memory_adapter.js" {
  export function createMemoryAdapter(): object;
}
