/**
 * Authenticates a person again whose provider does not confirm a recent sign-in
 * (docs/decisions/0074).
 */
import * as clients from "../../applications/providers/provider-clients.ts";
import type { OfferedProvider } from "../../applications/providers/provider-clients.ts";
import { providerTemplate } from "../../applications/providers/providers.ts";
import { mustProve } from "../../applications/sign-up/rules.ts";
import * as applications from "../../applications/service.ts";
import * as methods from "../../credentials/methods/service.ts";
import * as passkeys from "../../credentials/passkeys/service.ts";
import * as mail from "../../records/mail/service.ts";
import type { Context } from "../../runtime/context.ts";
import type { User } from "../../users/user.ts";
import * as proofs from "../proofs.ts";
import * as sessions from "../service.ts";
import type { SignInAttempt } from "../sign-in-attempt.ts";

/** `providers`: others of the user, which can say when. */
export type Ways = { passkey: boolean; password: boolean; emailCode: boolean; providers: OfferedProvider[] };

type Place = Pick<SignInAttempt, "session" | "application">;

/**
 * The user's own ways, whatever method the session asked for first. A code needs no setting of the
 * application: it is not how the person signs in. Only a code proves the address.
 */
export async function waysOf(ctx: Context, { session, application }: Place, user: User): Promise<Ways> {
  if (mustProve(application.settings, user))
    return { passkey: false, password: false, emailCode: mail.available(ctx), providers: [] };
  const own = await methods.list(ctx.storage.reader, user.id);
  const has = (type: "passkey" | "password"): boolean =>
    applications.allows(application, type, null) && own.some((method) => method.type === type);
  const others = own.flatMap((method) => (method.type === "oauth" ? [method.provider] : []));
  const offered = others.length === 0 ? [] : await clients.offered(ctx, application.id);
  return {
    passkey: passkeys.available(ctx) && has("passkey"),
    password: user.email !== null && has("password"),
    // After an organization's provider it would be no proof of the person's own.
    emailCode:
      session.provenWith !== "organization" && user.email !== null && user.emailVerified && mail.available(ctx),
    providers: offered.filter(
      ({ name }) =>
        name !== session.provenProvider &&
        others.includes(name) &&
        providerTemplate(name).source === "id-token" &&
        sessions.allowsProvider(session, application, name),
    ),
  };
}

/** The user to authenticate again in this session; undefined: nobody. */
export async function find(ctx: Context, place: Place): Promise<{ user: User; ways: Ways } | undefined> {
  const waiting = await proofs.findWaiting(ctx, place);
  if (waiting?.next !== "prove-anew" && waiting?.next !== "own-proof") return undefined;
  return { user: waiting.user, ways: await waysOf(ctx, place, waiting.user) };
}
