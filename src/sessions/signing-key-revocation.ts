/** Revokes a signing key that may have been stolen. */
import { maxTokenSeconds } from "../applications/resources/rules.ts";
import * as applications from "../applications/service.ts";
import { accessTokenSeconds } from "../lib/token-lives.ts";
import type { Context } from "../runtime/context.ts";
import type { SigningAlgorithm } from "../storage/column-types.ts";
import type { SigningKeyAnswer } from "../tokens/signing-key-answer.ts";
import * as signingKeys from "../tokens/signing-keys.ts";
import { countLoginsWithTokens } from "./login-list-store.ts";

/**
 * `logins`: how many must refresh their access token. `mintedTokens`: how many minted tokens become
 * invalid.
 */
export type RevocationPlan = Pick<SigningKeyAnswer, "kid" | "algorithm" | "state"> & {
  logins: number;
  mintedTokens: number;
};

async function mayBeSignedWith(ctx: Context, algorithm: SigningAlgorithm, appId: string): Promise<boolean> {
  const settings = (await applications.find(ctx, ctx.storage.reader, appId))?.settings;
  return settings?.signingAlgorithm === algorithm || settings?.previousSigningAlgorithm === algorithm;
}

/** The affected logins and tokens. Changes nothing. Throws KEY_NOT_FOUND. */
export async function plan(ctx: Context, kid: string): Promise<RevocationPlan> {
  const signed = await signingKeys.signingTime(ctx, kid);
  const [key] = (await signingKeys.list(ctx)).filter((signingKey) => signingKey.kid === kid);
  const { algorithm = "ES256", state = "retired" } = key ?? {};
  const now = ctx.clock();
  const lasting = { own: accessTokenSeconds, ofResources: maxTokenSeconds };
  const counts = await countLoginsWithTokens(ctx.storage.reader, { ...signed, now, ...lasting });
  const plan = { kid, algorithm, state, logins: 0, mintedTokens: 0 };
  for (const { appId, signedInWith, count } of counts) {
    if (!(await mayBeSignedWith(ctx, algorithm, appId))) continue;
    if (signedInWith === "operator") plan.mintedTokens += count;
    else plan.logins += count;
  }
  return plan;
}
