/** Documents of unregistered clients (draft-ietf-oauth-client-id-metadata-document). */
import { z } from "zod";
import { keyThumbprint } from "../../lib/key-thumbprint.ts";
import { digestOf } from "../../lib/random.ts";
import { redirectUriProblem } from "../../lib/redirect-uris.ts";
import { displayName, escapeUnseen } from "../../lib/text.ts";
import { DocumentProblem } from "../../records/webhooks/documents.ts";
import { targetProblem, type TargetPolicy } from "../../records/webhooks/target.ts";
import type { JwkSet } from "../clients/jwks.ts";

/** `mayBePublic`: it may authenticate without a secret or key. `keysAt`: the URL of its keys. */
export type ClientDocument = {
  name: string;
  redirectUris: string[];
  mayBePublic: boolean;
  jwks: JwkSet | null;
};

/**
 * The parsed members of a document. `keys`: its keys or their URL, unchecked; null if it has none.
 */
export type ReadDocument = Omit<ClientDocument, "jwks"> & { keys: { at: string } | { set: unknown } | null };

const maxUrlCharacters = 256;

/** Whether a client id is the URL of a document. Ids of registered clients contain no colon. */
export function isDocumentUrl(clientId: string): boolean {
  return clientId.includes(":");
}

/**
 * Why this cannot be the URL of a document; undefined if it can. `URL` resolves dot segments, also
 * percent-encoded ones, and adds a path; a URL that this changes is refused.
 */
export function documentUrlProblem(url: string, policy: TargetPolicy): string | undefined {
  if (url.length > maxUrlCharacters) return `at most ${maxUrlCharacters} characters`;
  return (
    targetProblem(url, policy) ??
    (new URL(url).href === url ? undefined : "written in its normal form, with a path and without dot segments")
  );
}

const methods = ["none", "private_key_jwt"];

const form = z.looseObject({
  client_id: z.string(),
  client_name: z.string(),
  redirect_uris: z.array(z.string()),
  token_endpoint_auth_method: z.string().optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  jwks: z.unknown().optional(),
  jwks_uri: z.string().optional(),
});

/** The document of this URL. Throws DocumentProblem. */
export function readDocument(url: string, value: unknown): ReadDocument {
  const parsed = form.safeParse(value);
  if (!parsed.success)
    throw new DocumentProblem(`${String(parsed.error.issues[0]?.path[0] ?? "it")}: missing or not valid`);
  const document = parsed.data;
  if (document.client_id !== url) throw new DocumentProblem("client_id: not the URL of the document");
  if ("client_secret" in document || "client_secret_expires_at" in document)
    throw new DocumentProblem("client_secret: nobody shares a secret with it");
  const name = displayName(escapeUnseen(document.client_name));
  if (!name) throw new DocumentProblem("client_name: 1 to 200 characters");
  const redirectUris = document.redirect_uris.filter((uri) => redirectUriProblem(uri) === undefined);
  if (redirectUris.length === 0) throw new DocumentProblem("redirect_uris: none that can be used here");
  const possible = document.token_endpoint_auth_methods_supported ?? [document.token_endpoint_auth_method ?? "none"];
  const common = methods.filter((method) => possible.includes(method));
  if (common.length === 0) throw new DocumentProblem(`token_endpoint_auth_method: must be ${methods.join(" or ")}`);
  const keys = common.includes("private_key_jwt") ? keysOf(url, document) : null;
  return { name, redirectUris: [...new Set(redirectUris)], mayBePublic: common.includes("none"), keys };
}

function keysOf(url: string, { jwks, jwks_uri: at }: z.output<typeof form>): ReadDocument["keys"] {
  if (jwks !== undefined && at === undefined) return { set: jwks };
  if (jwks !== undefined || at === undefined) throw new DocumentProblem("jwks: one of jwks and jwks_uri");
  if (!URL.canParse(at) || new URL(at).origin !== new URL(url).origin || new URL(at).href !== at)
    throw new DocumentProblem("jwks_uri: not of the host of the document");
  return { at };
}

/**
 * A digest of the parts that users consent to: another name, address or key needs a new consent.
 */
export function digestOfDocument({ name, redirectUris, mayBePublic, jwks }: ClientDocument): string {
  const keys = jwks?.keys.map(keyThumbprint).toSorted() ?? [];
  return digestOf(JSON.stringify([name, redirectUris.toSorted(), mayBePublic, keys]));
}

/** The host of a document's URL: the only part that cannot be imitated. */
export function documentHost(url: string): string {
  return new URL(url).host;
}

/** The host that people know an unregistered client by; undefined for any other client. */
export function hostOfClient(clientId: string): string | undefined {
  return isDocumentUrl(clientId) ? documentHost(clientId) : undefined;
}

const maxAges = { least: 5 * 60, most: 24 * 3600 };

/** For how many seconds an answer is fresh (RFC 9111 §5.2), within our bounds. */
export function freshSeconds(headers: { cacheControl: string; age: string; expires: string }, now: number): number {
  const { cacheControl, age, expires } = headers;
  const [, maxAge] = /(?:^|[\s,])max-age="?(\d{1,9})"?/iu.exec(cacheControl) ?? [];
  const until = Date.parse(expires);
  const says = /\bno-(?:store|cache)\b/iu.test(cacheControl)
    ? 0
    : maxAge !== undefined
      ? Number(maxAge) - (Number.parseInt(age, 10) || 0)
      : Number.isNaN(until)
        ? 0
        : Math.floor((until - now) / 1000);
  return Math.min(Math.max(says, maxAges.least), maxAges.most);
}
