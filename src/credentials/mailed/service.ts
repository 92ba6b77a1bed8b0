/**
 * Tokens in mails, as a link and an equivalent code. A newer token replaces the one in its slot. A
 * token is consumed by one conditional write in the transaction that it allows.
 */
import { timingSafeEqual } from "node:crypto";
import { digestOf, newSecret } from "../../lib/random.ts";
import type { RequestSource } from "../../lib/request-source.ts";
import { aggregatedEvents } from "../../records/audit/aggregated-events.ts";
import * as audit from "../../records/audit/audit.ts";
import * as mail from "../../records/mail/service.ts";
import type { Context } from "../../runtime/context.ts";
import type { Handle } from "../../storage/storage.ts";
import * as users from "../../users/service.ts";
import { lockUser } from "../../users/store.ts";
import type { User } from "../../users/user.ts";
import * as allowance from "../../records/mail/allowance.ts";
import type { EmailToken } from "./email-token.ts";
import { codeFrom, emailTokenLasts, isLinkSecret, maxCodeTries } from "./rules.ts";
import {
  consumeEmailToken,
  countCodeTry,
  deleteTokensOf,
  findEmailToken,
  findEmailTokenInSlot,
  putEmailToken,
  sweepEmailTokens,
} from "./store.ts";

/**
 * The contents of a mail; neither is stored. `link` names the application, so that its page has the
 * branding when the token is gone.
 */
export type IssuedToken = { link: string; code: string; expiresAt: number };

/** Who requests a mail, and its language. */
export type Asker = { source: RequestSource; lang: string };

/** The pages that mailed links open. */
const linkPaths: Record<EmailToken["purpose"], string> = {
  "sign-up": "confirm",
  "sign-in": "confirm",
  verify: "confirm",
  change: "confirm",
  reset: "reset",
  undo: "restore",
  invite: "invite",
  recovery: "recover",
};

export function slot(ctx: Context, purpose: EmailToken["purpose"], ...whose: string[]): string {
  return ctx.keyring.mac("email", "slot", purpose, ...whose).toString("base64url");
}

function codeDigest(ctx: Context, digest: string, code: string): string {
  return ctx.keyring.mac("email", "code", digest, code).toString("base64url");
}

export async function issue(
  ctx: Context,
  tx: Handle,
  asked: Pick<EmailToken, "slot" | "purpose" | "appId" | "userId" | "email"> & {
    sessionId?: string | null;
    payload?: EmailToken["payload"];
    /** For a token without a mail: a code that can only be guessed. */
    hasNoCode?: boolean;
    /** If that is earlier than the purpose's own end. */
    endsBy?: number;
  },
  now: number,
): Promise<IssuedToken> {
  const { sessionId = null, payload = null, hasNoCode = false, endsBy, ...known } = asked;
  const secret = newSecret(ctx.random);
  const code = codeFrom(ctx.random(8));
  const digest = digestOf(secret);
  const lasts = now + emailTokenLasts[asked.purpose];
  const expiresAt = Math.min(lasts, endsBy ?? lasts);
  await putEmailToken(tx, {
    ...known,
    digest,
    encryptedSessionId: sessionId === null ? null : await ctx.keyring.encrypt(tx, sessionId, emailTokenContext(digest)),
    codeDigest: codeDigest(ctx, digest, code),
    codeTries: hasNoCode ? maxCodeTries : 0,
    payload,
    createdAt: now,
    expiresAt,
  });
  const link = `${ctx.baseUrl}/${linkPaths[asked.purpose]}/${secret}?app_id=${encodeURIComponent(asked.appId)}`;
  return { link, code, expiresAt };
}

/** The token of a link, for a page. Does not consume it. */
export async function find(
  ctx: Context,
  secret: string,
  purpose?: EmailToken["purpose"],
): Promise<EmailToken | undefined> {
  const token = isLinkSecret(secret)
    ? await findEmailToken(ctx.storage.reader, digestOf(secret), ctx.clock())
    : undefined;
  return purpose === undefined || token?.purpose === purpose ? token : undefined;
}

/**
 * The token in a slot, if this is its code. `code`: eight digits (`typedCode`). The attempt is
 * counted durably before comparing, so parallel guesses gain nothing. "over": no attempts left,
 * although the link may still work.
 */
