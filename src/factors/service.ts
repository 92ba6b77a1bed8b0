/**
 * A user's second factor: TOTP with recovery codes (docs/spec/people.md, 5). Passkeys are in
 * `passkeys/`. Every change begins a new epoch and ends everything that relied on the earlier
 * factors.
 */
import { hasOrganizations, type Application } from "../applications/application.ts";
import * as applications from "../applications/service.ts";
import { minute, second } from "../lib/clock.ts";
import { AppError, userNotFound } from "../lib/errors.ts";
import { personsSource } from "../lib/request-source.ts";
import { listMemberships } from "../organizations/membership-store.ts";
import * as audit from "../records/audit/audit.ts";
import type { By } from "../records/audit/audit.ts";
import * as events from "../records/webhooks/events.ts";
import type { Context } from "../runtime/context.ts";
import * as ends from "../sessions/login-ends.ts";
import type { SecondFactorPolicy } from "../storage/column-types.ts";
import type { Handle } from "../storage/storage.ts";
import { lockUser, lockUserForChange } from "../users/store.ts";
import type { User } from "../users/user.ts";
import * as notices from "../credentials/mailed/notices.ts";
import * as personalTokens from "../credentials/personal/ends.ts";
import { hasAny as hasPasskey } from "../credentials/passkeys/service.ts";
import { maxFailures, waitSecondsAfter } from "../rate-limits/failures.ts";
import { isFactorRequired } from "./assurance.ts";
import { decodeBase32, encodeBase32, inGroups } from "./base32.ts";
import {
  changeSecondFactor,
  consumeRecoveryCode,
  consumeStep,
  countRecoveryCodes,
  findFactorState,
  findSecondFactor,
  forgetFactorFailures,
  groupAllowsFactor,
  recordFactorCheck,
  recordFactorTries,
  replaceRecoveryCodes,
  type SecondFactor,
} from "./store.ts";
import { newTotpSecret, stepOf, totpUri } from "./totp.ts";
import {
  newRecoveryCode,
  recoveryCodeCount,
  recoveryCodeDigest,
  typedFactor,
  type TypedFactor,
} from "./typed-factor.ts";

/** How long a set-up page may stay open. */
const setUpLasts = 60 * minute;

/** After this many wrong codes in a row, the person is notified. */
const failuresUntilTold = 10;

/** How many codes an operator's `unblock` lets the person try. */
const triesAfterUnblock = 10;

/** The time after its set-up from which a factor's use counts as a check. */
const checkAfter = 7 * 24 * 60 * minute;

/**
 * Why a code cannot be tried now. `factor-blocked`: until a passkey is used as the second step, or
 * the app is replaced or removed.
 */
export type TryRefusal = { kind: "too-many-tries"; retryAfterSeconds: number } | { kind: "factor-blocked" };

/** A secret that is not set up yet. `sealed` goes through the page's form; nothing is stored. */
export type SetUp = { sealed: string; typed: string; uri: string };

export function factorContext(userId: string): string {
  return `second factor ${userId}`;
}

function setUpContext(userId: string, epoch: number): string {
  return `second factor set-up ${userId} ${epoch}`;
}

/** A stored secret in base 32. */
export function openSecret(ctx: Context, userId: string, encryptedSecret: string): string {
  return ctx.keyring.decrypt(encryptedSecret, factorContext(userId));
}

export async function hasFactor(handle: Handle, userId: string): Promise<boolean> {
  return ((await findSecondFactor(handle, userId))?.encryptedSecret ?? null) !== null;
}

/** The requirements of application, groups and (if given) client. Throws USER_NOT_FOUND. */
export async function demandOn(
  handle: Handle,
  application: Pick<Application, "settings">,
  userId: string,
  clientId: string | null = null,
): Promise<{ isRequired: boolean; hasFactor: boolean }> {
  const state = await findFactorState(handle, userId, clientId);
  if (!state) throw userNotFound();
  return { isRequired: isFactorRequired(application, state), hasFactor: state.hasFactor };
}

/** Whether a second proof can be asked for: TOTP, or a passkey where a factor is required. */
export async function isProvable(
  handle: Handle,
  userId: string,
  { isRequired, hasFactor }: { isRequired: boolean; hasFactor: boolean },
): Promise<boolean> {
  return hasFactor || (isRequired && (await hasPasskey(handle, userId)));
}

/**
 * Whether the user may set a factor up: by the application, a group or an organization, or to
 * replace one.
 */
