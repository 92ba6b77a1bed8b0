/**
 * Creates an account once its address is verified. For an address with an account, only the mail
 * differs, so only its owner learns of the account (docs/spec/decisions.md, 7).
 */
import type { Application } from "../../applications/application.ts";
import type { RequestSource } from "../../lib/request-source.ts";
import { aggregatedEvents } from "../../records/audit/aggregated-events.ts";
import * as mail from "../../records/mail/service.ts";
import type { Context } from "../../runtime/context.ts";
import type { EmailTokenPayload } from "../../storage/column-types.ts";
import type { Handle } from "../../storage/storage.ts";
import * as users from "../../users/service.ts";
import { isPending } from "../../users/user.ts";
import { linkNew } from "../identities/linking.ts";
import * as passkeys from "../passkeys/service.ts";
import * as passwords from "../passwords/service.ts";
import * as allowance from "../../records/mail/allowance.ts";
import type { EmailToken } from "./email-token.ts";
import * as emailTokens from "./service.ts";
import type { Asker } from "./service.ts";
import * as sessionTokens from "./session-tokens.ts";
import { consumeEmailToken } from "./store.ts";

/**
 * The sign-in session of a sign-up. `signInUrl`: where people who already have an account can sign
 * in.
 */
export type SignUpPlace = {
  application: Application;
  sessionId: string;
  sessionDigest: string;
  signInUrl: string | null;
} & Asker;

async function send(
  ctx: Context,
  place: SignUpPlace,
  email: string,
  payload: EmailTokenPayload | null,
  /** Whether a new token replaces the previous one even without a mail. */
  replaces: boolean,
): Promise<boolean> {
  const now = ctx.clock();
  const { application, sessionId, sessionDigest, signInUrl, source, lang } = place;
  const appId = application.id;
  const user = await users.findByEmail(ctx.storage.reader, appId, email);
  aggregatedEvents(ctx).note({
    action: "sign-up.asked",
    result: "success",
    app: { id: appId },
    source,
    details: {},
  });
  return await ctx.storage.write(async (tx) => {
    const allowed = await allowance.count(ctx, tx, { purpose: "sign-up", appId, email, source }, now);
    if (!allowed && !replaces) return false;
    const proof = await emailTokens.issue(
      ctx,
      tx,
      {
        slot: sessionTokens.slot(ctx, "sign-up", sessionDigest),
        purpose: "sign-up",
        appId,
        userId: null,
        email,
        sessionId,
        payload: user ? null : payload,
        // Depends only on the hourly allowance, which is the same for every address: asking again
        // must not yield more guesses.
        hasNoCode: !allowed,
      },
      now,
    );
    const common = { appId, to: email, locale: user?.locale ?? lang, origin: source };
    if (allowed && user)
      await mail.enqueue(ctx, tx, { ...common, userId: user.id, kind: "known-address", signInUrl }, now);
    else if (allowed && payload)
      await mail.enqueue(ctx, tx, { ...common, userId: null, kind: "sign-up", ...proof }, now);
    return allowed;
  });
}

/**
 * Consumes the token and creates the user; undefined if the token is over or the address or
 * passkey is taken. `signsIn`: the method signs in at once.
 */
export async function create(
  ctx: Context,
  tx: Handle,
  token: EmailToken,
  { source, signsIn }: { source: RequestSource; signsIn: boolean },
  now: number,
): Promise<string | undefined> {
  const lastUsedAt = signsIn ? now : null;
  const used = await consumeEmailToken(tx, token, now);
  if (!used?.payload) return undefined;
  const { appId, email, payload } = used;
  const handle = "passkey" in payload ? { handle: payload.passkey.userHandle } : {};
  const identity = "identity" in payload ? payload.identity : undefined;
  const method = identity ? "oauth" : "passkey" in payload ? "passkey" : "password";
  const signedUp = { method, source, asksApproval: true } as const;
  const picture = identity?.picture ?? null;
  const person = { appId, email, emailVerified: true, name: payload.name, picture, ...handle, signedUp };
  const user = await users.create(ctx, tx, person, now);
  if (!user) return undefined;
  if ("passwordHash" in payload) await passwords.add(ctx, tx, user.id, { hash: payload.passwordHash, lastUsedAt }, now);
  else if ("identity" in payload) {
    const { provider, issuer, subject } = payload.identity;
    const linked = { application: { id: appId }, provider, identity: { issuer, subject, email }, source };
    if (!(await linkNew(ctx, tx, linked, user, now))) return undefined;
  } else if (
    !("passkey" in payload) ||
    !(await passkeys.add(ctx, tx, user.id, payload.passkey, { userAgent: payload.userAgent, lastUsedAt }, now))
  )
    return undefined;
  return user.id;
}

/**
 * Mails a link and a code that create this account. False above the allowance: then nothing is
 * sent. The password is already hashed, or the passkey verified.
 */
export async function begin(
  ctx: Context,
  place: SignUpPlace,
  email: string,
  payload: EmailTokenPayload,
): Promise<boolean> {
  return await send(ctx, place, email, payload, true);
}

/**
 * Replaces the last mail by a new one, within the hourly allowance. False if this session has no
 * pending sign-up.
 */
export async function again(ctx: Context, place: SignUpPlace): Promise<boolean> {
  const token = await sessionTokens.waiting(ctx, "sign-up", place.sessionDigest);
  if (token) await send(ctx, place, token.email, token.payload, false);
  return token !== undefined;
}

/**
 * Creates the user after the session timed out, without signing in. "link-over" if that is no
 * longer possible.
 */
export async function createOnly(
  ctx: Context,
  token: EmailToken,
  source: RequestSource,
): Promise<"account-created" | "pending" | "link-over"> {
  const now = ctx.clock();
  return await ctx.storage.write<"account-created" | "pending" | "link-over">(async (tx, rollBack) => {
    const userId = await create(ctx, tx, token, { source, signsIn: false }, now);
    const user = userId === undefined ? undefined : await users.find(tx, userId);
    // Nobody could use the account without the chosen passkey.
    if (!user) throw rollBack("link-over");
    return isPending(user) ? "pending" : "account-created";
  });
}