export async function tryCode(
  ctx: Context,
  inSlot: string,
  code: string,
  source: RequestSource,
): Promise<EmailToken | "wrong" | "over"> {
  const token = await ctx.storage.write((tx) => countCodeTry(tx, inSlot, ctx.clock()));
  if (token && isSame(token.codeDigest, codeDigest(ctx, token.digest, code))) return token;
  const about = { userId: token?.userId ?? null, details: { purpose: token?.purpose ?? null } };
  aggregatedEvents(ctx).note({
    action: "email-code",
    result: "failure",
    app: { id: token?.appId ?? null },
    source,
    ...about,
  });
  return token ? "wrong" : "over";
}

async function useUpVerification(ctx: Context, token: EmailToken, user: User, source: RequestSource): Promise<boolean> {
  const now = ctx.clock();
  return await ctx.storage.write(async (tx) => {
    await lockUser(tx, user.id);
    const used = await consumeEmailToken(tx, token, now);
    if (!used || used.userId !== user.id || !(await users.verifyEmail(ctx, tx, user, used.email, source, now)))
      return false;
    const { id: userId, appId } = user;
    const actor = { kind: "user", name: userId } as const;
    const event = { actor, action: "user.address-proven", result: "success", appId, userId, source } as const;
    await audit.record(ctx, tx, { ...event, details: { how: "mail" } }, now);
    return true;
  });
}

/** The valid token in a slot; undefined if there is none. */
export async function waiting(ctx: Context, handle: Handle, inSlot: string): Promise<EmailToken | undefined> {
  return await findEmailTokenInSlot(handle, inSlot, ctx.clock());
}

/** Ends a user's links and codes, except those that undo an earlier change of address. */
export async function endAll(
  tx: Handle,
  userId: string,
  { keepUndosBefore }: { keepUndosBefore: number },
): Promise<void> {
  await deleteTokensOf(tx, userId, keepUndosBefore);
}

export async function findByDigest(ctx: Context, handle: Handle, digest: string): Promise<EmailToken | undefined> {
  return await findEmailToken(handle, digest, ctx.clock());
}

/** The sign-in session that requested a token. */
export function sessionIdOf(ctx: Context, { digest, encryptedSessionId }: EmailToken): string | undefined {
  return encryptedSessionId === null ? undefined : ctx.keyring.decrypt(encryptedSessionId, emailTokenContext(digest));
}

/**
 * Mails the signed-in user a proof of their address. Silently does nothing above the hourly
 * allowance, or if the address is verified or missing; an earlier mail then stays valid.
 */
export async function startVerify(ctx: Context, user: User, { source, lang }: Asker): Promise<void> {
  const { id: userId, appId, email, emailVerified } = user;
  if (email === null || emailVerified) return;
  const now = ctx.clock();
  await ctx.storage.write(async (tx) => {
    if (!(await allowance.count(ctx, tx, { purpose: "verify", appId, email, source }, now))) return;
    const actor = { kind: "user", name: userId } as const;
    await audit.record(ctx, tx, { actor, action: "user.verify-asked", result: "success", appId, userId, source }, now);
    const asked = { slot: slot(ctx, "verify", userId), purpose: "verify", appId, userId, email } as const;
    const proof = await issue(ctx, tx, asked, now);
    const common = { appId, userId, to: email, locale: lang, origin: source };
    await mail.enqueue(ctx, tx, { ...common, kind: "verify", ...proof }, now);
  });
}

/** Whether `startVerify` has sent this user a mail that is still valid. */
export async function isVerifying(ctx: Context, user: User): Promise<boolean> {
  return (await findEmailTokenInSlot(ctx.storage.reader, slot(ctx, "verify", user.id), ctx.clock())) !== undefined;
}

/**
 * Verifies the address of the signed-in user, by the newest mail's code (eight digits:
 * `typedCode`) or its link's secret. Keeps all methods: this person has proven both the mailbox
 * and the login.
 */
export async function confirmVerify(
  ctx: Context,
  user: User,
  proof: { code: string } | { secret: string },
  source: RequestSource,
): Promise<"verified" | "wrong" | "over"> {
  const token =
    "code" in proof
      ? await tryCode(ctx, slot(ctx, "verify", user.id), proof.code, source)
      : ((await find(ctx, proof.secret, "verify")) ?? "over");
  if (typeof token === "string") return token;
  if (token.userId !== user.id) return "over";
  return (await useUpVerification(ctx, token, user, source)) ? "verified" : "over";
}

/** Removes a batch of expired rows; true if more may be left. */
export async function sweep(ctx: Context): Promise<boolean> {
  const now = ctx.clock();
  return await ctx.storage.write((tx) => sweepEmailTokens(tx, now));
}

export function emailTokenContext(digest: string): string {
  return `email_tokens ${digest}`;
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