export async function maySetUp(
  handle: Handle,
  application: Pick<Application, "settings">,
  userId: string,
): Promise<boolean> {
  if ((application.settings.secondFactor ?? "off") !== "off") return true;
  if ((await groupAllowsFactor(handle, userId)) || (await hasFactor(handle, userId))) return true;
  return await isOfOrganization(handle, application, userId, ["optional", "required"]);
}

/** Whether the user must keep a factor, also for an organization, which asks when entered. */
export async function mustKeep(
  handle: Handle,
  application: Pick<Application, "settings">,
  userId: string,
): Promise<boolean> {
  const { isRequired } = await demandOn(handle, application, userId);
  return isRequired || (await isOfOrganization(handle, application, userId, ["required"]));
}

async function isOfOrganization(
  handle: Handle,
  application: Pick<Application, "settings">,
  userId: string,
  policies: (SecondFactorPolicy | null)[],
): Promise<boolean> {
  if (!hasOrganizations(application)) return false;
  return (await listMemberships(handle, userId)).some(({ secondFactor }) => policies.includes(secondFactor));
}

/** Whether a trusted browser is asked anyway: once, seven days or more after the set-up. */
export function isCheckDue({ setUpAt, checkedAt }: Pick<SecondFactor, "setUpAt" | "checkedAt">, now: number): boolean {
  return setUpAt !== null && checkedAt === null && now - setUpAt >= checkAfter;
}

/** Why no code of this factor is checked now; undefined if one would be. */
function tryRefusal(
  { failures, blockedUntil }: Pick<SecondFactor, "failures" | "blockedUntil">,
  now: number,
): TryRefusal | undefined {
  if (failures >= maxFailures) return { kind: "factor-blocked" };
  const left = blockedUntil - now;
  // A wait that ends later than any wait can: the clock was set back.
  if (left <= 0 || left > 2 * waitSecondsAfter(maxFailures) * second) return undefined;
  return { kind: "too-many-tries", retryAfterSeconds: Math.ceil(left / second) };
}

/** Why no code of this user is checked now. */
export async function blockOf(ctx: Context, handle: Handle, userId: string): Promise<TryRefusal | undefined> {
  const factor = await findSecondFactor(handle, userId);
  return factor && tryRefusal(factor, ctx.clock());
}

/**
 * Lets a locked user try codes again. A blocked one gets ten tries: the count stays
 * (docs/spec/people.md, 5). False if nothing was blocked.
 */
export async function endBlock(ctx: Context, tx: Handle, userId: string): Promise<boolean> {
  const factor = await findSecondFactor(tx, userId);
  if (!factor || !tryRefusal(factor, ctx.clock())) return false;
  const failures = Math.min(factor.failures, maxFailures - triesAfterUnblock);
  await recordFactorTries(tx, { userId, failures, blockedUntil: 0 });
  return true;
}

/**
 * Counts an attempt with a typed code, durably and before it is checked. One counter for all kinds
 * of code. Undefined if the code may be checked.
 */
export async function countTry(ctx: Context, userId: string): Promise<TryRefusal | undefined> {
  const now = ctx.clock();
  return await ctx.storage.write(async (tx) => {
    const user = await lockUser(tx, userId);
    const factor = await findSecondFactor(tx, userId);
    if (!user || !factor) return undefined;
    const refusal = tryRefusal(factor, now);
    if (refusal) return refusal;
    const failures = factor.failures + 1;
    await recordFactorTries(tx, { userId, failures, blockedUntil: now + waitSecondsAfter(failures) * second });
    if (failures === failuresUntilTold || failures === maxFailures) {
      const by = { actor: { kind: "user", name: userId } } as const;
      await note(ctx, tx, "factor.guessed", { user, by, result: "failure" }, { failures }, now);
      await notices.factorNotice(ctx, tx, { user, source: undefined }, { kind: "factor-guessed" }, now);
    }
    return undefined;
  });
}

/**
 * Checks and consumes a typed code of this locked user. Undefined: wrong or used before. The right
 * one forgets the failures.
 */
export async function verify(
  ctx: Context,
  tx: Handle,
  { user, by }: { user: User; by: By },
  typed: TypedFactor,
  now: number,
): Promise<TypedFactor["kind"] | undefined> {
  const factor = await findSecondFactor(tx, user.id);
  if (!factor || factor.encryptedSecret === null) return undefined;
  if (typed.kind === "totp") {
    const secret = decodeBase32(openSecret(ctx, user.id, factor.encryptedSecret));
    const step = secret && stepOf(typed.code, secret, now);
    if (step === undefined || !(await consumeStep(tx, user.id, step, now))) return undefined;
  } else if (!(await consumeRecoveryCode(tx, user.id, typed.digest))) return undefined;
  await forgetFactorFailures(tx, user.id);
  // A recovery code does not show that the app works.
  if (typed.kind === "totp" && isCheckDue(factor, now)) await recordFactorCheck(tx, user.id, now);
  if (typed.kind === "recovery-code") {
    const codesLeft = await countRecoveryCodes(tx, user.id);
    await note(ctx, tx, "factor.code-used", { user, by }, { codesLeft }, now);
    const act = { user, source: personsSource(by) ?? undefined };
    await notices.factorNotice(ctx, tx, act, { kind: "recovery-code-used", codesLeft }, now);
  }
  return typed.kind;
}

