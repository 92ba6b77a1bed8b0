/** From a provider's identity to a user of an application (docs/spec/decisions.md, 9). */
import type { Application } from "../../applications/application.ts";
import { providerDisplayName } from "../../applications/providers/providers.ts";
import { needsProof } from "../../applications/sign-up/rules.ts";
import * as signUpRules from "../../applications/sign-up/service.ts";
import { newEmail } from "../../lib/email.ts";
import { newId } from "../../lib/random.ts";
import type { RequestSource } from "../../lib/request-source.ts";
import * as companies from "../../organizations/provider/companies.ts";
import * as audit from "../../records/audit/audit.ts";
import * as events from "../../records/webhooks/events.ts";
import type { Context } from "../../runtime/context.ts";
import type { Handle } from "../../storage/storage.ts";
import * as users from "../../users/service.ts";
import { lockUser, lockUserForChange } from "../../users/store.ts";
import { mayProve, type User } from "../../users/user.ts";
import { hasFactor } from "../../factors/service.ts";
import * as notices from "../mailed/notices.ts";
import * as firstProof from "./first-proof.ts";
import { findIdentity, insertIdentity, recordIdentityUse } from "./identity-store.ts";
import { decideLink, type KnownIdentity, type LinkDecision } from "./identity.ts";

/**
 * Why a valid identity signed nobody in. `agree-first`: the person must agree to what the first
 * proof of the address removes (`takeOver`). `proof-first`: a mail must prove the address, and then
 * creates the account. `email-refused`: by the sign-up rules.
 */
export type LinkRefusal =
  | "agree-first"
  | "existing-method-first"
  | "no-email"
  | "unsupported-email"
  | "unverified-email"
  | "sign-up-closed"
  | "email-refused"
  | "proof-first"
  | "refused";

/**
 * `existingUserId`: the owner of the address, who can link the identity by another sign-in method.
 */
export type Refusal = { refusal: LinkRefusal; existingUserId?: string | undefined };

type ProviderSignIn = {
  application: Application;
  provider: string;
  identity: KnownIdentity;
  source: RequestSource;
  signUpOpen: boolean;
};

type Linked = Pick<ProviderSignIn, "provider" | "source"> & {
  application: Pick<Application, "id">;
  identity: Pick<KnownIdentity, "issuer" | "subject" | "email">;
};

async function link(
  ctx: Context,
  tx: Handle,
  { application, provider, identity, source }: Linked,
  user: User,
  how: LinkDecision,
  now: number,
): Promise<boolean> {
  const { issuer, subject, email } = identity;
  const id = newId("mth", now, ctx.random);
  const row = {
    id,
    appId: application.id,
    userId: user.id,
    provider,
    issuer,
    subject,
    email,
    createdAt: now,
    lastUsedAt: now,
  };
  if (!(await insertIdentity(tx, row))) return false;
  const actor = { kind: "user", name: user.id } as const;
  const details = { method: "oauth", provider, methodId: id, how };
  await audit.record(
    ctx,
    tx,
    {
      actor,
      action: "method.added",
      result: "success",
      appId: application.id,
      userId: user.id,
      source,
      details,
    },
    now,
  );
  // A new user's first method is part of `user.created`.
  if (how !== "create") {
    const about = {
      appId: application.id,
      userId: user.id,
      authMethod: "oauth",
      source,
      sessionId: null,
    } as const;
    await events.record(ctx, tx, { kind: "method.added", ...about }, now);
    await notices.methodAdded(ctx, tx, { user, source }, { type: "oauth", name: providerDisplayName(provider) }, now);
  }
  return true;
}

/** The first method of a user who was just created. False if the identity is somebody's. */
export async function linkNew(ctx: Context, tx: Handle, linked: Linked, user: User, now: number): Promise<boolean> {
  return await link(ctx, tx, linked, user, "create", now);
}

/**
 * Links to the account with the identity's verified address. Unproven methods are removed first.
 */
async function linkTo(
  ctx: Context,
  tx: Handle,
  linked: Linked,
  how: { userId: string; decision: "link" | "take-over-unproven"; hasAgreed: boolean },
  now: number,
): Promise<"linked" | "agree-first" | "existing-method-first" | "refused"> {
  const { userId, decision, hasAgreed } = how;
  // Lock and reread the user, so that concurrent additions and proofs come before or after this.
  const user = await lockUserForChange(tx, userId, now);
  const { source } = linked;
  const { email } = linked.identity;
  if (!user || user.disabledAt !== null || email === null || user.email !== email) return "refused";
  // Nothing is added to an account before its second factor is proven, so the identity waits.
  if (user.emailVerified && (await hasFactor(tx, userId))) return "existing-method-first";
  if (!user.emailVerified) {
    if (decision === "link") return "refused";
    if (!hasAgreed && (await firstProof.unprovenOf(ctx, tx, userId))) return "agree-first";
    await firstProof.removeUnproven(ctx, tx, user, { by: "linking", source }, now);
    if (!(await users.verifyEmail(ctx, tx, user, email, source, now))) return "refused";
  }
  return (await link(ctx, tx, linked, { ...user, emailVerified: true }, decision, now)) ? "linked" : "refused";
}

