import type {
  Application,
  AuthMethod,
  CallbackRequest,
  Done,
  InitiateRequest,
  LogoutRequest,
  Operations,
  Session,
  Tokens,
  TokensAndUser,
} from "./api.ts";
import { createAppCalls } from "./app-calls.ts";
import { createCall } from "./call.ts";
import { checkSettings } from "./check.ts";
import { createOnce } from "./once.ts";
import { completeSettings, configurationError, environment, type AuthsvcOptions } from "./settings.ts";
import { createVerifier } from "./verify.ts";
import type { Claims } from "./token.ts";
import { verifyWebhook, type ReceivedEvent } from "./webhook-signature.ts";

/** Calls about the user of a token. */
type OwnCall = "GET /auth/validate" | `${"GET" | "PATCH" | "DELETE"} /users/profile` | "POST /users/auth-methods";
type Body<Name extends OwnCall> = Operations[Name] extends { body: infer Given } ? [body: Given] : [];

export type Authsvc = ReturnType<typeof createAuthsvc>;

/** After a lost response, or in a slow tab, the old token still gets the new ones. */
const remembersTokensFor = 60_000;

/**
 * A client of the service for your server. Omitted options come from AUTHSVC_ISSUER, AUTHSVC_APP_ID
 * and AUTHSVC_API_KEY.
 * @throws AuthsvcError CONFIGURATION
 */
export function createAuthsvc(options: AuthsvcOptions = {}) {
  const settings = completeSettings(options);
  const { issuer, appId, allowedClients, now, feed } = settings;
  const call = createCall(settings);
  const verifier = createVerifier<Claims>(settings, call, ({ aud, sid, client_id: clientId = aud }) => {
    if (aud !== appId || !sid) return "it is for another application (aud), or of no login (sid)";
    return clientId === aud || allowedClients.includes(clientId)
      ? undefined
      : `allowedClients lacks its client ${clientId}`;
  });
  const refreshes = createOnce<Tokens>(settings, remembersTokensFor);

  /** A call about the user of a token, which takes no more than a body. */
  const own =
    <Name extends OwnCall>(operation: Name) =>
    async (accessToken: string, ...[body]: Body<Name>): Promise<Operations[Name]["answer"]> =>
      // Not the index that `map` passes besides a token.
      await call<OwnCall>(operation, { accessToken, ...(typeof body === "object" && { body }) });

  return {
    issuer,
    appId,
    now,
    feed,

    /** Any call of the service, by method and path. */
    call,

    /** Finds wrong settings when your program starts. @throws AuthsvcError CONFIGURATION */
    check: async (redirectUri?: string): Promise<Application> => await checkSettings(settings, call, redirectUri),

    /** Starts a sign-in: send the browser to `authUrl`. */
    initiate: async (body: InitiateRequest): Promise<Session> =>
      await call("POST /auth/initiate", { body, isRepeatable: true }),

    /** Exchanges the code of the redirect. Never repeated: a second use ends the login. */
    callback: async (body: CallbackRequest): Promise<TokensAndUser> => await call("POST /auth/callback", { body }),

    /**
     * New tokens. `organization`: the one that they name, by id or slug, or `none`; by default the
     * one that the login named last. Calls with the same values share one result.
     */
    async refresh(refreshToken: string, organization?: string): Promise<Tokens> {
      // Not the index that `map` passes besides a token.
      const body = { refreshToken, ...(typeof organization === "string" && { organization }) };
      return await refreshes(
        JSON.stringify(body),
        // The service answers a repetition with the same tokens for 30 seconds, by default.
        async () => await call("POST /auth/refresh", { body, isRepeatable: true, timeoutSeconds: 3 }),
      );
    },

    /** Asks the service whether an access token is valid. */
    validate: own("GET /auth/validate"),

    /**
     * The claims of a valid access token, without a call: the feed reports ended logins. A token
     * that is bound to a key is refused, unless a check of `@authsvc/sdk/dpop` takes its proof.
     */
    verify: verifier.verify,

    /** Ends the login of the token, or more. INVALID_TOKEN means: already signed out. */
    logout: async (accessToken: string, body: LogoutRequest = {}): Promise<Done> =>
      await call("POST /auth/logout", { accessToken, body, isRepeatable: true }),

    /** The signed-in user's own data. */
    profile: {
      get: own("GET /users/profile"),
      update: own("PATCH /users/profile"),
      /** Deletes the account permanently. */
      delete: own("DELETE /users/profile"),
    },

    /** The signed-in user's ways to sign in. */
    methods: {
      list: async (accessToken: string): Promise<AuthMethod[]> =>
        (await call("GET /users/auth-methods", { accessToken })).methods,
      /** Send the browser to `authUrl`. */
      add: own("POST /users/auth-methods"),
      remove: async (accessToken: string, methodId: string): Promise<Done> =>
        await call("DELETE /users/auth-methods/{methodId}", { accessToken, path: { methodId } }),
    },

    ...createAppCalls(call),

    /**
     * The event of a genuine webhook delivery. Default `secret`: AUTHSVC_WEBHOOK_SECRET.
     * @throws AuthsvcError INVALID_REQUEST: respond with 400.
     */
    async verifyWebhook(request: Request, secret = environment("AUTHSVC_WEBHOOK_SECRET")): Promise<ReceivedEvent> {
      if (!secret)
        throw configurationError("AUTHSVC_WEBHOOK_SECRET is not set: `authsvc webhook create` shows it once.");
      return await verifyWebhook(request, secret, now);
    },

    /** Stops reading ended logins. The next `verify` starts it again. */
    close: verifier.close,
  };
}
