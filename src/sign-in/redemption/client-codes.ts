/**
 * The conditions under which an OpenID Connect client can redeem its code (docs/decisions/0042).
 */
import type { Application } from "../../applications/application.ts";
import type { Client } from "../../applications/clients/client.ts";
import * as consents from "../../applications/clients/consents.ts";
import * as clients from "../../applications/clients/service.ts";
import type { Resource } from "../../applications/resources/resource.ts";
import type { Context } from "../../runtime/context.ts";
import { lockBrowserSession } from "../../sessions/browser-session-store.ts";
import type { Handle } from "../../storage/storage.ts";
import * as groups from "../../users/groups/service.ts";
import * as clientAccess from "../client-access.ts";
import { consentTo, type SignInSession } from "../session.ts";

export type MayReturn = (application: Application, redirectUri: string) => boolean;

/** Locks the client. Tells whether it is enabled and a redirect URI registered. */
export async function lock(ctx: Context, tx: Handle, client: Client): Promise<MayReturn> {
  const registration = await clients.lock(ctx, tx, client);
  return (application, redirectUri) =>
    registration?.application.id === application.id && clients.allowsRedirect(registration.client, redirectUri);
}

/** The same for a device: it returns nowhere. */
export async function lockForDevice(ctx: Context, tx: Handle, client: Client): Promise<MayReturn> {
  const registration = await clients.lock(ctx, tx, client);
  return (application) => registration?.application.id === application.id && registration.client.deviceGrant;
}

/**
 * The scopes of the login, if the browser is still signed in, the user's groups are still allowed,
 * and the consent is still valid. A device does not depend on the browser. Lock the user first.
 */
export async function grantedTo(
  ctx: Context,
  tx: Handle,
  { client, userId }: { client: Client; userId: string },
  session: SignInSession,
): Promise<{ resource: Resource | null; scopes: string[] } | undefined> {
  const isFree = session.authorization?.device !== undefined;
  if (!isFree && !(await lockBrowserSession(tx, session.browserSessionDigest ?? "", userId))) return undefined;
  const current = await clients.find(ctx, tx, client.id, session.authorization ?? {});
  if (!current || !(await groups.admits(tx, current.client, userId))) return undefined;
  const granted = await clientAccess.granted(tx, session, current);
  if (!granted) return undefined;
  const agreed = consentTo({ ...session, scopes: granted.scopes });
  return (await consents.lacks(tx, { client, userId, scopes: agreed })) ? undefined : granted;
}
