import type { InitiateRequest, Session, Tokens, TokensAndUser, User } from "./api.ts";
import { randomText, sha256, toBase64Url } from "./encoding.ts";
import { AuthsvcError } from "./errors.ts";

export type BrowserAuthOptions = {
  issuer: string;
  appId: string;
  /** A registered redirect URI of this page. Default: the page's URL without a query. */
  redirectUri?: string;
};

export type BrowserAuth = ReturnType<typeof createBrowserAuth>;

/** State, PKCE verifier and URL to return to, while the browser is at the service. */
type Begun = { state: string; codeVerifier: string; returnTo: string };

/** A response of the token endpoint, or an error of any OAuth endpoint. */
type OAuthTokens = { access_token: string; refresh_token: string; expires_in: number; organization?: string };
type Failure = {
  error?: string | { code: "INVALID_REQUEST"; message: string; requestId: string };
  error_description?: string;
};

const storageKey = "authsvc-sign-in";
/** Of this tab. */
const stored = (): Record<string, string | undefined> => sessionStorage;
const renewedBefore = 60_000;
const retriedAfter = 10_000;
const frameWaits = 5000;

/**
 * Sign-in for a page without a server. Tokens are kept only in memory, where no other script finds
 * them. A reload gets new ones silently while the user is signed in to the service.
 */
