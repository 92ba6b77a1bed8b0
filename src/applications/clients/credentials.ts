import { invalidClient, invalidRequest } from "../../lib/errors.ts";
import { isStorable } from "../../lib/text.ts";

/** The client authentication methods of OpenID Connect Core 1.0 §9, and tokens of other issuers. */
export type ClientAuthenticationMethod = ClientCredentials["method"];

/** The presented credentials of a call, unverified. */
export type ClientCredentials = { clientId: string } & (
  | { method: "client_secret_basic" | "client_secret_post"; secret: string }
  | { method: "private_key_jwt"; assertion: string }
  /** A token of another issuer, which the client trusts. */
  | { method: "issuer_jwt"; assertion: string; issuer: string }
  | { method: "none" }
);

type ClaimsOf = (assertion: string) => { issuer: string | undefined; subject: string } | undefined;

const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const basicScheme = /^basic +(?<credentials>[A-Za-z0-9+/]+={0,2}) *$/iu;

/**
 * The credentials of a call. Throws INVALID_REQUEST if it uses several methods (RFC 6749 §2.3), and
 * INVALID_CLIENT without usable ones. `claimsOf` reads an assertion, unverified.
 */
export function clientCredentials(
  authorization: string | undefined,
  form: ReadonlyMap<string, string>,
  claimsOf: ClaimsOf,
): ClientCredentials {
  // RFC 6749 §3.2: a parameter without a value is treated as omitted.
  const field = (name: string): string | undefined => (form.get(name) === "" ? undefined : form.get(name));
  const [secret, assertion] = [field("client_secret"), field("client_assertion")];
  const hasAssertion = assertion !== undefined || field("client_assertion_type") !== undefined;
  const methods = [authorization !== undefined, secret !== undefined, hasAssertion].filter(Boolean).length;
  if (methods > 1) throw invalidRequest("client authentication", "use only one method");
  const presented =
    authorization === undefined
      ? hasAssertion
        ? asserted(assertion, field("client_assertion_type"), field("client_id"), claimsOf)
        : fromBody(field("client_id"), secret)
      : basicCredentials(authorization);
  // Percent-encoding and JWTs can hide characters that are invalid in a form.
  if (!isStorable(presented.clientId)) throw invalidClient("unknown client id");
  const clientId = field("client_id");
  if (clientId !== undefined && clientId !== presented.clientId)
    throw invalidRequest("client_id", "does not match the client that authenticates");
  return presented;
}

function fromBody(clientId: string | undefined, secret: string | undefined): ClientCredentials {
  if (clientId === undefined) throw invalidClient("no client id was sent");
  return secret === undefined ? { clientId, method: "none" } : { clientId, method: "client_secret_post", secret };
}

function asserted(
  assertion: string | undefined,
  type: string | undefined,
  named: string | undefined,
  claimsOf: ClaimsOf,
): ClientCredentials {
  const claims = assertion === undefined ? undefined : claimsOf(assertion);
  if (assertion === undefined || claims === undefined || type !== assertionType)
    throw invalidClient("the assertion is not a JWT, or has the wrong type");
  const { issuer, subject } = claims;
  // In a client's own assertion, issuer and subject are the client (RFC 7523 §3); another issuer
  // may not know it.
  if (named === undefined || issuer === undefined || issuer === subject)
    return { clientId: subject, method: "private_key_jwt", assertion };
  return { clientId: named, method: "issuer_jwt", assertion, issuer };
}

/** RFC 6749 §2.3.1: id and secret are form-urlencoded before they are joined and encoded. */
function basicCredentials(authorization: string): ClientCredentials {
  const encoded = basicScheme.exec(authorization)?.groups?.["credentials"];
  if (encoded === undefined) throw invalidClient("the header is not Basic");
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  const clientId = formDecoded(text.slice(0, Math.max(colon, 0)));
  const secret = formDecoded(text.slice(colon + 1));
  if (colon === -1 || !clientId || secret === undefined) throw invalidClient("the header lacks the id or the secret");
  // Libraries send a client without a secret like this.
  return secret === "" ? { clientId, method: "none" } : { clientId, method: "client_secret_basic", secret };
}

function formDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}
