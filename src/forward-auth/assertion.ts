/** A signed statement of who it is, for a program that verifies it. */
import { LRUCache } from "lru-cache";
import { minute, second } from "../lib/clock.ts";
import { part, type Context } from "../runtime/context.ts";
import { newTokenId } from "../tokens/access-tokens.ts";
import { signJwt } from "../tokens/jwt.ts";
import * as signingKeys from "../tokens/signing-keys.ts";
import type { Person } from "./person.ts";

const lasts = minute;
const reusedFor = 30 * second;
/** With more, the answer would not fit into a proxy's buffer. */
const maxGroupsBytes = 2048;

const signed = part(() => new LRUCache<string, { token: string; at: number }>({ max: 10_000 }));

/** Reuses a statement for thirty seconds, for the same login, host and facts. */
export async function sign(ctx: Context, host: string, person: Person, now: number): Promise<string> {
  const { userId, loginId, email, emailVerified, groups, acr, claimsVersion } = person;
  const key = JSON.stringify([loginId, host, claimsVersion, email, emailVerified, acr, groups]);
  const known = signed(ctx).get(key);
  if (known && Math.abs(now - known.at) < reusedFor) return known.token;
  const issuedAt = Math.floor(now / second);
  const fits = Buffer.byteLength(JSON.stringify(groups)) <= maxGroupsBytes;
  const claims = {
    iss: ctx.baseUrl,
    aud: `https://${host}`,
    sub: userId,
    sid: loginId,
    iat: issuedAt,
    exp: issuedAt + lasts / second,
    jti: newTokenId(ctx.random),
    acr,
    groups: fits ? groups : [],
    ...(fits ? {} : { groups_omitted: groups.length }),
    email,
    email_verified: emailVerified,
  };
  const token = signJwt(claims, await signingKeys.forSigningExactly(ctx, "ES256"), "authsvc-assertion+jwt");
  signed(ctx).set(key, { token, at: now });
  return token;
}
