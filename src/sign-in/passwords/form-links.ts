/**
 * Mails a link that opens the form without a puzzle, for a browser without scripts
 * (docs/decisions/0105).
 */
import { day, hour } from "../../lib/clock.ts";
import { networkOf } from "../../lib/networks.ts";
import * as mail from "../../records/mail/service.ts";
import { rateLimits } from "../../rate-limits/service.ts";
import type { Context } from "../../runtime/context.ts";
import * as users from "../../users/service.ts";
import * as sessions from "../service.ts";
import type { SignInSession } from "../session.ts";
import type { SignInAttempt } from "../sign-in-attempt.ts";

const maxTries = 3;
/** Enough for an office. Far fewer than `mail.perHour`: a robot may claim to have no scripts. */
const maxOfNetworkPerHour = 20;

/** The end of the current hour or day. */
function endOf(now: number, span: number): number {
  return (Math.floor(now / span) + 1) * span;
}

/**
 * Mails the owner of this canonical address a link for this session: at most one a day for an
 * account, `mail.perHour` an hour for an application, apart from other mails. The same writes for
 * every address.
 */
export async function ask(
  ctx: Context,
  { application, session, sessionId, source, lang }: SignInAttempt,
  email: string,
): Promise<void> {
  const appId = application.id;
  const now = ctx.clock();
  const found = await users.findByEmail(ctx.storage.reader, appId, email);
  const user = found?.disabledAt === null ? found : undefined;
  const { use } = rateLimits(ctx);
  const link = linkFor(ctx, sessionId, session, email);
  const isSent = await ctx.storage.write(async (tx) => {
    const ofNetwork = await use(tx, `form-links ${appId} ${networkOf(source.ipAddress)}`, endOf(now, hour));
    if (ofNetwork > maxOfNetworkPerHour) return false;
    if ((await use(tx, `form-links ${appId}`, endOf(now, hour))) > ctx.config.mailsPerHour) return false;
    if ((await use(tx, `form-link ${appId} ${email}`, endOf(now, day))) > 1) return false;
    if (user) {
      const about = { appId, userId: user.id, to: email, locale: user.locale ?? lang, origin: source };
      await mail.enqueue(ctx, tx, { ...about, kind: "password-form", link, expiresAt: session.expiresAt }, now);
    } else {
      // Instead of the mail.
      await use(tx, `form-link-to-nobody ${appId} ${email}`, endOf(now, day));
    }
    return true;
  });
  if (isSent) await sessions.awaitMail(ctx, session);
}

function linkFor(ctx: Context, sessionId: string, session: SignInSession, email: string): string {
  const pass = ctx.keyring.sealCursor(JSON.stringify([email, session.expiresAt]), "password-form", sessionId);
  return `${ctx.baseUrl}/sign-in/${sessionId}?form=${pass}`;
}

/** The account that a link opens the form for; undefined if it is no link of this session. */
export function accountOf(ctx: Context, sessionId: string, pass: string | undefined): string | undefined {
  const text = pass === undefined ? undefined : ctx.keyring.openCursor(pass, "password-form", sessionId);
  if (text === undefined) return undefined;
  const [email, until] = JSON.parse(text) as [string, number];
  return until >= ctx.clock() ? email : undefined;
}

/** Counts a try with the link at its account. False if it is another account, or none is left. */
export async function takeTry(ctx: Context, sessionId: string, pass: string, email: string): Promise<boolean> {
  if (accountOf(ctx, sessionId, pass) !== email) return false;
  const ends = endOf(ctx.clock(), day);
  const tries = await ctx.storage.write((tx) => rateLimits(ctx).use(tx, `form-tries ${sessionId} ${email}`, ends));
  return tries <= maxTries;
}
