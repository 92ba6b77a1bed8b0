/** Signs in by address and password. */
import * as passwords from "../../credentials/passwords/service.ts";
import type { Context } from "../../runtime/context.ts";
import * as users from "../../users/service.ts";
import { lockUser } from "../../users/store.ts";
import * as failedSignIns from "../failed-sign-ins.ts";
import * as proofs from "../proofs.ts";
import type { Outcome } from "../proofs.ts";
import * as sessions from "../service.ts";
import type { SignInAttempt } from "../sign-in-attempt.ts";

/**
 * `network`: counts the attempt. `mayOffer`: a passkey may be offered afterwards. `proofOf`: proves
 * this user of the session's stored proof anew. Throws RATE_LIMITED and BUSY.
 */
export async function signIn(
  ctx: Context,
  attempt: SignInAttempt,
  typed: { email: string; password: string; network: string; mayOffer: boolean; proofOf?: string },
): Promise<Outcome | "other-browser"> {
  const { email, password, network, mayOffer, proofOf } = typed;
  // Refuses before any write if the queue is full or the network has failed too often.
  const networkAttempt = passwords.admitTry(ctx, network);
  try {
    // Claim before hashing: otherwise another browser could see when the hash is done.
    if (!(await sessions.claim(ctx, attempt.session, attempt.browserDigest))) return "other-browser";
    const tried = { email, password, browser: attempt.knownBrowser, attempt: networkAttempt };
    const proof = await passwords.prove(ctx, attempt.application, tried);
    const how = { signedInWith: "password", mayOffer, ...(proofOf !== undefined && { proofOf }) } as const;
    const outcome = await proofs.accept(ctx, attempt, how, async (tx, now) => {
      // For every address, so that all attempts take equally long.
      await lockUser(tx, proof.userId);
      return await proof.count(tx, now);
    });
    if (typeof outcome === "object") {
      await proof.renew();
      return outcome;
    }
    // In this order, so that every refusal takes as long; the user is looked up for all alike.
    await proof.refuse();
    const user = await users.findByEmail(ctx.storage.reader, attempt.application.id, email);
    await failedSignIns.recordOutcome(ctx, attempt, outcome, {
      method: "password",
      userId: user?.id ?? null,
      reason: outcome === "refused" ? proof.whyRefused() : undefined,
    });
    return outcome;
  } finally {
    networkAttempt.end();
  }
}
