import type { Applications } from "../applications/service.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError, expired, invalidAppId } from "../lib/errors.ts";
import type { Storage } from "../storage/storage.ts";
import { claimedApp, claimedClient, type AccessTokenClaims, type AccessTokens } from "./access-tokens.ts";
import { findLiveUser } from "./login-store.ts";
import type { LiveUser } from "./login.ts";

/** The user and claims of an access token, checked in storage. */
export type Bearer = { claims: AccessTokenClaims; scopes: string[]; user: LiveUser };

export type Authentication = ReturnType<typeof createAuthentication>;

/** Who calls with an access token. */
export function createAuthentication(deps: {
  storage: Storage;
  accessTokens: AccessTokens;
  applications: Applications;
  clock: Clock;
}) {
  const { storage, accessTokens, applications, clock } = deps;

  return {
    /**
     * Authenticates an access token. Throws INVALID_TOKEN, or INVALID_APP_ID if `appId` is given
     * and is not the token's.
     */
    async authenticate(accessToken: string, appId: string | undefined): Promise<Bearer> {
      const verdict = await accessTokens.verify(accessToken);
      if ("reason" in verdict) throw invalidAccessToken(verdict.expired ? expired : verdict.reason);
      const { claims } = verdict;
      if (!applications.isSurelyUsable(claims.aud) && !(await applications.find(claims.aud)))
        throw invalidAccessToken("its application belongs to development mode");
      const user = await findLiveUser(storage.reader, { loginId: claims.sid, kid: verdict.kid, now: clock() });
      if (!user || user.id !== claims.sub) throw invalidAccessToken("its login has ended or its key was withdrawn");
      if (appId !== undefined && appId !== claims.aud) throw invalidAppId();
      return { claims, scopes: claims.scope.split(" "), user };
    },

    claimedApp,

    claimedClient,
  };
}

function invalidAccessToken(reason: string): AppError {
  return new AppError("INVALID_TOKEN", "The access token is missing or not valid.", { cause: reason });
}
