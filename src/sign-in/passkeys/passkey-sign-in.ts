/** Signs in by a passkey, alone or as the step after another proof. */
import { forgetFactorFailures } from "../../factors/store.ts";
import * as passkeys from "../../credentials/passkeys/service.ts";
import type { ProvenPasskey } from "../../credentials/passkeys/service.ts";
import * as audit from "../../records/audit/audit.ts";
import type { Context } from "../../runtime/context.ts";
import { declinePasskey, lockUser, lockUserForChange } from "../../users/store.ts";
import type { User } from "../../users/user.ts";
import * as additions from "../adding/adding.ts";
import * as failedSignIns from "../failed-sign-ins.ts";
import * as proofs from "../proofs.ts";
import type { How, Outcome } from "../proofs.ts";
import { passkeyPlaceOf, type SignInAttempt } from "../sign-in-attempt.ts";

/** `unknown`: a passkey that no application here has, for browsers to forget. */
type PasskeyRefusal = "changed" | { unknown: Awaited<ReturnType<typeof passkeys.nobodys>> };

async function accept(
  ctx: Context,
  attempt: SignInAttempt,
  proven: ProvenPasskey,
  how: Pick<How, "proofOf">,
): Promise<Outcome> {
  const { user: shown, passkey } = proven;
  const outcome = await proofs.accept(ctx, attempt, { signedInWith: "passkey", ...how }, async (tx, now) => {
    const user = await lockUser(tx, shown.id);
    if (!user) return proofs.failed;
    const noted = await passkeys.recordUse(tx, proven, now);
    if (noted === "removed") return proofs.failed;
    if (how.proofOf !== undefined) await forgetFactorFailures(tx, user.id);
    // A decreased counter means a copied authenticator or one that counts badly: recorded, not
    // refused (WebAuthn §6.1.1).
    if (noted === "copied") {
      const actor = { kind: "user", name: user.id } as const;
      const about = { appId: attempt.application.id, userId: user.id, source: attempt.source };
      const details = { methodId: passkey.id };
      await audit.record(ctx, tx, { actor, action: "passkey.counter", result: "failure", ...about, details }, now);
    }
    return proofs.proven(user);
  });
  await failedSignIns.recordOutcome(ctx, attempt, outcome, { method: "passkey", userId: shown.id });
  return outcome;
}

export async function signIn(
  ctx: Context,
  attempt: SignInAttempt,
  credential: string,
): Promise<Outcome<PasskeyRefusal>> {
  const { application } = attempt;
  const proven = await passkeys.prove(
    ctx,
    application,
    passkeyPlaceOf(attempt.session, attempt.browserDigest),
    credential,
  );
  if (typeof proven === "object") return await accept(ctx, attempt, proven, {});
  await failedSignIns.record(ctx, attempt, { method: "passkey" });
  if (proven !== "unknown") return proven === undefined ? "refused" : { refusal: proven };
  return { refusal: { unknown: await passkeys.nobodys(ctx, application, credential) } };
}

/** The required step after another proof: only a passkey of this user counts. */
export async function completeWith(
  ctx: Context,
  attempt: SignInAttempt,
  user: User,
  credential: string,
): Promise<Outcome<"unknown" | "changed">> {
  const proven = await passkeys.prove(
    ctx,
    attempt.application,
    passkeyPlaceOf(attempt.session, attempt.browserDigest),
    credential,
    user.id,
  );
  if (typeof proven === "object") return await accept(ctx, attempt, proven, { proofOf: user.id });
  await failedSignIns.record(ctx, attempt, { method: "passkey", userId: user.id });
  return proven === undefined ? "refused" : { refusal: proven };
}

/**
 * The required or offered passkey, after another proof. A refusal is no failed sign-in. A
 * conditional creation asked nobody, so it proves nothing: the password signs in.
 */
export async function create(
  ctx: Context,
  attempt: SignInAttempt,
  user: User,
  ceremony: "add" | "conditional",
  credential: string,
): Promise<Outcome<"exists">> {
  const { application, source, session } = attempt;
  // Nothing is added to an account on the word of an organization's provider.
  if (session.provenWith === "organization") return "refused";
  const made = await passkeys.proveAdded(
    ctx,
    application,
    passkeyPlaceOf(attempt.session, attempt.browserDigest),
    user,
    ceremony,
    credential,
  );
  if (!made) return "refused";
  const asked = ceremony === "add";
  const how = { signedInWith: asked ? "passkey" : "password", proofOf: user.id, isNew: asked } as const;
  return await proofs.accept<"exists">(ctx, attempt, how, async (tx, now) => {
    if (!(await lockUserForChange(tx, user.id, now))) return proofs.failed;
    const device = { userAgent: source.userAgent, lastUsedAt: asked ? now : null };
    const added = await passkeys.add(ctx, tx, user.id, made, device, now);
    if (!added) return { kind: "refused", refusal: "exists" };
    await additions.recordAdded(ctx, tx, user, { type: "passkey", provider: null, ...added }, source, now);
    return proofs.provenId(user.id);
  });
}

/** Completes the sign-in without the offered passkey; undefined without a stored proof. */
export async function decline(ctx: Context, attempt: SignInAttempt, user: User): Promise<Outcome | undefined> {
  const { provenWith, provenProvider } = attempt.session;
  if (provenWith === null) return undefined;
  const how = { signedInWith: provenWith, provider: provenProvider, proofOf: user.id };
  return await proofs.accept(ctx, attempt, how, async (tx, now) => {
    await declinePasskey(tx, user.id, now);
    return proofs.provenId(user.id);
  });
}
