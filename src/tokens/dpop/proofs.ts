/** DPoP (RFC 9449): tokens that work only with a key. `proof.ts` checks a proof. */
import type { Client } from "../../applications/clients/client.ts";
import { signatureAlgorithmsOf } from "../../applications/clients/profile.ts";
import { findClient, useAssertion } from "../../applications/clients/store.ts";
import { sourceOf, type HttpRequest } from "../../http/request.ts";
import { minute } from "../../lib/clock.ts";
import { AppError, oauthError } from "../../lib/errors.ts";
import { aggregatedEvents } from "../../records/audit/aggregated-events.ts";
import type { Context } from "../../runtime/context.ts";
import { isNonce, newNonce } from "./nonces.ts";
import { checkedProof, proofAlgorithms, proofLasts } from "./proof.ts";

/** `error`: as in `WWW-Authenticate`, and at the token endpoint. */
type Problem = { error: "invalid_dpop_proof" | "use_dpop_nonce" | "invalid_token"; reason: string };

type Prover = Pick<Client, "id" | "appId" | "dpopNonce" | "profile">;

/** The thumbprint of the key that a call's proof proves. A proof works once. */
async function provenKey(
  ctx: Context,
  request: HttpRequest,
  client: Prover,
  accessToken?: string,
): Promise<{ thumbprint: string } | Problem> {
  const url = new URL(request.path, ctx.baseUrl);
  // Not the header Host: clients call the public address.
  const called = { method: request.method, url: `${ctx.baseUrl}${url.pathname}`, accessToken };
  const call = { ...called, algorithms: signatureAlgorithmsOf(client) };
  const proof = checkedProof(request.header("dpop") ?? "", call, ctx.clock());
  if ("reason" in proof) {
    ctx.meter.dpopProof("failure");
    return { error: "invalid_dpop_proof", ...proof };
  }
  const { thumbprint, jti, issuedAt, nonce } = proof;
  if (client.dpopNonce && !isNonce(ctx, nonce)) {
    ctx.meter.dpopProof("without-nonce");
    return { error: "use_dpop_nonce", reason: "nonce: required; use the one of this answer" };
  }
  // Longer than any node accepts it.
  const expiresAt = Math.ceil(issuedAt) + proofLasts + 2 * minute;
  const isFirst = await ctx.storage.writeOne((handle) => useAssertion(handle, ["dpop", thumbprint, jti], expiresAt));
  ctx.meter.dpopProof(isFirst ? "success" : "replayed");
  if (isFirst) return { thumbprint };
  const details = { clientId: client.id };
  const event = { action: "dpop.replay", result: "failure", app: { id: client.appId }, details } as const;
  aggregatedEvents(ctx).note({ ...event, source: sourceOf(request) });
  return { error: "invalid_dpop_proof", reason: "jti: this proof was used before" };
}

function nonceFor(ctx: Context, { error }: Problem): Record<string, string> {
  return error === "use_dpop_nonce" ? { "dpop-nonce": newNonce(ctx) } : {};
}

/**
 * The thumbprint of the key that an OAuth client proves; null without a proof, or if its proofs are
 * ignored. Throws INVALID_REQUEST.
 */
export async function keyOfClient(ctx: Context, request: HttpRequest, client: Client): Promise<string | null> {
  if (client.dpop === "off" || request.header("dpop") === undefined) return null;
  const proven = await provenKey(ctx, request, client);
  if ("thumbprint" in proven) return proven.thumbprint;
  throw new AppError("INVALID_REQUEST", proven.reason, {
    oauth: proven.error,
    headers: nonceFor(ctx, proven),
  });
}

/** The same at the token endpoint. Throws INVALID_REQUEST, also if a required proof is missing. */
export async function keyForTokens(ctx: Context, request: HttpRequest, client: Client): Promise<string | null> {
  const key = await keyOfClient(ctx, request, client);
  if (key === null && client.dpop === "required")
    throw oauthError("invalid_dpop_proof", "the header DPoP is required for this client");
  return key;
}

/**
 * The user of a bound access token must prove its key; one without a key is no DPoP token.
 * `proving`: the call, if its scheme is DPoP. Throws INVALID_TOKEN.
 */
export async function requireProof(
  ctx: Context,
  proving: HttpRequest | null,
  accessToken: string,
  { cnf, client_id: id, app_id: appId }: { cnf?: { jkt: string }; client_id: string; app_id: string },
): Promise<void> {
  if (proving === null) throw refusal(ctx, { error: "invalid_token", reason: "it works only with the scheme DPoP" });
  if (!cnf) throw refusal(ctx, { error: "invalid_token", reason: "it is bound to no key, so its scheme is Bearer" });
  const client = (await findClient(ctx.storage.reader, id)) ?? { id, appId, dpopNonce: false, profile: null };
  const proven = await provenKey(ctx, proving, client, accessToken);
  if ("error" in proven) throw refusal(ctx, proven);
  if (proven.thumbprint !== cnf.jkt)
    throw refusal(ctx, { error: "invalid_token", reason: "it is bound to another key" });
}

/** RFC 9449 §7.1. */
function refusal(ctx: Context, problem: Problem): AppError {
  const { error, reason } = problem;
  const challenge = `DPoP error="${error}", error_description="${reason}", algs="${proofAlgorithms.join(" ")}"`;
  return new AppError("INVALID_TOKEN", "The access token is missing or not valid.", {
    details: `dpop: ${reason}`,
    cause: reason,
    headers: { "www-authenticate": challenge, ...nonceFor(ctx, problem) },
  });
}
