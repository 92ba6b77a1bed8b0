import type { InitiateRequest, Session, Tokens, TokensAndUser, User } from "./api.ts";
import { randomText, sha256, toBase64Url } from "./encoding.ts";
import { AuthsvcError, isInvalidToken } from "./errors.ts";

export type BrowserAuthOptions = {
  issuer: string;
  appId: string;
  /** A registered redirect URI of this page. By default its address without a query. */
  redirectUri?: string;
};

export type BrowserAuth = ReturnType<typeof createBrowserAuth>;

/** State, PKCE verifier and URL to return to, while the person is at the sign-in page. */
type Begun = { state: string; codeVerifier: string; returnTo: string };

const storageKey = "authsvc-sign-in";
const renewedBefore = 60_000;
const retriedAfter = 10_000;

/**
 * Sign-in for a page without a server. Tokens are only in memory: a reload forgets them, and no
 * other script finds them in a storage.
 */
export function createBrowserAuth(options: BrowserAuthOptions) {
  const { appId, redirectUri = location.origin + location.pathname } = options;
  const issuer = options.issuer.replace(/\/+$/u, "");
  const listeners = new Set<(user: User | undefined) => void>();
  let user: User | undefined;
  let tokens: (Tokens & { until: number }) | undefined;
  let renewing: Promise<void> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function post<Answer>(path: string, body: object, accessToken?: string): Promise<Answer> {
    const headers: Record<string, string> = { "content-type": "application/json", "x-service-app-id": appId };
    if (accessToken !== undefined) headers["authorization"] = `Bearer ${accessToken}`;
    let response: Response;
    let answer: unknown;
    try {
      response = await fetch(issuer + path, { method: "POST", headers, body: JSON.stringify(body) });
      answer = await response.json();
    } catch (cause) {
      throw new AuthsvcError("UNREACHABLE", `No answer from ${issuer} for this App ID and origin.`, { cause });
    }
    if (response.ok) return answer as Answer;
    const { error } = answer as { error?: { code: "INVALID_REQUEST"; message: string; requestId: string } };
    const retryAfter = Number(response.headers.get("retry-after")) || undefined;
    const { code = "UNREACHABLE", message = "The answer is not from authsvc.", requestId } = error ?? {};
    throw new AuthsvcError(code, message, { status: response.status, requestId, retryAfter });
  }

  function keep(fresh: Tokens | undefined): void {
    clearTimeout(timer);
    tokens = fresh && { ...fresh, until: performance.now() + fresh.expiresIn * 1000 };
    if (fresh) renewIn(fresh.expiresIn * 1000 - renewedBefore);
  }

  function signedOut(): void {
    keep(undefined);
    user = undefined;
    for (const listener of listeners) listener(undefined);
  }

  function renewIn(milliseconds: number): void {
    timer = setTimeout(() => void renew().catch(() => {}), milliseconds);
  }

  /** Concurrent calls share one renewal. */
  async function renew(): Promise<void> {
    const { refreshToken = "" } = tokens ?? {};
    renewing ??= post<Tokens>("/auth/refresh", { refreshToken })
      .then((fresh) => {
        // Signed out in the meantime.
        if (tokens) keep(fresh);
      })
      .catch((error: unknown) => {
        if (!isInvalidToken(error)) {
          renewIn(retriedAfter);
          throw error;
        }
        signedOut();
      })
      .finally(() => {
        renewing = undefined;
      });
    await renewing;
  }

  return {
    /** The signed-in user, as of the sign-in. */
    get user(): User | undefined {
      return user;
    },

    /** Calls `listener` with the user after a sign-in, and with undefined when the login ends. */
    onChange(listener: (user: User | undefined) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    /** Call it when the page loads: finishes a sign-in if the URL has its code. */
    async start(): Promise<User | undefined> {
      const query = new URLSearchParams(location.search);
      const state = query.get("state");
      if (state === null || !query.has("sessionId")) return user;
      const begun = JSON.parse(sessionStorage.getItem(storageKey) ?? "null") as Begun | null;
      // Keeps the code out of the browser's history, and uses it once.
      sessionStorage.removeItem(storageKey);
      history.replaceState(null, "", begun?.returnTo ?? location.pathname);
      const code = query.get("code");
      // Otherwise an attacker's link could sign the user in to the attacker's account.
      if (begun?.state !== state || code === null) return user;
      const { codeVerifier } = begun;
      const sessionId = query.get("sessionId");
      const { user: person, ...fresh } = await post<TokensAndUser>("/auth/callback", {
        code,
        sessionId,
        state,
        codeVerifier,
      });
      keep(fresh);
      user = person;
      for (const listener of listeners) listener(user);
      return user;
    },

    /** Leaves the page for the sign-in. People return to the URL where they were. */
    async signIn(extra: Partial<InitiateRequest> = {}): Promise<void> {
      const begun: Begun = {
        state: randomText(),
        codeVerifier: randomText(),
        returnTo: location.pathname + location.search + location.hash,
      };
      const codeChallenge = toBase64Url(await sha256(begun.codeVerifier));
      const body = { ...extra, redirectUri, state: begun.state, codeChallenge };
      const { authUrl } = await post<Session>("/auth/initiate", body);
      sessionStorage.setItem(storageKey, JSON.stringify(begun));
      location.assign(authUrl);
    },

    /** For `Authorization: Bearer` of your own API. Undefined: nobody is signed in. */
    async getAccessToken(): Promise<string | undefined> {
      // Browsers delay timers of background tabs.
      if (tokens && performance.now() > tokens.until - renewedBefore) {
        await renew().catch((error: unknown) => {
          if (!tokens || performance.now() > tokens.until) throw error;
        });
      }
      return tokens?.accessToken;
    },

    /** Ends the login. */
    async signOut(body: { allSessions?: boolean } = {}): Promise<void> {
      const accessToken = await this.getAccessToken();
      signedOut();
      if (accessToken === undefined) return;
      await post("/auth/logout", body, accessToken).catch((error: unknown) => {
        if (!isInvalidToken(error)) throw error;
      });
    },
  };
}