/** A new secret for this user, or the one of a form that is shown again. */
export async function setUp(
  ctx: Context,
  handle: Handle,
  { user, application }: { user: User; application: Application },
  again?: string,
): Promise<SetUp> {
  const { epoch = 0 } = (await findSecondFactor(handle, user.id)) ?? {};
  const known = again === undefined ? undefined : openSetUp(ctx, again, user.id, epoch);
  const secret = known ?? newTotpSecret(ctx.random);
  const typed = encodeBase32(secret);
  const sealed =
    known && again !== undefined
      ? again
      : await ctx.keyring.encrypt(
          handle,
          JSON.stringify({ secret: typed, expiresAt: ctx.clock() + setUpLasts }),
          setUpContext(user.id, epoch),
        );
  const uri = totpUri(secret, { issuer: application.name, account: user.email ?? user.name ?? user.id });
  return { sealed, typed: inGroups(typed, " "), uri };
}

/** The secret of a form; undefined if it is another user's or too old, or factors changed since. */
function openSetUp(ctx: Context, sealed: string, userId: string, epoch: number): Uint8Array | undefined {
  try {
    const opened = JSON.parse(ctx.keyring.decrypt(sealed, setUpContext(userId, epoch))) as {
      secret: string;
      expiresAt: number;
    };
    return ctx.clock() <= opened.expiresAt ? decodeBase32(opened.secret) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Sets TOTP up, or replaces it, for a locked user who typed a code of the new secret. Returns new
 * recovery codes, which are shown once. "over": the page is too old; "wrong": the code.
 * `keeps`: the session and browser session that do it, which stay.
 */
export async function confirmSetUp(
  ctx: Context,
  tx: Handle,
  { user, by }: { user: User; by: By },
  { sealed, code, keeps }: { sealed: string; code: string; keeps: { session?: string; browserSession?: string } },
  now: number,
): Promise<string[] | "over" | "wrong"> {
  const factor = await findSecondFactor(tx, user.id);
  const secret = openSetUp(ctx, sealed, user.id, factor?.epoch ?? 0);
  if (!secret) return "over";
  const typed = typedFactor(code);
  const step = typed?.kind === "totp" ? stepOf(typed.code, secret, now) : undefined;
  // A used step stays used, also with the new secret.
  if (step === undefined || (factor && step <= factor.lastStep)) return "wrong";
  await putSecret(ctx, tx, user.id, { secret: encodeBase32(secret), lastStep: step, setUpAt: now });
  const codes = await issueCodes(ctx, tx, user.id, now);
  await ends.endFactors(tx, user.id, keeps, now);
  const isReplaced = (factor?.encryptedSecret ?? null) !== null;
  await tellChange(ctx, tx, { user, by }, isReplaced ? "replaced" : "added", now);
  return codes;
}

/** Tells the audit log, the application's server and the person. */
async function tellChange(
  ctx: Context,
  tx: Handle,
  { user, by }: { user: User; by: By },
  change: "added" | "replaced" | "removed",
  now: number,
): Promise<void> {
  const [event, notice] =
    change === "removed"
      ? (["method.removed", "factor-removed"] as const)
      : (["method.added", "factor-added"] as const);
  const source = personsSource(by);
  const about = { appId: user.appId, userId: user.id, authMethod: "totp", source, sessionId: null } as const;
  await note(ctx, tx, `factor.${change}`, { user, by }, { factor: "totp" }, now);
  await events.record(ctx, tx, { kind: event, ...about }, now);
  await notices.factorNotice(ctx, tx, { user, source: source ?? undefined }, { kind: notice }, now);
}

async function putSecret(
  ctx: Context,
  tx: Handle,
  userId: string,
  { secret, lastStep, setUpAt }: { secret: string; lastStep: number; setUpAt: number },
): Promise<void> {
  const encryptedSecret = await ctx.keyring.encrypt(tx, secret, factorContext(userId));
  await changeSecondFactor(tx, { userId, encryptedSecret, lastStep, setUpAt });
}

async function issueCodes(ctx: Context, tx: Handle, userId: string, now: number): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodeCount }, () => newRecoveryCode(ctx.random));
  await replaceRecoveryCodes(tx, userId, codes.map(recoveryCodeDigest), now);
  return codes;
}

