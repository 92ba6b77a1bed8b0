/** Authenticates clients by tokens of other issuers (RFC 7523 §3), instead of a secret. */
import { minute } from "../../../lib/clock.ts";
import { verifyIssuedToken } from "../../../lib/jose.ts";
import type { Trust } from "../../../storage/column-types.ts";
import type { Context } from "../../../runtime/context.ts";
import { assertionAlgorithms } from "../jwks.ts";
import { useAssertion } from "../store.ts";
import { keysOf } from "./issuer-keys.ts";

/**
 * The id of the trust that a token satisfies, or why it satisfies none. A token with a `jti` works
 * once in the whole service, for whatever client.
 */
export async function credentialOf(
  ctx: Context,
  trusts: readonly Trust[],
  { issuer, assertion }: { issuer: string; assertion: string },
): Promise<{ credential: string } | { reason: string }> {
  const ofIssuer = trusts.filter((trust) => trust.issuer === issuer);
  if (ofIssuer.length === 0) return { reason: "the client does not trust its issuer (iss)" };
  const token = await verified(ctx, issuer, assertion);
  if ("reason" in token) return { reason: token.reason };
  const ofSubject = ofIssuer.filter(({ subject }) => subject === token.subject);
  if (ofSubject.length === 0) return { reason: "the client does not trust its subject (sub)" };
  const trust = ofSubject.find(({ audience }) => token.audience === (audience ?? ctx.baseUrl));
  if (!trust) return { reason: "it is for another audience (aud)" };
  const { jti } = token;
  if (jti !== undefined) {
    // Kept a minute longer than it is accepted.
    const expiresAt = token.acceptedUntil + 2 * minute;
    if (!(await ctx.storage.write((tx) => useAssertion(tx, ["issuer", issuer, jti], expiresAt))))
      return { reason: "it was used before (jti)" };
  }
  return { credential: trust.id };
}

async function verified(ctx: Context, issuer: string, assertion: string) {
  const by = async (lacksKey: boolean) => {
    const keys = await keysOf(ctx, issuer, { lacksKey });
    if ("reason" in keys) return { reason: keys.reason, lacksKey: false };
    return await verifyIssuedToken(assertion, keys, { issuer, algorithms: assertionAlgorithms, now: ctx.clock() });
  };
  const token = await by(false);
  return "reason" in token && token.lacksKey ? await by(true) : token;
}
