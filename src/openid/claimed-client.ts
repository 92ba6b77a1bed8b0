import type { Client } from "../clients/client.ts";
import type { Clients } from "../clients/service.ts";
import { bearerCredential } from "../http/guards.ts";
import type { HttpRequest } from "../http/request.ts";

/**
 * The client that a call claims to be of, unverified. Only for deciding which pages may read the
 * answer.
 */
export function createClaimedClient(deps: {
  clients: Clients;
  /** The client that a client assertion or an access token claims to be of. */
  clientOfAssertion(assertion: string): string | undefined;
  clientOfToken(token: string): string | undefined;
}) {
  async function claimedId(request: HttpRequest): Promise<string | undefined> {
    const authorization = request.header("authorization");
    if (authorization !== undefined) {
      const [, basic] = /^basic +([A-Za-z0-9+/=]+)/iu.exec(authorization) ?? [];
      if (basic === undefined) return deps.clientOfToken(bearerCredential(request) ?? "");
      const [id = ""] = Buffer.from(basic, "base64").toString("utf8").split(":", 1);
      return decodeURIComponent(id.replaceAll("+", " "));
    }
    if (request.method !== "POST") return undefined;
    const form = await request.form();
    const token = form.get("access_token");
    if (token !== undefined) return deps.clientOfToken(token);
    return form.get("client_id") ?? deps.clientOfAssertion(form.get("client_assertion") ?? "");
  }

  return async (request: HttpRequest): Promise<Client | undefined> => {
    const id = await claimedId(request);
    return id === undefined ? undefined : (await deps.clients.find(id))?.client;
  };
}
