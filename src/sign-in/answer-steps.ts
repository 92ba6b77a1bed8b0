/** What a proven person answers before their sign-in continues (docs/decisions/0101). */
import * as applications from "../applications/service.ts";
import { AppError } from "../lib/errors.ts";
import * as audit from "../records/audit/audit.ts";
import type { Context } from "../runtime/context.ts";
import * as browserSessions from "../sessions/browser-sessions.ts";
import type { Handle } from "../storage/storage.ts";
import * as claimSources from "../tokens/claim-sources.ts";
import { countClaimsChange } from "../users/claim-sources-store.ts";
import { changedProfile, fieldsToAsk } from "../users/profile-fields.ts";
import * as terms from "../users/terms.ts";
import * as users from "../users/service.ts";
import { lockUser, updateUser } from "../users/store.ts";
import type { User } from "../users/user.ts";
import { cancelProofOfSession } from "./cancel-store.ts";
import { denyDeviceRequest } from "./devices/store.ts";
import * as proofs from "./proofs.ts";
import type { How, Outcome } from "./proofs.ts";
import { demandOf, isProven, type SignInSession } from "./session.ts";
import type { SignInAttempt } from "./sign-in-attempt.ts";

/** Undefined if nobody is proven who could answer. */
function answering(session: SignInSession): (How & { proofOf: string }) | undefined {
  const { provenUserId: proofOf, provenWith: signedInWith, provenProvider: provider } = session;
  if (proofOf === null || signedInWith === null || !isProven(session)) return undefined;
  return { signedInWith, provider, proofOf, answersStep: true };
}

/**
 * Saves an answer of the proven person, who is locked, and continues. Undefined if nobody may
 * answer, or `save` returns nobody.
 */
async function answered(
  ctx: Context,
  attempt: SignInAttempt,
  save: (tx: Handle, user: User, now: number) => Promise<User | undefined>,
): Promise<Outcome | undefined> {
  const how = answering(attempt.session);
  if (!how) return undefined;
  const outcome = await proofs.accept(ctx, attempt, how, async (tx, now) => {
    const user = await lockUser(tx, how.proofOf);
    return user?.disabledAt === null ? proofs.proven(await save(tx, user, now)) : proofs.failed;
  });
  return outcome === "refused" ? undefined : outcome;
}

/**
 * Records the answer to the terms, and continues. `version`: that of the form. Undefined if other
 * terms apply by now, or if nobody may answer: the session's page shows what is next.
 */
export async function answerTerms(
  ctx: Context,
  attempt: SignInAttempt,
  { version, accepts }: { version: string; accepts: boolean },
): Promise<Outcome | undefined> {
  return await answered(ctx, attempt, async (tx, user, now) => {
    // Read again: an operator may have changed them since the form was shown.
    const application = await applications.find(ctx, tx, user.appId);
    const present = application && terms.termsOf(application.settings);
    if (present?.version !== version || (!accepts && present.required)) return undefined;
    await terms.record(ctx, tx, user, { ...present, accepted: accepts }, attempt.source, now);
    return user;
  });
}

/**
 * The person declined terms that are required: this browser is no longer signed in. Their logins
 * stay. False if nobody could answer.
 */
export async function declineTerms(ctx: Context, attempt: SignInAttempt): Promise<boolean> {
  const { session, application, browserDigest, source } = attempt;
  const userId = answering(session)?.proofOf;
  if (userId === undefined) return false;
  const now = ctx.clock();
  const by = { actor: { kind: "user", name: userId }, source } as const;
  const { termsVersion: version = null } = application.settings;
  return await ctx.storage.write(async (tx) => {
    if (!(await lockUser(tx, userId))) return false;
    const browser = await browserSessions.findOwnOrConfined(ctx, tx, attempt.currentBrowserSession, application);
    if (browser?.userId === userId) await browserSessions.close(ctx, tx, browser, by, now);
    await cancelProofOfSession(tx, { digest: session.digest, browserDigest, organizationId: demandOf(session) });
    const device = session.authorization?.device;
    if (device !== undefined) await denyDeviceRequest(tx, device, now);
    const about = { appId: application.id, userId, details: { version, accepted: false } };
    await audit.record(ctx, tx, { ...by, action: "user.terms", result: "failure", ...about }, now);
    return true;
  });
}

/**
 * Saves what the person entered, and continues. `values`: by the names of the fields that were
 * asked; others are ignored. Undefined as for terms. Throws INVALID_REQUEST.
 */
export async function completeProfile(
  ctx: Context,
  attempt: SignInAttempt,
  values: ReadonlyMap<string, unknown>,
): Promise<Outcome | undefined> {
  return await answered(ctx, attempt, (tx, user, now) => saveProfile(ctx, tx, user, values, attempt, now));
}

async function saveProfile(
  ctx: Context,
  tx: Handle,
  user: User,
  values: ReadonlyMap<string, unknown>,
  { session, source }: SignInAttempt,
  now: number,
): Promise<User | undefined> {
  // A page of before: whom a company's provider named changes nothing of the account.
  if (session.provenWith === "organization") return user;
  const application = await applications.find(ctx, tx, user.appId);
  const { profileFields } = application?.settings ?? {};
  const asked = fieldsToAsk(profileFields, user).filter(({ name }) => values.has(name));
  if (!application || asked.length === 0) return user;
  const change = Object.fromEntries(asked.map(({ name }) => [name, values.get(name)]));
  const profile = changedProfile(profileFields, user.profile, change, "user");
  const after = await updateUser(tx, user.id, { profile, updatedAt: now });
  await claimSources.refuseTooLarge(tx, application, user.id, "profile");
  await countClaimsChange(tx, [user.id]);
  const actor = { kind: "user", name: user.id } as const;
  const about = { appId: user.appId, userId: user.id, source, details: { fields: "profile" } };
  await audit.record(ctx, tx, { actor, action: "user.update", result: "success", ...about }, now);
  await users.recordUpdate(ctx, tx, user, source, now);
  return after;
}

/** What a page shows of a refusal by the rules of fields; undefined for other errors. */
export function refusedField(error: unknown): string | undefined {
  return error instanceof AppError && error.code === "INVALID_REQUEST" ? error.rejected?.field : undefined;
}
