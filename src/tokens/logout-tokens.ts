/** Signs logout tokens, which tell a client that a login has ended. */
import { minute, second } from "../lib/clock.ts";
import type { Context } from "../runtime/context.ts";
import type { SigningAlgorithm } from "../storage/column-types.ts";
import { newTokenId } from "./access-tokens.ts";
import { signJwt } from "./jwt.ts";
import * as signingKeys from "./signing-keys.ts";

const logoutTokenSeconds = (2 * minute) / second;
/** OpenID Connect Back-Channel Logout 1.0 §2.4. */
const logoutEvent = "http://schemas.openid.net/event/backchannel-logout";

/** A login that has ended, and the client that signed in by it. */
export type LoginOfClient = {
  userId: string;
  loginId: string;
  client: { id: string; idTokenAlg: SigningAlgorithm };
};

export async function sign(ctx: Context, { userId, loginId, client }: LoginOfClient): Promise<string> {
  const issuedAt = Math.floor(ctx.clock() / second);
  const claims = {
    iss: ctx.baseUrl,
    aud: client.id,
    iat: issuedAt,
    exp: issuedAt + logoutTokenSeconds,
    jti: newTokenId(ctx.random),
    events: { [logoutEvent]: {} },
    sub: userId,
    sid: loginId,
  };
  return signJwt(claims, await signingKeys.forSigningExactly(ctx, client.idTokenAlg), "logout+jwt");
}