export function createBrowserAuth(options: BrowserAuthOptions) {
  const { appId, redirectUri = location.origin + location.pathname } = options;
  const issuer = options.issuer.replace(/\/+$/u, "");
  /** What this tab names from when it first opened an organization: its id, or `none`. */
  const organizationKey = `authsvc-org-${appId}`;
  const listeners = new Set<(user: User | undefined) => void>();
  let user: User | undefined;
  let tokens: (Tokens & { until: number }) | undefined;
  let starting: Promise<void> | undefined;
  let renewing: Promise<void> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** POST if there is a body: JSON, or a form for an OAuth endpoint. */
  async function call<Answer>(path: string, body?: object, accessToken?: string): Promise<Answer> {
    const isForm = body instanceof URLSearchParams;
    const headers: Record<string, string> = isForm
      ? {}
      : { "content-type": "application/json", "x-service-app-id": appId };
    if (accessToken !== undefined) headers["authorization"] = `Bearer ${accessToken}`;
    const init = body ? { method: "POST", headers, body: isForm ? body : JSON.stringify(body) } : { headers };
    let response: Response;
    let answer: unknown;
    try {
      response = await fetch(issuer + path, init);
      answer = await response.json();
    } catch (cause) {
      throw new AuthsvcError("UNREACHABLE", `No answer from ${issuer} for this App ID and origin.`, { cause });
    }
    if (response.ok) return answer as Answer;
    const { error, error_description: description = "" } = answer as Failure;
    const retryAfter = Number(response.headers.get("retry-after")) || undefined;
    const {
      code = "UNREACHABLE",
      message = "The answer is not from authsvc.",
      requestId,
    } = typeof error === "string" ? { code: "INVALID_REQUEST" as const, message: description } : (error ?? {});
    throw new AuthsvcError(code, message, { status: response.status, requestId, retryAfter });
  }

  function keep(fresh: Tokens | undefined, named = fresh?.organization?.id): void {
    clearTimeout(timer);
    tokens = fresh && { ...fresh, until: performance.now() + fresh.expiresIn * 1000 };
    if (!fresh) return;
    renewIn(fresh.expiresIn * 1000 - renewedBefore);
    if (named ?? stored()[organizationKey]) stored()[organizationKey] = named ?? "none";
  }

  function changeUser(person: User | undefined): void {
    user = person;
    remember(person ? "yes" : null);
    for (const listener of listeners) listener(person);
  }

  function signedOut(): void {
    keep(undefined);
    changeUser(undefined);
  }

  function renewIn(milliseconds: number): void {
    timer = setTimeout(() => void renew().catch(() => {}), milliseconds);
  }

  /**
   * Concurrent calls share one renewal. It names an organization, by default the one that the
   * tokens name, so that what was begun in one is never sent to another.
   */
  async function renew(to?: string): Promise<void> {
    const refresh = async (named?: string): Promise<Tokens> =>
      await call("/auth/refresh", { refreshToken: tokens?.refreshToken, organization: named });
    renewing ??= refresh(to ?? stored()[organizationKey])
      .catch((error: unknown) => {
        // The application has no organizations any more, and does not know the field. Without a
        // key, it only says that the key is missing.
        if ((to ?? "none") !== "none" || (error as AuthsvcError).code !== "INVALID_API_KEY") throw error;
        return refresh();
      })
      .then((fresh) => {
        // Signed out in the meantime.
        if (tokens) keep(fresh);
      })
      .catch((error: unknown) => {
        // A switch that is refused changes nothing.
        const { code } = error as AuthsvcError;
        if (code === "INVALID_TOKEN" || (!to && code === "INSUFFICIENT_SCOPE")) return signedOut();
        if (!to) renewIn(retriedAfter);
        throw error;
      })
      .finally(() => {
        renewing = undefined;
      });
    await renewing;
  }

  async function freshToken(to?: string): Promise<string | undefined> {
    // Browsers delay timers of background tabs.
    if (tokens && performance.now() > tokens.until - renewedBefore) {
      await renew(to).catch((error: unknown) => {
        if (!tokens || performance.now() > tokens.until) throw error;
      });
    }
    return tokens?.accessToken;
  }

  /**
   * Whether this browser signed in before and has not signed out. Nothing else outlives the page.
   * It is not secret, and saves requests for visitors who never sign in.
   */
  function remember(change?: "yes" | null): boolean {
    const key = `authsvc-signed-in-${appId}`;
    try {
      if (change) localStorage.setItem(key, change);
      else if (change === null) {
        localStorage.removeItem(key);
        delete stored()[organizationKey];
      }
      return localStorage.getItem(key) !== null;
    } catch {
      // A browser that blocks all storage.
      return false;
    }
  }

  async function begin(): Promise<{ begun: Begun; codeChallenge: string }> {
    const begun = { state: randomText(), codeVerifier: randomText(), returnTo: location.href };
    return { begun, codeChallenge: toBase64Url(await sha256(begun.codeVerifier)) };
  }

  /** Where the service redirects at once, with a code or an error, and shows no page. */
  function silentUrl({ state }: Begun, codeChallenge: string): string {
    const query = {
      response_type: "code",
      client_id: appId,
      redirect_uri: redirectUri,
      scope: "offline_access profile email groups",
      state,
      code_challenge: codeChallenge,
      code_challenge_method: "S256",
      prompt: "none",
      // Empty is as missing.
      organization: stored()[organizationKey] ?? "",
    };
    return `${issuer}/oauth2/authorize?${new URLSearchParams(query).toString()}`;
  }

  /** Redeems the code of a redirect. One with a `sessionId` comes from a sign-in page. */
  async function finish(query: URLSearchParams, { state, codeVerifier }: Begun): Promise<boolean> {
    const code = query.get("code");
    // Otherwise an attacker's link could sign the user in to the attacker's account.
    if (query.get("state") !== state || code === null) return false;
    const sessionId = query.get("sessionId");
    if (sessionId !== null) {
      const { user: person, ...fresh } = await call<TokensAndUser>("/auth/callback", {
        code,
        sessionId,
        state,
        codeVerifier,
      });
      keep(fresh);
      changeUser(person);
      return true;
    }
    const form = {
      grant_type: "authorization_code",
      client_id: appId,
      code,
      redirect_uri: redirectUri,
      code_verifier: codeVerifier,
    };
    const got = await call<OAuthTokens>("/oauth2/token", new URLSearchParams(form));
    const person = await call<User>("/users/profile", undefined, got.access_token);
    const { access_token: accessToken, refresh_token: refreshToken, expires_in: expiresIn } = got;
    keep({ accessToken, refreshToken, expiresIn }, got.organization);
    changeUser(person);
    return true;
  }

  /** The query with which a hidden frame returns to this page; empty if it does not. */
  async function framed(url: string): Promise<URLSearchParams> {
    const frame = document.createElement("iframe");
    frame.hidden = true;
    // Its scripts do not run: this page would start a second time in it.
    frame.sandbox.add("allow-same-origin");
    frame.src = url;
    await new Promise<unknown>((resolve) => {
      frame.addEventListener("load", resolve);
      setTimeout(resolve, frameWaits);
      document.documentElement.append(frame);
    });
    try {
      return new URLSearchParams(frame.contentWindow?.location.search);
    } catch {
      return new URLSearchParams();
    } finally {
      frame.remove();
    }
  }

  /** Signs in again without a page: in a frame, or by leaving for the service and coming back. */
  async function signInSilently(): Promise<void> {
    if (isSameSite(issuer)) {
      const { begun, codeChallenge } = await begin();
      if (await finish(await framed(silentUrl(begun, codeChallenge)), begun)) return;
    }
    // Not in a frame: there the service has no cookies, or they were just tried.
    if (window.parent === window) await leave({}, silentUrl);
  }

  /** Leaves the page for the sign-in page, or for a silent sign-in. */
  async function leave(extra: Partial<InitiateRequest>, silently?: typeof silentUrl): Promise<void> {
    const { begun, codeChallenge } = await begin();
    const body = { ...extra, redirectUri, state: begun.state, codeChallenge };
    // Also before a silent sign-in: it fails here, not on an error page, if the service is down.
    const { authUrl } = await call<Session>("/auth/initiate", body);
    stored()[storageKey] = JSON.stringify(begun);
    if (!silently) return location.assign(authUrl);
    location.replace(silently(begun, codeChallenge));
    // The page must not show "signed out" while it leaves.
    await new Promise(() => {});
  }

  async function startOnce(): Promise<void> {
    const query = new URLSearchParams(location.search);
    if (!query.has("state") || !(query.has("sessionId") || query.has("iss"))) {
      if (!user && remember()) await signInSilently();
      return;
    }
    const begun = JSON.parse(stored()[storageKey] ?? "null") as Begun | null;
    // Keeps the code out of the browser's history, and uses it once.
    delete stored()[storageKey];
    history.replaceState(null, "", begun?.returnTo ?? location.pathname);
    // Signed out at the service: the next load does not ask again.
    if (begun && query.get("state") === begun.state && query.has("error")) remember(null);
    if (begun) await finish(query, begun);
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

    /**
     * Call it when the page loads. It finishes a sign-in if the URL has its code, or signs in again
     * silently if this browser was signed in. It never resolves if it leaves the page for that.
     */
    async start(): Promise<User | undefined> {
      starting ??= startOnce().finally(() => {
        starting = undefined;
      });
      await starting;
      return user;
    },

    /** Leaves the page for the sign-in. People return to the URL where they were. */
    async signIn(extra: Partial<InitiateRequest> = {}): Promise<void> {
      await leave(extra);
    },

    /** For `Authorization: Bearer` of your own API. Undefined: nobody is signed in. */
    async getAccessToken(): Promise<string | undefined> {
      return await freshToken();
    },

    /**
     * Opens another organization in this tab, by id or slug, or none (`none`).
     * @throws AuthsvcError INSUFFICIENT_SCOPE: the user may not use it, and nothing changed.
     */
    async switchOrganization(to: string): Promise<void> {
      for (let running = renewing; running; running = renewing) await running.catch(() => {});
      // If its answer is lost, it may have worked: until then, this tab has none.
      stored()[organizationKey] ??= "none";
      await renew(to);
    },

    /** Ends the login. */
    async signOut(body: { allSessions?: boolean } = {}): Promise<void> {
      const named = stored()[organizationKey] && "none";
      remember(null);
      // Also of a user who may use the organization no more, or must use one.
      const accessToken = await freshToken(named).catch(() => freshToken());
      signedOut();
      if (accessToken === undefined) return;
      await call("/auth/logout", body, accessToken).catch((error: unknown) => {
        if ((error as AuthsvcError).code !== "INVALID_TOKEN") throw error;
      });
    },
  };
}

/**
 * Whether a frame of the service would get its cookies, which are SameSite=Lax. Guesses by two
 * labels of the host names: if wrong, the frame fails, or is not tried.
 */
function isSameSite(issuer: string): boolean {
  const site = ({ protocol, hostname }: URL | Location): string => protocol + hostname.split(".").slice(-2).join(".");
  return site(new URL(issuer)) === site(location);
}
