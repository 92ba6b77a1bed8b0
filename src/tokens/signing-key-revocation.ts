import type { Applications } from "../applications/service.ts";
import type { Actor } from "../audit/audit.ts";
import type { Clock } from "../lib/clock.ts";
import type { SigningAlgorithm } from "../storage/column-types.ts";
import type { Storage } from "../storage/storage.ts";
import { countLoginsWithTokens } from "./login-list-store.ts";
import { accessTokenSeconds } from "./service.ts";
import type { SigningKeyAnswer } from "./signing-key-answer.ts";
import type { SigningKeys } from "./signing-keys.ts";

/**
 * `logins`: how many must refresh their access token. `mintedTokens`: how many minted tokens become
 * invalid.
 */
export type RevocationPlan = Pick<SigningKeyAnswer, "kid" | "algorithm" | "state"> & {
  logins: number;
  mintedTokens: number;
};

/** Revokes a signing key that may have been stolen. */
export function createSigningKeyRevocation(deps: {
  storage: Storage;
  signingKeys: SigningKeys;
  applications: Applications;
  clock: Clock;
}) {
  const { storage, signingKeys, applications, clock } = deps;

  async function mayBeSignedWith(algorithm: SigningAlgorithm, appId: string): Promise<boolean> {
    const settings = (await applications.find(appId))?.settings;
    return settings?.signingAlgorithm === algorithm || settings?.previousSigningAlgorithm === algorithm;
  }

  return {
    /** The affected logins and tokens. Changes nothing. Throws KEY_NOT_FOUND. */
    async plan(kid: string): Promise<RevocationPlan> {
      const signed = await signingKeys.signingTime(kid);
      const [key] = (await signingKeys.list()).filter((known) => known.kid === kid);
      const { algorithm = "ES256", state = "retired" } = key ?? {};
      const now = clock();
      const counts = await countLoginsWithTokens(storage.reader, { ...signed, now, seconds: accessTokenSeconds });
      const plan = { kid, algorithm, state, logins: 0, mintedTokens: 0 };
      for (const { appId, signedInWith, count } of counts) {
        if (!(await mayBeSignedWith(algorithm, appId))) continue;
        if (signedInWith === "operator") plan.mintedTokens += count;
        else plan.logins += count;
      }
      return plan;
    },

    async revoke(kid: string, actor: Actor): Promise<{ replacement: string | null }> {
      return await signingKeys.revoke(kid, actor);
    },
  };
}
