import type { Tokens, TokensAndUser } from "./api.ts";
import type { Authsvc } from "./authsvc.ts";
import type { Cookies } from "./cookies.ts";
import { isInvalidRequest, isInvalidToken, isRefused } from "./errors.ts";
import { organizationOf, type NamedOrganization, type UserOrganization } from "./organizations.ts";
import type { Seal } from "./seal.ts";
import { invalidToken, type Claims } from "./token.ts";

/** Who is signed in. Safe to show to the user: it holds no token. */
export type SignedInUser = {
  id: string;
  /** Null without the scope `email`. */
  email: string | null;
  /** Unless true, never look up an account by the address. */
  emailVerified: boolean;
  /** As of the sign-in; null with a bearer token. `profile.get` reads the current one. */
  name: string | null;
  picture: string | null;
  /** The organization that is open; null: none. */
  organization: UserOrganization | null;
  /** The login, which a logout ends. */
  sessionId: string;
  /** All claims of the access token. */
  claims: Claims;
};

export type Session = { user: SignedInUser; accessToken: string };

/** The response must carry `setCookies`, or the next request is signed out. */
export type SessionResult = { session?: Session; setCookies: string[] };

/**
 * In the cookie: access and refresh token, the access token's expiry, name, picture, and the
 * organization.
 */
type Kept = { a: string; r: string; e: number; n: string | null; p: string | null; o?: NamedOrganization };

const cookieName = "session";
/** As long as an unused refresh token lives. */
const cookieSeconds = 14 * 86_400;
/** Before expiry, because clocks may differ by a minute and calls take time. */
const refreshedBefore = 60_000;

