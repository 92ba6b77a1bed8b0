/**
 * Notifies users of changes to their account, in the same transaction. A user without an address
 * gets nothing. An unverified address may be a stranger's, so the account's holder must not be able
 * to flood it or choose the words.
 */
import type { RequestSource } from "../../lib/request-source.ts";
import type { MailMethod } from "../../records/mail/mail.ts";
import * as mail from "../../records/mail/service.ts";
import type { Context } from "../../runtime/context.ts";
import type { Handle } from "../../storage/storage.ts";
import type { User } from "../../users/user.ts";
import * as allowance from "../../records/mail/allowance.ts";

/** An action on an account. `source` is undefined unless a person acts. */
type Act = { user: User; source: RequestSource | undefined };

/** Of a personal access token. `endsAt`: epoch milliseconds, for its owner in this zone. */
type TokenNotice = { tokenName: string; endsAt: number; timeZone: string | null };

type Notice =
  | { kind: "method-added" | "method-removed"; method: MailMethod }
  | FactorNotice
  | ({ kind: "personal-token-made" | "personal-token-ending" } & TokenNotice)
  | { kind: "password-changed" | "new-device" | "address-replaced" | "address-restored" };

/** What happened to a second factor. */
export type FactorNotice =
  | { kind: "factor-added" | "factor-removed" | "recovery-codes-new" | "factor-guessed" | "recovery-link-made" }
  | { kind: "recovery-code-used"; codesLeft: number };

async function tell(ctx: Context, tx: Handle, { user, source }: Act, notice: Notice, now: number): Promise<void> {
  if (user.email === null) return;
  const mayBeStranger = mail.available(ctx) && !user.emailVerified;
  // An app's server can give its users any address, call it verified, and remove it again.
  const isLimited = mayBeStranger || (mail.available(ctx) && notice.kind === "address-replaced");
  if (isLimited && !(await allowance.countNotice(ctx, tx, user.appId, user.email, now))) return;
  const { ipAddress = null, userAgent = null, timeZone = null } = source ?? {};
  const from = { ipAddress, userAgent, timeZone: "timeZone" in notice ? notice.timeZone : timeZone };
  const common = { appId: user.appId, userId: user.id, to: user.email, locale: user.locale, origin: from };
  await mail.enqueue(ctx, tx, { ...common, ...(mayBeStranger ? withoutOwnWords(notice) : notice) }, now);
}

export async function newDevice(ctx: Context, tx: Handle, act: Act, now: number): Promise<void> {
  await tell(ctx, tx, act, { kind: "new-device" }, now);
}

export async function passwordChanged(ctx: Context, tx: Handle, act: Act, now: number): Promise<void> {
  await tell(ctx, tx, act, { kind: "password-changed" }, now);
}

// For the next two: the user's previous address.
export async function addressReplaced(ctx: Context, tx: Handle, act: Act, now: number): Promise<void> {
  await tell(ctx, tx, act, { kind: "address-replaced" }, now);
}

/** The previous owner may be a thief, so the mail says nothing about the owner's browser. */
export async function addressRestored(ctx: Context, tx: Handle, user: User, now: number): Promise<void> {
  await tell(ctx, tx, { user, source: undefined }, { kind: "address-restored" }, now);
}

export async function methodAdded(ctx: Context, tx: Handle, act: Act, method: MailMethod, now: number): Promise<void> {
  await tell(ctx, tx, act, { kind: "method-added", method }, now);
}

export async function methodRemoved(
  ctx: Context,
  tx: Handle,
  act: Act,
  method: MailMethod,
  now: number,
): Promise<void> {
  await tell(ctx, tx, act, { kind: "method-removed", method }, now);
}

export async function factorNotice(
  ctx: Context,
  tx: Handle,
  act: Act,
  notice: FactorNotice,
  now: number,
): Promise<void> {
  await tell(ctx, tx, act, notice, now);
}

type OwnToken = { name: string; expiresAt: number; timeZone: string | null };

function tokenNotice<Kind extends "personal-token-made" | "personal-token-ending">(kind: Kind, token: OwnToken) {
  return { kind, tokenName: token.name, endsAt: token.expiresAt, timeZone: token.timeZone };
}

export async function personalTokenMade(
  ctx: Context,
  tx: Handle,
  act: Act,
  token: OwnToken,
  now: number,
): Promise<void> {
  await tell(ctx, tx, act, tokenNotice("personal-token-made", token), now);
}

export async function personalTokenEnds(
  ctx: Context,
  tx: Handle,
  user: User,
  token: OwnToken,
  now: number,
): Promise<void> {
  await tell(ctx, tx, { user, source: undefined }, tokenNotice("personal-token-ending", token), now);
}

/** Removes the owner's names of a passkey or token, which are free text. Provider names are not. */
function withoutOwnWords(notice: Notice): Notice {
  if ("tokenName" in notice) return { ...notice, tokenName: "" };
  return "method" in notice && notice.method.type === "passkey"
    ? { ...notice, method: { ...notice.method, name: null } }
    : notice;
}
