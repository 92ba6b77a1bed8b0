import { AuthsvcError } from "./errors.ts";

export type AuthsvcOptions = {
  /** The URL of the service: its `baseUrl`. Default: AUTHSVC_ISSUER. */
  issuer?: string;
  /** Default: AUTHSVC_APP_ID. */
  appId?: string;
  /** Default: AUTHSVC_API_KEY. */
  apiKey?: string;
  /**
   * IDs of OpenID Connect clients whose tokens `verify` accepts, in addition to the application's
   * own. Default: none.
   */
  allowedClients?: string | readonly string[];
  /** Maximum age of the list of ended logins, in seconds. Default: 5, at least 2. */
  maxStalenessSeconds?: number;
  /** What `verify` does if the list is older: "ask" (the default) calls /auth/validate. */
  whenStale?: "ask" | "refuse";
  /** Whether ended logins are read in the background, or when `verify` needs them. */
  feed?: "background" | "on-demand";
  /** How long a call may take. Default: 10 seconds. */
  timeoutSeconds?: number;
  /** For a proxy, or tests. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Milliseconds since 1970, for tests. */
  now?: () => number;
};

export type Settings = Required<AuthsvcOptions> & { allowedClients: readonly string[] };

export function completeSettings(options: AuthsvcOptions): Settings {
  const issuer = options.issuer ?? environment("AUTHSVC_ISSUER");
  const appId = options.appId ?? environment("AUTHSVC_APP_ID");
  const apiKey = options.apiKey ?? environment("AUTHSVC_API_KEY");
  if (!issuer) throw missing("AUTHSVC_ISSUER", "the URL of the service, such as https://auth.example.com");
  if (!appId) throw missing("AUTHSVC_APP_ID", "your App ID; `authsvc app list` shows it");
  if (!apiKey) throw missing("AUTHSVC_API_KEY", "your API key; `authsvc key create --app ID` creates one");
  const { maxStalenessSeconds = 5, allowedClients = [] } = options;
  // Less leaves no time for a long poll. With Infinity, a cut feed would mean "valid".
  if (!Number.isFinite(maxStalenessSeconds) || maxStalenessSeconds < 2)
    throw configurationError("maxStalenessSeconds must be a number of seconds, at least 2.");
  return {
    issuer: checkedIssuer(issuer),
    appId,
    apiKey,
    maxStalenessSeconds,
    // A list, because `includes` of a text would accept parts of it.
    allowedClients: [allowedClients].flat(),
    whenStale: options.whenStale ?? "ask",
    feed: options.feed ?? (keepsRunning() ? "background" : "on-demand"),
    timeoutSeconds: options.timeoutSeconds ?? 10,
    // Wrapped: browsers and Workers refuse a fetch that is called as a method.
    fetch: options.fetch ?? (async (url, init) => await fetch(url, init)),
    now: options.now ?? Date.now,
  };
}

/** An environment variable, if the platform has them. */
export function environment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name];
}

export function configurationError(message: string, cause?: unknown): AuthsvcError {
  return new AuthsvcError("CONFIGURATION", message, { cause });
}

function missing(variable: string, what: string): AuthsvcError {
  return configurationError(
    `${variable} is not set: ${what}. In development, \`authsvc serve --dev --redirect-uri URL\` prints all settings.`,
  );
}

export const showBaseUrl = "`authsvc config show` prints it as baseUrl.";

function checkedIssuer(text: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch (error) {
    throw configurationError(`AUTHSVC_ISSUER is not a URL. ${showBaseUrl}`, error);
  }
  const isLoopback = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/u.test(url.hostname);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback))
    throw configurationError(
      `AUTHSVC_ISSUER must begin with https:// (http:// only for this machine): API keys and tokens go there. ${showBaseUrl}`,
    );
  return text.replace(/\/+$/u, "");
}

/** False in Cloudflare Workers and Edge functions, which run only during requests. */
function keepsRunning(): boolean {
  const { navigator, EdgeRuntime } = globalThis as { navigator?: { userAgent?: string }; EdgeRuntime?: unknown };
  return navigator?.userAgent !== "Cloudflare-Workers" && EdgeRuntime === undefined;
}
