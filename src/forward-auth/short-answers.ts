/** What programs and scripts get that may not go through. */
import { startOf } from "../applications/clients/host-addresses.ts";
import { json, type Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import type { ProtectedHost, Refusal } from "./logins.ts";

/** Marked, so that a page or a service worker can tell it from the program's own 401. */
export function notSignedIn(
  { host, proxy }: ProtectedHost,
  request: HttpRequest,
  { challenges = true }: { challenges?: boolean } = {},
): Answer {
  const signIn = startOf(host);
  const scheme = proxy.basicChallenge && isNoBrowser(request) ? "Basic" : "Bearer";
  const answer = json({ error: { code: "SIGN_IN_REQUIRED", message: "Sign in to use this program.", signIn } }, 401);
  const challenge: Record<string, string> = challenges ? { "www-authenticate": `${scheme} realm="${host}"` } : {};
  return { ...answer, headers: { ...answer.headers, "authsvc-sign-in": signIn, ...challenge } };
}

function isNoBrowser(request: HttpRequest): boolean {
  if (request.header("sec-fetch-mode") !== undefined || request.header("origin") !== undefined) return false;
  return request.header("accept")?.toLowerCase().includes("text/html") !== true;
}

const refusals: Record<Refusal, { code: string; message: string }> = {
  groups: { code: "NOT_ALLOWED", message: "This account may not use this program." },
  "second-factor": { code: "SECOND_FACTOR_REQUIRED", message: "This program needs a second factor." },
  identity: { code: "IDENTITY_MISSING", message: "This account lacks what the program knows people by" },
};

/** Signed in, and not allowed. `missing`: the source of the identity. */
export function notAllowed(refusal: Refusal, missing?: string): Answer {
  const { code, message } = refusals[refusal];
  return json({ error: { code, message: missing === undefined ? message : `${message}: ${lacked(missing)}.` } }, 403);
}

/** The client sent a header that only our answer may set. */
export function forbiddenHeader(name: string): Answer {
  const message = `Only the reverse proxy may set ${name}. Send the request without it.`;
  return json({ error: { code: "FORBIDDEN_HEADER", message } }, 403);
}

/** What an identity header rests on, in words. */
function lacked(source: string): string {
  return source === "email" ? "a proved email address" : source;
}
