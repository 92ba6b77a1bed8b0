import { minute, second, type Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { SigningAlgorithm } from "../storage/column-types.ts";
import { newTokenId } from "./access-tokens.ts";
import { signJwt } from "./jwt.ts";
import type { SigningKeys } from "./signing-keys.ts";

const logoutTokenSeconds = (2 * minute) / second;
/** OpenID Connect Back-Channel Logout 1.0 §2.4. */
const logoutEvent = "http://schemas.openid.net/event/backchannel-logout";

/** A login that has ended, and the client that signed in by it. */
export type LoginOfClient = {
  userId: string;
  loginId: string;
  client: { id: string; idTokenAlg: SigningAlgorithm };
};

/** Signs logout tokens, which tell a client that a login has ended. */
export function createLogoutTokens(deps: { keys: SigningKeys; issuer: string; clock: Clock; random: Random }) {
  const { keys, issuer, clock, random } = deps;

  return {
    async sign({ userId, loginId, client }: LoginOfClient): Promise<string> {
      const issuedAt = Math.floor(clock() / second);
      const claims = {
        iss: issuer,
        aud: client.id,
        iat: issuedAt,
        exp: issuedAt + logoutTokenSeconds,
        jti: newTokenId(random),
        events: { [logoutEvent]: {} },
        sub: userId,
        sid: loginId,
      };
      return signJwt(claims, await keys.forSigningExactly(client.idTokenAlg), "logout+jwt");
    },
  };
}
