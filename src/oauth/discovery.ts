import { hour, type Clock } from "../lib/clock.ts";
import { jsonObject, ProviderFailure, type ProviderFetch } from "./provider-fetch.ts";
import type { Endpoints } from "./providers.ts";

const keptFor = hour;

export type Discover = ReturnType<typeof createDiscovery>;

/** Reads an issuer's endpoints from its discovery document (OpenID Connect Discovery §4), once an hour. Only operators name issuers. */
export function createDiscovery(fetchProvider: ProviderFetch, clock: Clock) {
  const readings = new Map<string, { endpoints: Promise<Endpoints>; until: number }>();

  return async (issuer: string): Promise<Endpoints> => {
    const last = readings.get(issuer);
    if (last && clock() < last.until) return await last.endpoints;
    const reading = { endpoints: readEndpoints(issuer, fetchProvider), until: clock() + keptFor };
    readings.set(issuer, reading);
    // However many people press its button at once, an issuer is asked once; one that failed is asked again by the next.
    reading.endpoints.catch(() => readings.delete(issuer));
    return await reading.endpoints;
  };
}

async function readEndpoints(issuer: string, fetchProvider: ProviderFetch): Promise<Endpoints> {
  const document = jsonObject(await fetchProvider(`${issuer}/.well-known/openid-configuration`));
  // §4.3: a document that speaks for another issuer is not this issuer's.
  if (typeof document["issuer"] !== "string" || document["issuer"].replace(/\/$/u, "") !== issuer)
    throw new ProviderFailure("discovery names another issuer");
  return {
    authorizationUrl: address(document["authorization_endpoint"]),
    tokenUrl: address(document["token_endpoint"]),
    userinfoUrl: document["userinfo_endpoint"] === undefined ? undefined : address(document["userinfo_endpoint"]),
    jwksUrl: address(document["jwks_uri"]),
    issuer: document["issuer"],
    namesItself: document["authorization_response_iss_parameter_supported"] === true,
  };
}

function address(value: unknown): string {
  if (typeof value !== "string" || !isSafeAddress(value)) throw new ProviderFailure("discovery without an endpoint");
  return value;
}

/** Whether secrets and tokens may go there: https, or http on this machine. */
export function isSafeAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, username, password } = new URL(address);
  if (username !== "" || password !== "") return false;
  return protocol === "https:" || (protocol === "http:" && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/u.test(hostname));
}
