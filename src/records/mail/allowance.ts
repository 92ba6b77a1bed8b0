/** Limits mails to an address that the requester has not proven. */
import { networkOf } from "../../lib/networks.ts";
import type { RequestSource } from "../../lib/request-source.ts";
import { aggregatedEvents } from "../audit/aggregated-events.ts";
import { mailbox } from "./mailbox.ts";
import type { Context } from "../../runtime/context.ts";
import type { EmailTokenPurpose } from "../../storage/column-types.ts";
import type { Handle } from "../../storage/storage.ts";
import { countAskedMail } from "./allowance-store.ts";

// Maximum mails of one purpose and application in an hour.
/** From one network to one address. */
const maxMailsOfAddressAndNetwork = 5;
/** From all networks to one address: more than one network can use up by itself. */
const maxMailsOfAddress = 20;
/** From one network to all addresses: enough for an office, too few to spam a list. */
const maxMailsOfNetwork = 50;

/** A mail that a visitor requests. */
export type AskedMail = {
  purpose: EmailTokenPurpose | "organization-setup";
  appId: string;
  email: string;
  source: RequestSource;
};

/**
 * The limit for each purpose and application. Null: no limits at all, for the mailbox of
 * development mode, which is in memory, and whose tests reuse addresses.
 */
function mailsPerHour(ctx: Context): number | null {
  return mailbox(ctx) ? null : ctx.config.mailsPerHour;
}

async function exceeds(ctx: Context, tx: Handle, max: number, now: number, ...whose: string[]): Promise<boolean> {
  if (mailsPerHour(ctx) === null) return false;
  const digest = ctx.keyring.mac("email", "allowance", ...whose).toString("base64url");
  return (await countAskedMail(tx, digest, now)) > max;
}

/** Narrowest limit first, and stop at a refusal: a busy network uses up only its own share. */
async function limitReached(ctx: Context, tx: Handle, { purpose, appId, email, source }: AskedMail, now: number) {
  const network = networkOf(source.ipAddress);
  if (await exceeds(ctx, tx, maxMailsOfAddressAndNetwork, now, purpose, appId, email, network))
    return "address-and-network";
  if (await exceeds(ctx, tx, maxMailsOfNetwork, now, purpose, appId, "network", network)) return "network";
  if (await exceeds(ctx, tx, maxMailsOfAddress, now, purpose, appId, email)) return "address";
  return (await exceeds(ctx, tx, mailsPerHour(ctx) ?? Number.POSITIVE_INFINITY, now, purpose, appId))
    ? "application"
    : undefined;
}

/**
 * Counts a mail per purpose and application (known and unknown addresses alike), and returns
 * whether to send it. Refusals go to the audit log.
 */
export async function count(ctx: Context, tx: Handle, asked: AskedMail, now: number): Promise<boolean> {
  const limit = await limitReached(ctx, tx, asked, now);
  if (limit === undefined) return true;
  const { purpose, appId, source } = asked;
  ctx.meter.mailLimited(purpose, limit);
  const details = { purpose, limit };
  aggregatedEvents(ctx).note({
    action: "mail.limited",
    result: "failure",
    app: { id: appId },
    source,
    details,
  });
  return false;
}

/** Counts a mail that is always sent, and returns whether it is within the limits. */
export async function countSent(ctx: Context, tx: Handle, asked: AskedMail, now: number): Promise<boolean> {
  return (await limitReached(ctx, tx, asked, now)) === undefined;
}

/** Counts an invitation, by a command, an app or a member, and returns whether to send it. */
export async function countInvite(
  ctx: Context,
  tx: Handle,
  {
    purpose,
    appId,
    email,
  }: { purpose: "invite" | "organization-invite" | "organization-setup"; appId: string; email: string },
  now: number,
): Promise<boolean> {
  if (await exceeds(ctx, tx, maxMailsOfAddressAndNetwork, now, purpose, appId, email)) return false;
  return !(await exceeds(ctx, tx, mailsPerHour(ctx) ?? Number.POSITIVE_INFINITY, now, purpose, appId));
}

/** Like `count`, for a notice to an unproven address. */
export async function countNotice(
  ctx: Context,
  tx: Handle,
  appId: string,
  email: string,
  now: number,
): Promise<boolean> {
  return !(await exceeds(ctx, tx, maxMailsOfAddressAndNetwork, now, "notice", appId, email));
}
