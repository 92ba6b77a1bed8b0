import type { Application } from "../../applications/application.ts";
import type { Client } from "../../applications/clients/client.ts";
import * as consents from "../../applications/clients/consents.ts";
import * as clients from "../../applications/clients/service.ts";
import type { Resource } from "../../applications/resources/resource.ts";
import { digestOf } from "../../lib/random.ts";
import type { RequestSource } from "../../lib/request-source.ts";
import type { Context } from "../../runtime/context.ts";
import { lockBrowserSession } from "../../sessions/browser-session-store.ts";
import type { Login } from "../../sessions/login.ts";
import type { Handle } from "../../storage/storage.ts";
import * as groups from "../../users/groups/service.ts";
import * as clientAccess from "../client-access.ts";
import { codeLasts, consentTo, sessionLasts, type SignInSession } from "../session.ts";

type Granted = { resource: Resource | null; scopes: string[] };

/**
 * How a sign-in began. Only the same door takes its code; each says what the call must show and
 * what its login gets, by the rules of now (docs/decisions/0042).
 */
export type Door = {
  /** By the HTTP API, or by an OpenID Connect client. */
  name: "contract" | "client";
  /** The one that calls; undefined: the application, by the HTTP API. */
  client: Client | undefined;
  withoutSecret: boolean;
  /** Only a code with PKCE: it proves possession in place of a secret. */
  needsPkce: boolean;
  codeLasts: number;
  /** The thumbprint of the key that the login's refresh tokens are bound to, if they are. */
  proofKey: string | null;
  /** Whether the call shows what the session was begun with, besides the code and PKCE. */
  fits(session: SignInSession): boolean;
  /**
   * Locks the client: it stays enabled until the commit. Tells whether responses may still be sent
   * to a redirect URI.
   */
  mayReturn(ctx: Context, tx: Handle): Promise<(application: Application, redirectUri: string) => boolean>;
  /**
   * What the login gets; undefined if the browser signed out, or the client may no longer sign this
   * user in. Lock the user first.
   */
  grantedTo(ctx: Context, tx: Handle, session: SignInSession, userId: string): Promise<Granted | undefined>;
  /** Where the login is; it ends with that browser session. */
  placeOf(
    session: SignInSession,
    source: RequestSource,
  ): Pick<SignInSession, "ipAddress" | "userAgent" | "browserSessionDigest" | "knownBrowserDigest">;
  /** Whether a login with these scopes gets refresh tokens. */
  refreshes(scopes: string[]): boolean;
  /** At a protected host: how its login is kept there. */
  atHost?: HostDoor;
};

/** `lasts`: how long a login lives, in milliseconds. `open`: within the redemption. */
export type HostDoor = { lasts: number; open(tx: Handle, login: Login, now: number): Promise<void> };

/** The callback of the HTTP API. */
export function callbackDoor({
  sessionId,
  state = null,
  withoutSecret,
}: {
  sessionId: string;
  state: string | null | undefined;
  withoutSecret: boolean;
}): Door {
  return {
    name: "contract",
    client: undefined,
    withoutSecret,
    needsPkce: withoutSecret,
    codeLasts,
    proofKey: null,
    // Each binding by itself (CVE-2026-28513 combined two with the wrong operator).
    fits(session) {
      if (session.authorization !== null) return false;
      if (digestOf(sessionId) !== session.digest) return false;
      return state === session.state;
    },
    mayReturn: () => Promise.resolve(({ redirectUris }, redirectUri) => redirectUris.includes(redirectUri)),
    grantedTo: (_ctx, _tx, { scopes }) => Promise.resolve({ resource: null, scopes }),
    placeOf: (session) => session,
    refreshes: () => true,
  };
}

/** The token endpoint, for a code. `redirectUri`: that of the authorization request. */
export function clientDoor({
  client,
  redirectUri,
  proofKey,
  withoutSecret,
}: {
  client: Client;
  redirectUri: string | undefined;
  proofKey: string | null;
  withoutSecret: boolean;
}): Door {
  return {
    name: "client",
    client,
    withoutSecret,
    needsPkce: withoutSecret,
    codeLasts,
    proofKey: withoutSecret ? proofKey : null,
    fits({ authorization, redirectUri: asked }) {
      if (authorization?.clientId !== client.id) return false;
      if (redirectUri !== asked) return false;
      if (authorization.proofKey !== undefined && proofKey !== authorization.proofKey) return false;
      // Single sign-on asks nobody, and any app on a phone can claim a scheme (RFC 8252 §8.6).
      return !(withoutSecret && client.kind === "web" && !/^https?:/u.test(asked));
    },
    async mayReturn(ctx, tx) {
      const registration = await clients.lock(ctx, tx, client);
      return (application, asked) =>
        registration?.application.id === application.id && clients.allowsRedirect(registration.client, asked);
    },
    async grantedTo(ctx, tx, session, userId) {
      if (!(await lockBrowserSession(tx, session.browserSessionDigest ?? "", userId))) return undefined;
      return await grantedAt(ctx, tx, { client, userId }, session);
    },
    placeOf: (session) => session,
    refreshes: (scopes) => getsRefreshTokens(client, scopes),
  };
}

/** The token endpoint, for a device whose person has allowed it. The code never left the device. */
export function deviceDoor({ client, proofKey }: { client: Client; proofKey: string | null }): Door {
  return {
    name: "client",
    client,
    withoutSecret: true,
    needsPkce: false,
    codeLasts: sessionLasts,
    proofKey,
    fits: ({ authorization }) => authorization?.clientId === client.id,
    // A device returns nowhere.
    async mayReturn(ctx, tx) {
      const registration = await clients.lock(ctx, tx, client);
      return (application) => registration?.application.id === application.id && registration.client.deviceGrant;
    },
    grantedTo: (ctx, tx, session, userId) => grantedAt(ctx, tx, { client, userId }, session),
    // The device's own: it does not end with the browser in which it was allowed.
    placeOf: (_session, { ipAddress, userAgent }) => ({
      ipAddress,
      userAgent,
      browserSessionDigest: null,
      knownBrowserDigest: null,
    }),
    refreshes: (scopes) => getsRefreshTokens(client, scopes),
  };
}

/**
 * The callback at a protected host. `state`: of the authorization request, which binds the code to
 * the browser that asked.
 */
export function hostDoor(
  { client, redirectUri, state }: { client: Client; redirectUri: string; state: string },
  atHost: HostDoor,
): Door {
  return {
    ...clientDoor({ client, redirectUri, proofKey: null, withoutSecret: false }),
    fits: (session) =>
      session.authorization?.clientId === client.id && session.redirectUri === redirectUri && session.state === state,
    refreshes: () => false,
    atHost,
  };
}

/** If the user's groups are still allowed, and the consent still stands. */
async function grantedAt(
  ctx: Context,
  tx: Handle,
  { client, userId }: { client: Client; userId: string },
  session: SignInSession,
): Promise<Granted | undefined> {
  const current = await clients.find(ctx, tx, client.id, session.authorization ?? {});
  if (!current || !(await groups.admits(tx, current.client, userId))) return undefined;
  const granted = await clientAccess.granted(tx, session, current);
  if (!granted) return undefined;
  const agreed = consentTo({ ...session, scopes: granted.scopes });
  return (await consents.lacks(tx, { client, userId, scopes: agreed })) ? undefined : granted;
}

function getsRefreshTokens({ refreshTokens }: Client, scopes: string[]): boolean {
  return refreshTokens === "always" || scopes.includes("offline_access");
}
