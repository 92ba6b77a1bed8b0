/** The terms of an application, and who accepted which version (docs/decisions/0101). */
import { isoTime } from "../lib/clock.ts";
import type { RequestSource } from "../lib/request-source.ts";
import * as audit from "../records/audit/audit.ts";
import * as events from "../records/webhooks/events.ts";
import type { Context } from "../runtime/context.ts";
import type { AppSettings } from "../storage/column-types.ts";
import type { Handle } from "../storage/storage.ts";
import { findTermsAnswer, listTermsAnswers, saveTermsAnswer } from "./terms-store.ts";
import type { User } from "./user.ts";

export type Terms = { version: string; url: string; required: boolean };

export type TermsAnswerShown = {
  version: string;
  url: string;
  accepted: boolean;
  at: string;
  ipAddress: string | null;
};

/** The terms that an application asks for; undefined if there are none. */
export function termsOf({ termsVersion, termsUrl, termsRequired = true }: AppSettings): Terms | undefined {
  return termsVersion && termsUrl ? { version: termsVersion, url: termsUrl, required: termsRequired } : undefined;
}

/** A no to terms that are not required is an answer, too: it is asked for once. */
export async function isAsked(handle: Handle, { version, required }: Terms, userId: string): Promise<boolean> {
  const answer = await findTermsAnswer(handle, { userId, version });
  return answer === undefined || (required && !answer.accepted);
}

/** Records what a locked user answered. Their first yes to a version is the one that counts. */
export async function record(
  ctx: Context,
  tx: Handle,
  { id: userId, appId }: Pick<User, "id" | "appId">,
  { version, url, accepted }: { version: string; url: string; accepted: boolean },
  source: RequestSource,
  now: number,
): Promise<void> {
  const { ipAddress } = source;
  if (!(await saveTermsAnswer(tx, { userId, version, url, accepted, answeredAt: now, ipAddress }))) return;
  const about = { appId, userId, source, details: { version, accepted } };
  const actor = { kind: "user", name: userId } as const;
  await audit.record(ctx, tx, { actor, action: "user.terms", result: "success", ...about }, now);
  if (!accepted) return;
  const event = { kind: "user.terms", appId, userId, authMethod: null, source, sessionId: null } as const;
  await events.record(ctx, tx, event, now);
}

/** Oldest first. */
export async function list(handle: Handle, userId: string): Promise<TermsAnswerShown[]> {
  const answers = await listTermsAnswers(handle, userId);
  return answers.map(({ version, url, accepted, answeredAt, ipAddress }) => {
    return { version, url, accepted, at: isoTime(answeredAt), ipAddress };
  });
}
