/** The step after a first proof: the user's second factor, or setting one up. */
import { proofIsFresh } from "../../factors/assurance.ts";
import * as factors from "../../factors/service.ts";
import type { TryRefusal } from "../../factors/service.ts";
import { findSecondFactor } from "../../factors/store.ts";
import { typedFactor } from "../../factors/typed-factor.ts";
import * as passkeys from "../../credentials/passkeys/service.ts";
import * as factorFailures from "../../companies/factor-failures.ts";
import * as factorFailureStore from "../../companies/factor-failure-store.ts";
import { isOver } from "../../lib/clock.ts";
import { isConfined } from "../../organizations/provider/provider.ts";
import type { Context } from "../../runtime/context.ts";
import { lockUser, lockUserForChange } from "../../users/store.ts";
import type { User } from "../../users/user.ts";
import * as failedSignIns from "../failed-sign-ins.ts";
import * as proofs from "../proofs.ts";
import type { How, Outcome } from "../proofs.ts";
import { organizationOf, type SignInSession } from "../session.ts";
import type { SignInAttempt } from "../sign-in-attempt.ts";
import * as trustedBrowsers from "./trusted-browsers.ts";

/** `factor-malformed`: it cannot be a code, so it was not counted. */
export type FactorRefusal = TryRefusal | { kind: "factor-malformed" | "factor-wrong" };

/** The stored first proof, which the second one completes. Undefined without one. */
function howOf({ session }: SignInAttempt, user: User): Pick<How, "signedInWith" | "provider" | "proofOf"> | undefined {
  const { provenWith, provenProvider } = session;
  return provenWith === null ? undefined : { signedInWith: provenWith, provider: provenProvider, proofOf: user.id };
}

/** The organization whose provider alone was proved; null: something of their own was. */
function confinedTo({ session }: SignInAttempt): string | null {
  return session.provenWith === "organization" ? organizationOf(session) : null;
}

/** `trusts`: the digest of a new cookie, if the person wants not to be asked in this browser. */
export async function byCode(
  ctx: Context,
  attempt: SignInAttempt,
  user: User,
  { code, trusts }: { code: string; trusts: string | undefined },
): Promise<Outcome<FactorRefusal>> {
  const how = howOf(attempt, user);
  if (!how) return "over";
  const typed = typedFactor(code);
  if (!typed) return { refusal: { kind: "factor-malformed" } };
  // Who runs a company's provider guesses in its own count, and changes nothing of the account.
  const confined = confinedTo(attempt);
  if (confined !== null && typed.kind === "recovery-code") return { refusal: { kind: "factor-malformed" } };
  const place = confined !== null && { organizationId: confined, userId: user.id };
  const refusal = place ? await factorFailures.countTry(ctx, place) : await factors.countTry(ctx, user.id);
  if (refusal) return { refusal };
  const seesCodes = typed.kind === "recovery-code";
  const outcome = await proofs.accept<FactorRefusal>(
    ctx,
    attempt,
    { ...how, secondFactor: typed.kind, seesCodes },
    async (tx, now) => {
      const locked = await lockUser(tx, user.id);
      if (locked?.disabledAt !== null) return proofs.failed;
      const by = { actor: { kind: "user", name: user.id }, source: attempt.source } as const;
      if (!(await factors.verify(ctx, tx, { user: locked, by }, typed, now)))
        return { kind: "refused", refusal: { kind: "factor-wrong" } };
      if (place) await factorFailureStore.forget(tx, place);
      else if (trusts !== undefined)
        await trustedBrowsers.trust(ctx, tx, { user: locked, attempt, cookie: trusts }, now);
      return proofs.proven(locked);
    },
  );
  if (typeof outcome === "object" && "refusal" in outcome)
    await failedSignIns.record(ctx, attempt, { method: how.signedInWith, userId: user.id, factor: typed.kind });
  return outcome;
}

/**
 * Whether this sign-in may replace the app: a recovery code was used when a code of the app was
 * due, so the app may be lost. Not after single sign-on, whose first proof is older.
 */
export async function mayReplace(
  ctx: Context,
  { secondFactor, provenAt, provenWith }: Pick<SignInSession, "secondFactor" | "provenAt" | "provenWith">,
  user: User,
): Promise<boolean> {
  const now = ctx.clock();
  if (provenWith === "organization" || secondFactor !== "recovery-code") return false;
  if (isOver((provenAt ?? 0) + proofIsFresh, proofIsFresh, now)) return false;
  const factor = await findSecondFactor(ctx.storage.reader, user.id);
  return factor !== undefined && factors.isCheckDue(factor, now);
}

/** The secret to set up; `again`: of a form that is shown again. */
export async function setUp(
  ctx: Context,
  { application }: Pick<SignInAttempt, "application">,
  user: User,
  again?: string,
): Promise<factors.SetUp> {
  return await factors.setUp(ctx, ctx.storage.reader, { user, application }, again);
}

/** The recovery codes are shown once, beside the outcome. `replaces`: as `mayReplace` says. */
export async function confirmSetUp(
  ctx: Context,
  attempt: SignInAttempt,
  user: User,
  { sealed, code, replaces }: { sealed: string; code: string; replaces: boolean },
): Promise<{ outcome: Outcome<"wrong" | "over">; codes: string[] }> {
  const how = howOf(attempt, user);
  // Nothing is added to an account on the word of an organization's provider.
  if (!how || isConfined(how)) return { outcome: "over", codes: [] };
  let codes: string[] = [];
  const outcome = await proofs.accept<"wrong" | "over">(
    ctx,
    attempt,
    // With a replaced app, the recovery code stays the second factor of this sign-in.
    { ...how, ...(replaces ? {} : { secondFactor: "new-totp" }), seesCodes: true },
    async (tx, now) => {
      const locked = await lockUserForChange(tx, user.id, now);
      if (locked?.disabledAt !== null) return proofs.failed;
      // Ask for a passkey that was added since the page was shown.
      if (!replaces && attempt.application.authMethods.passkey.enabled && (await passkeys.hasAny(tx, user.id)))
        return { kind: "refused", refusal: "over" };
      const by = { actor: { kind: "user", name: user.id }, source: attempt.source } as const;
      const keeps = { session: attempt.session.digest };
      const made = await factors.confirmSetUp(ctx, tx, { user: locked, by }, { sealed, code, keeps }, now);
      if (typeof made === "string") return { kind: "refused", refusal: made };
      codes = made;
      return proofs.proven(locked);
    },
  );
  return { outcome, codes };
}

/** Continues after the page about recovery codes. */
export async function goOn(ctx: Context, attempt: SignInAttempt, user: User): Promise<Outcome> {
  const how = howOf(attempt, user);
  if (!how) return "over";
  return await proofs.accept(ctx, attempt, how, async (tx) => {
    const locked = await lockUser(tx, user.id);
    return locked?.disabledAt === null ? proofs.proven(locked) : proofs.failed;
  });
}