/** Sessions in encrypted cookies: nothing is stored on the server. */
export function createSessions(authsvc: Authsvc, seal: Seal) {
  async function keptIn(cookies: Cookies, present: Map<string, string>): Promise<Kept | undefined> {
    const text = cookies.join(cookieName, present);
    return text === undefined ? undefined : ((await seal.open(cookieName, text)) as Kept | undefined);
  }

  async function cookiesOf(cookies: Cookies, kept: Kept, present: Map<string, string>): Promise<string[]> {
    return cookies.split(cookieName, await seal.seal(cookieName, kept), cookieSeconds, present);
  }

  async function sessionOf({ a, n, p }: Pick<Kept, "a" | "n" | "p">, o?: NamedOrganization | null): Promise<Session> {
    const claims = await authsvc.verify(a);
    const { sub, sid, email = null, email_verified: emailVerified = false } = claims;
    const organization = organizationOf(claims, o);
    const user = { id: sub, email, emailVerified, name: n, picture: p, organization, sessionId: sid, claims };
    return { user, accessToken: a };
  }

  function keptOf(tokens: Tokens, person: { n: string | null; p: string | null }): Kept {
    const { accessToken: a, refreshToken: r, expiresIn, organization } = tokens;
    // Its roles are in the token.
    const o = organization && { id: organization.id, slug: organization.slug, name: organization.name };
    return { a, r, e: authsvc.now() + expiresIn * 1000, n: person.n, p: person.p, ...(o && { o }) };
  }

  async function refreshTo(refreshToken: string, organization: string | undefined): Promise<Tokens> {
    try {
      return await authsvc.refresh(refreshToken, organization);
    } catch (error) {
      // The application has no organizations any more, and does not know the field.
      if (organization === undefined || !isInvalidRequest(error)) throw error;
      return await authsvc.refresh(refreshToken);
    }
  }

  /**
   * Tokens of the same organization as before, or of none. The login may name another one by now,
   * and a request that is repeated must not act there.
   */
  async function renewed({ r, o }: Kept): Promise<Tokens> {
    const tokens = await refreshTo(r, o?.id);
    const got = tokens.organization?.id;
    if (got === undefined || got === o?.id) return tokens;
    if (o) throw invalidToken("it names another organization");
    return await authsvc.refresh(tokens.refreshToken, "none");
  }

  async function refreshed(cookies: Cookies, kept: Kept, present: Map<string, string>): Promise<SessionResult> {
    try {
      const fresh = keptOf(await renewed(kept), kept);
      return { session: await sessionOf(fresh, fresh.o ?? null), setCookies: await cookiesOf(cookies, fresh, present) };
    } catch (error) {
      // 403: the user may not use the organization any more.
      if (!isInvalidToken(error) && !isRefused(error)) throw error;
      return { setCookies: cookies.clearParts(cookieName, present) };
    }
  }

  /**
   * Opens another organization, or none (`none`), in this browser. Undefined: nobody is signed in.
   * @throws AuthsvcError INSUFFICIENT_SCOPE: the user may not use it, and nothing changes.
   */
  async function open(cookies: Cookies, header: string | null, organization: string): Promise<string[] | undefined> {
    const present = cookies.read(header);
    const kept = await keptIn(cookies, present);
    if (!kept) return undefined;
    try {
      return await cookiesOf(cookies, keptOf(await authsvc.refresh(kept.r, organization), kept), present);
    } catch (error) {
      if (!isInvalidToken(error)) throw error;
      return undefined;
    }
  }

  /** Also of a user who may use the organization no more. */
  async function endLogin({ a, r, o }: Kept): Promise<void> {
    try {
      await authsvc.logout(a);
    } catch (error) {
      if (!isInvalidToken(error)) throw error;
      // It has expired. A login that has ended cannot be refreshed.
      const fresh = await refreshTo(r, o?.id).catch(async (refused: unknown) => {
        if (!isRefused(refused)) throw refused;
        return await authsvc.refresh(r, "none");
      });
      await authsvc.logout(fresh.accessToken);
    }
  }

  async function read(cookies: Cookies, header: string | null, canSetCookies: boolean): Promise<SessionResult> {
    const present = cookies.read(header);
    const kept = await keptIn(cookies, present);
    if (!kept) {
      const isUnreadable = cookies.join(cookieName, present) !== undefined;
      return { setCookies: canSetCookies && isUnreadable ? cookies.clearParts(cookieName, present) : [] };
    }
    const isOld = authsvc.now() > kept.e - refreshedBefore;
    if (isOld && canSetCookies) {
      try {
        return await refreshed(cookies, kept, present);
      } catch (error) {
        // The service is busy or down. The token may still be good for a while.
        if (authsvc.now() >= kept.e) throw error;
      }
    }
    try {
      return { session: await sessionOf(kept, kept.o ?? null), setCookies: [] };
    } catch (error) {
      if (!isInvalidToken(error)) throw error;
      // Its login may live on: another process refreshed it, or its signing key was withdrawn.
      return canSetCookies ? await refreshed(cookies, kept, present) : { setCookies: [] };
    }
  }

  return {
    /** The user of a bearer token, as an API gets it; nobody if the token is not valid here. */
    async ofBearer(accessToken: string): Promise<SessionResult> {
      try {
        return { session: await sessionOf({ a: accessToken, n: null, p: null }), setCookies: [] };
      } catch (error) {
        if (!isInvalidToken(error)) throw error;
        return { setCookies: [] };
      }
    },

    /**
     * Who is signed in. Refreshes the tokens before they expire, but only with `canSetCookies`:
     * losing a refreshed token ends the login.
     */
    read,

    open,

    /** Cookies of a new login. */
    async begin(cookies: Cookies, header: string | null, tokens: TokensAndUser): Promise<string[]> {
      const { name, picture } = tokens.user;
      return await cookiesOf(cookies, keptOf(tokens, { n: name, p: picture }), cookies.read(header));
    },

    /** Ends the login, and clears its cookies even if the service cannot be reached. */
    async end(cookies: Cookies, header: string | null): Promise<{ setCookies: string[]; failure?: unknown }> {
      const present = cookies.read(header);
      const setCookies = cookies.clearParts(cookieName, present);
      const kept = await keptIn(cookies, present);
      try {
        if (kept) await endLogin(kept);
      } catch (failure) {
        if (!isInvalidToken(failure) && !isRefused(failure)) return { setCookies, failure };
      }
      return { setCookies };
    },
  };
}