/** Voids all recovery codes and returns new ones. Undefined for a user without a factor. */
export async function renewCodes(ctx: Context, userId: string, by: By): Promise<string[] | undefined> {
  const now = ctx.clock();
  return await ctx.storage.write(async (tx) => {
    const user = await lockUserForChange(tx, userId, now);
    if (user?.disabledAt !== null || !(await hasFactor(tx, userId))) return undefined;
    const codes = await issueCodes(ctx, tx, userId, now);
    await note(ctx, tx, "factor.codes-renewed", { user, by }, {}, now);
    const act = { user, source: personsSource(by) ?? undefined };
    await notices.factorNotice(ctx, tx, act, { kind: "recovery-codes-new" }, now);
    return codes;
  });
}

/**
 * Removes TOTP and the recovery codes of a user. Logins stay, with one factor. Throws
 * USER_NOT_FOUND; CONFLICT if a factor is required of the user, unless `evenRequired`.
 */
export async function remove(
  ctx: Context,
  userId: string,
  by: By,
  { evenRequired = false, dryRun = false }: { evenRequired?: boolean; dryRun?: boolean } = {},
): Promise<boolean> {
  const now = ctx.clock();
  return await ctx.storage.write<boolean>(async (tx, rollBack) => {
    const user = await lockUserForChange(tx, userId, now);
    if (!user) throw userNotFound();
    const application = await applications.find(ctx, tx, user.appId);
    if (!evenRequired && application && (await mustKeep(tx, application, userId)))
      throw new AppError("CONFLICT", "A second factor is required for this account. Replace it instead.");
    const removed = await removeFrom(ctx, tx, { user, by }, now);
    if (dryRun) throw rollBack(removed);
    return removed;
  });
}

/** The same for a locked user, in the caller's transaction. False if there was nothing. */
export async function removeFrom(
  ctx: Context,
  tx: Handle,
  { user, by }: { user: User; by: By },
  now: number,
  keeps: { session?: string } = {},
): Promise<boolean> {
  const known = await findSecondFactor(tx, user.id);
  const hasFailures = known !== undefined && known.failures > 0;
  if (!known || (known.encryptedSecret === null && !hasFailures)) return false;
  await changeSecondFactor(tx, { userId: user.id, encryptedSecret: null, lastStep: 0, setUpAt: null });
  await replaceRecoveryCodes(tx, user.id, [], now);
  await ends.endFactors(tx, user.id, { ...keeps, falls: true }, now);
  if (known.encryptedSecret !== null)
    await personalTokens.end(ctx, tx, { userId: user.id }, { reason: "factor-removed", by }, now);
  await tellChange(ctx, tx, { user, by }, "removed", now);
  return true;
}

/** The visible state of a user's factor, without the secret. */
export type FactorFacts = {
  hasTotp: boolean;
  setUpAt: number | null;
  lastUsedAt: number | null;
  codesLeft: number;
  failures: number;
  isBlocked: boolean;
};

export async function factsOf(handle: Handle, userId: string): Promise<FactorFacts> {
  const [factor, codesLeft] = await Promise.all([findSecondFactor(handle, userId), countRecoveryCodes(handle, userId)]);
  const { encryptedSecret = null, setUpAt = null, lastUsedAt = null, failures = 0 } = factor ?? {};
  return {
    hasTotp: encryptedSecret !== null,
    setUpAt,
    lastUsedAt,
    codesLeft,
    failures,
    isBlocked: failures >= maxFailures,
  };
}

/** Sets an imported secret (`isTotpSecret`) and digests of recovery codes, for a new user. */
export async function importFactor(
  ctx: Context,
  tx: Handle,
  userId: string,
  { secret, recoveryDigests }: { secret: string; recoveryDigests: string[] },
  now: number,
): Promise<void> {
  await putSecret(ctx, tx, userId, { secret, lastStep: 0, setUpAt: now });
  await replaceRecoveryCodes(tx, userId, recoveryDigests, now);
}

async function note(
  ctx: Context,
  tx: Handle,
  action: string,
  { user, by, result = "success" }: { user: User; by: By; result?: "success" | "failure" },
  details: Record<string, string | number>,
  now: number,
): Promise<void> {
  await audit.record(ctx, tx, { ...by, action, result, appId: user.appId, userId: user.id, details }, now);
}
