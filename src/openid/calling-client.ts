/** The client of a call. For an unregistered one, the call determines the application. */
import type { UsableClient } from "../applications/clients/client.ts";
import * as clients from "../applications/clients/service.ts";
import { findResource } from "../applications/resources/store.ts";
import { AppError } from "../lib/errors.ts";
import { digestOf } from "../lib/random.ts";
import type { Context } from "../runtime/context.ts";
import * as clientTokens from "../sessions/client-tokens.ts";
import { findLogin } from "../sessions/login-store.ts";
import { findSessionByCode } from "../sign-in/store.ts";

type Parameters = { get(name: string): string | undefined };

/** `userId`: the user of the code or token that an unregistered client sends. */
export type CallingClient = UsableClient & { userId?: string };

/** The application, and the user if there is one, of a call's code, token or resource. */
async function subjectOf(ctx: Context, form: Parameters): Promise<{ appId: string; userId?: string } | undefined> {
  const { reader } = ctx.storage;
  const [code, token, resource] = [
    form.get("code"),
    form.get("refresh_token") ?? form.get("token"),
    form.get("resource"),
  ];
  if (code) {
    const session = await findSessionByCode(reader, digestOf(code));
    if (session) return { appId: session.appId, ...(session.userId === null ? {} : { userId: session.userId }) };
  }
  const loginId = token ? await clientTokens.loginIdOf(ctx, token) : undefined;
  const login = loginId === undefined ? undefined : await findLogin(reader, loginId);
  if (login) return { appId: login.appId, userId: login.userId };
  return resource ? await findResource(reader, resource) : undefined;
}

/**
 * The client of a call to an OAuth endpoint; undefined if there is none. `form`: read only for an
 * unregistered client. Throws RATE_LIMITED, and BUSY if its document cannot be read now: after a
 * refusal, the client would drop its logins.
 */
export async function find(
  ctx: Context,
  id: string,
  { form, ipAddress }: { form: () => Parameters | Promise<Parameters>; ipAddress: string },
): Promise<CallingClient | undefined> {
  const subject: { appId?: string; userId?: string } = {};
  const within = async () => Object.assign(subject, await subjectOf(ctx, await form())).appId;
  const found = await clients.load(ctx, id, { within, ipAddress, forTokens: true });
  const { userId } = subject;
  if (!("refusal" in found)) return { ...found, ...(userId === undefined ? {} : { userId }) };
  if (!found.passes) return undefined;
  const { cause } = found;
  throw new AppError("BUSY", "The client's document cannot be read at the moment.", { retryAfterSeconds: 10, cause });
}
