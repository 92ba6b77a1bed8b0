/** The person's consent to an OpenID Connect client's request: the last step of its sign-in. */
import * as consents from "../../applications/clients/consents.ts";
import * as clients from "../../applications/clients/service.ts";
import type { Context } from "../../runtime/context.ts";
import { lockUserForChange } from "../../users/store.ts";
import * as clientAccess from "../client-access.ts";
import * as proofs from "../proofs.ts";
import type { Outcome } from "../proofs.ts";
import { consentTo, waitsForConsent } from "../session.ts";
import type { SignInAttempt } from "../sign-in-attempt.ts";

/**
 * Stores the consent and finishes the sign-in. Undefined if no proof waits for it, or the client
 * was disabled or deleted, or may no longer ask for the resource.
 */
export async function agree(ctx: Context, attempt: SignInAttempt): Promise<Outcome | undefined> {
  const { session } = attempt;
  const { provenUserId: userId, provenWith, provenProvider } = session;
  const client = await clientAccess.clientOf(ctx, ctx.storage.reader, session);
  if (!client || userId === null || provenWith === null || !waitsForConsent(session)) return undefined;
  const how = { signedInWith: provenWith, provider: provenProvider, proofOf: userId, consented: true };
  const outcome = await proofs.accept(ctx, attempt, how, async (tx, now) => {
    const registration = await clients.lock(ctx, tx, client);
    const granted = registration && (await clientAccess.granted(tx, session, registration));
    if (!granted) return proofs.failed;
    const user = await lockUserForChange(tx, userId, now);
    if (user?.disabledAt !== null) return proofs.failed;
    // The person's own consent is what a program may have of them elsewhere, too.
    if (provenWith !== "organization")
      await consents.agree(tx, { client, userId, scopes: consentTo({ ...session, scopes: granted.scopes }) }, now);
    return proofs.proven(user);
  });
  return outcome === "refused" ? undefined : outcome;
}
