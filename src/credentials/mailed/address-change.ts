/** Changes an account's address: a code or link proves the new one (docs/decisions/0046). */
import * as signUpRules from "../../applications/sign-up/service.ts";
import { restsOnPassword } from "../../factors/assurance.ts";
import type { RequestSource } from "../../lib/request-source.ts";
import * as audit from "../../records/audit/audit.ts";
import * as mail from "../../records/mail/service.ts";
import type { Context } from "../../runtime/context.ts";
import { lockBrowserSession } from "../../sessions/browser-session-store.ts";
import * as users from "../../users/service.ts";
import { lockUserForChange } from "../../users/store.ts";
import type { User } from "../../users/user.ts";
import * as allowance from "../../records/mail/allowance.ts";
import * as passwords from "../passwords/service.ts";
import type { EmailToken } from "./email-token.ts";
import { orTaken } from "./rules.ts";
import * as emailTokens from "./service.ts";
import type { Asker } from "./service.ts";
import { consumeEmailToken } from "./store.ts";
import * as undoLinks from "./undo-links.ts";

/** A user signed in to the account page. `tie`: binds to that browser's session. */
type Place = { user: User; tie: string };

/** `taken`: another account has the address. Only a person who proved the address learns this. */
export type AddressChanged = "changed" | "wrong" | "over" | "taken";

/**
 * A change belongs to the browser session that asked for it and to the address at that time: it
 * ends with either.
 */
function slotOf(ctx: Context, { id, email }: User, tie: string): string {
  return emailTokens.slot(ctx, "change", id, tie, email ?? "");
}

async function send(
  ctx: Context,
  place: Place,
  email: string,
  { source, lang }: Asker,
  replaces: boolean,
): Promise<void> {
  const { user, tie } = place;
  const { id: userId, appId } = user;
  const now = ctx.clock();
  await ctx.storage.write(async (tx) => {
    const allowed = await allowance.count(ctx, tx, { purpose: "change", appId, email, source }, now);
    if (!allowed && !replaces) return;
    // As for a sign-up: above the allowance the page is the same, with a code that nobody can know.
    const token = {
      slot: slotOf(ctx, user, tie),
      purpose: "change",
      appId,
      userId,
      email,
      hasNoCode: !allowed,
    } as const;
    const proof = await emailTokens.issue(ctx, tx, token, now);
    const actor = { kind: "user", name: userId } as const;
    const event = { actor, action: "user.address-asked", result: "success", appId, userId, source } as const;
    await audit.record(ctx, tx, event, now);
    if (!allowed) return;
    const common = { appId, userId, to: email, locale: lang, origin: source };
    await mail.enqueue(ctx, tx, { ...common, kind: "change-address", ...proof }, now);
  });
}

async function useUp(ctx: Context, token: EmailToken, tie: string, source: RequestSource): Promise<AddressChanged> {
  const now = ctx.clock();
  return await ctx.storage.write<AddressChanged>(async (tx) => {
    const user = token.userId === null ? undefined : await lockUserForChange(tx, token.userId, now);
    const used = await consumeEmailToken(tx, token, now);
    if (!used || user?.disabledAt !== null || used.slot !== slotOf(ctx, user, tie)) return "over";
    // Events that end a browser session, such as a password reset, also end its change.
    const browser = await lockBrowserSession(tx, tie, user.id);
    if (!browser) return "over";
    // Asked for before the password had to change: who knows it would get the reset's mail.
    if (restsOnPassword(browser) && (await passwords.markOf(tx, user.id))) return "over";
    await signUpRules.refuseAddress(ctx, tx, user.appId, used.email);
    if (!(await users.changeEmail(ctx, tx, user, used.email, source, now))) return "taken";
    const canUndo = await undoLinks.offer(ctx, tx, user, used.email, source, now);
    const { id: userId, appId } = user;
    const actor = { kind: "user", name: userId } as const;
    const event = { actor, action: "user.address-changed", result: "success", appId, userId, source } as const;
    await audit.record(ctx, tx, { ...event, details: { canUndo } }, now);
    return "changed";
  });
}

/** Mails a code and a link to the new, canonical address: the same for every address. */
export async function begin(ctx: Context, place: Place, email: string, asker: Asker): Promise<void> {
  await send(ctx, place, email, asker, true);
}

/** Replaces the last mail by a new one, within the hourly allowance. */
export async function again(ctx: Context, place: Place, asker: Asker): Promise<void> {
  const token = await emailTokens.waiting(ctx, ctx.storage.reader, slotOf(ctx, place.user, place.tie));
  if (token) await send(ctx, place, token.email, asker, false);
}

/** The new address that is not proven yet, in this browser. */
export async function waiting(ctx: Context, { user, tie }: Place): Promise<string | undefined> {
  return (await emailTokens.waiting(ctx, ctx.storage.reader, slotOf(ctx, user, tie)))?.email;
}

/** Whether a link belongs to this browser's change. */
export function isOf(ctx: Context, { user, tie }: Place, token: EmailToken): boolean {
  return token.slot === slotOf(ctx, user, tie);
}

/** `code`: eight digits (`typedCode`). `token`: of a link for which `isOf` was true. */
export async function confirm(
  ctx: Context,
  place: Place,
  proof: { code: string } | { token: EmailToken },
  source: RequestSource,
): Promise<AddressChanged> {
  const slot = slotOf(ctx, place.user, place.tie);
  const token = "code" in proof ? await emailTokens.tryCode(ctx, slot, proof.code, source) : proof.token;
  if (typeof token === "string") return token;
  return await orTaken(useUp(ctx, token, place.tie, source));
}