/**
 * Adds an identity to an account, which gets its name if it had none. A linked identity never
 * moves to another account, even if its owner is signed in there.
 */
export async function addTo(
  ctx: Context,
  tx: Handle,
  userId: string,
  {
    application,
    provider,
    identity,
  }: Pick<ProviderSignIn, "application" | "provider"> & {
    identity: Pick<KnownIdentity, "issuer" | "subject" | "email"> & { name: string | null };
  },
  now: number,
): Promise<{ methodId: string } | "identity-taken" | "identity-there"> {
  const { issuer, subject, email, name } = identity;
  const linkedIdentity = await findIdentity(tx, { appId: application.id, provider, issuer, subject });
  if (linkedIdentity) return linkedIdentity.userId === userId ? "identity-there" : "identity-taken";
  const id = newId("mth", now, ctx.random);
  const row = {
    id,
    appId: application.id,
    userId,
    provider,
    issuer,
    subject,
    email,
    createdAt: now,
    lastUsedAt: null,
  };
  if (!(await insertIdentity(tx, row))) return "identity-taken";
  if (name !== null) await users.nameNameless(ctx, tx, userId, name, now);
  return { methodId: id };
}

/**
 * The user whom this identity signs in, with all necessary writes. On a refusal, the caller
 * must roll back.
 */
export async function userFor(
  ctx: Context,
  tx: Handle,
  signIn: ProviderSignIn,
  now: number,
): Promise<{ userId: string } | Refusal> {
  const { application, provider, identity } = signIn;
  const { issuer, subject } = identity;
  const linkedIdentity = await findIdentity(tx, { appId: application.id, provider, issuer, subject });
  const local =
    linkedIdentity || identity.email === null ? undefined : await users.findByEmail(tx, application.id, identity.email);
  const decision = decideLink({ ...identity, identityKnown: linkedIdentity !== undefined, local });
  switch (decision) {
    case "no-email":
    case "unsupported-email":
    case "unverified-email":
      return { refusal: decision };
    case "existing-method-first":
      return { refusal: decision, existingUserId: local?.id };
    case "sign-in": {
      const user = linkedIdentity && (await lockUser(tx, linkedIdentity.userId));
      if (!user || !mayProve(user)) return { refusal: "refused" };
      const noted = await recordIdentityUse(tx, linkedIdentity.id, { issuer, email: identity.email, lastUsedAt: now });
      return noted ? { userId: user.id } : { refusal: "refused" };
    }
    case "create": {
      if (!signIn.signUpOpen) return { refusal: "sign-up-closed" };
      const { emailVerified, name, picture } = identity;
      const email = newEmail(identity.email ?? "");
      if (email === undefined) return { refusal: "unsupported-email" };
      if (signUpRules.problemWith(ctx, application, email)) return { refusal: "email-refused" };
      if (!emailVerified && needsProof(application.settings)) return { refusal: "proof-first" };
      const signedUp = { method: "oauth", source: signIn.source, asksApproval: true } as const;
      const person = { appId: application.id, email, emailVerified, name, picture, signedUp };
      const user = await users.create(ctx, tx, person, now);
      return user && (await link(ctx, tx, signIn, user, decision, now)) ? { userId: user.id } : { refusal: "refused" };
    }
    case "link":
    case "take-over-unproven": {
      const userId = local?.id ?? "";
      // The company speaks for its addresses: another provider takes no account by one of them.
      if (await companies.byAddress(ctx, tx, application, identity.email ?? ""))
        return { refusal: "existing-method-first", existingUserId: userId };
      const linked = await linkTo(ctx, tx, signIn, { userId, decision, hasAgreed: false }, now);
      if (linked === "linked") return { userId };
      return linked === "refused" ? { refusal: linked } : { refusal: linked, existingUserId: userId };
    }
  }
}

/**
 * Links an identity whose provider verifies the address, after the person agreed to the
 * removal. Checks everything again; false if identity or account have changed, and then the
 * caller must roll back.
 */
export async function takeOver(
  ctx: Context,
  tx: Handle,
  asked: {
    application: Application;
    identity: { provider: string; issuer: string; subject: string; email: string };
    userId: string;
    source: RequestSource;
  },
  now: number,
): Promise<boolean> {
  const { application, userId, source } = asked;
  const { provider, ...identity } = asked.identity;
  const linkedIdentity = await findIdentity(tx, { appId: application.id, provider, ...identity });
  const local = await users.findByEmail(tx, application.id, identity.email);
  if (linkedIdentity || local?.id !== userId) return false;
  const decision = local.emailVerified ? "link" : "take-over-unproven";
  const arrived = { application, provider, identity, source };
  return (await linkTo(ctx, tx, arrived, { userId, decision, hasAgreed: true }, now)) === "linked";
}
