import { createCall } from "./call.ts";
import { checkSettings, waitingForService } from "./check.ts";
import { createProofs, introspect, proofAlgorithms } from "./dpop.ts";
import { AuthsvcError, isInvalidToken } from "./errors.ts";
import { completeSettings, configurationError, type AuthsvcOptions } from "./settings.ts";
import { invalidToken, type AnyClaims } from "./token.ts";
import { createVerifier, type ProofCheck } from "./verify.ts";

export type ResourceOptions = Omit<AuthsvcOptions, "allowedClients"> & {
  /** The identifier of `authsvc resource create`, where clients reach your program. */
  resource: string;
  /** The scopes of the resource that clients may ask for. */
  scopes: readonly string[];
};

/** Of a token for a resource. A machine's own has no `sid`, and its `sub` is the client. */
export type ResourceClaims = AnyClaims & {
  aud: [string];
  app_id: string;
  client_id: string;
  /** Who acts for `sub`, if a client exchanged the token. */
  act?: { sub: string };
};

/** What a request may do. The shape is `AuthInfo` of the MCP SDK. */
export type Access = {
  token: string;
  clientId: string;
  scopes: string[];
  /** Seconds since 1970. */
  expiresAt: number;
  resource: URL;
  /** All claims: `extra.sub` is the user, or the machine. */
  extra: ResourceClaims;
};

type Refusal = { scheme: string; error?: string; description: string; scopes: readonly string[] };

/** `misuse` checks the proof; the service is asked without one. */
const provenLater: ProofCheck = async () => introspect;

const wellKnown = "/.well-known/oauth-protected-resource";

/**
 * Protects an API, such as an MCP server, with tokens that the service issues for it.
 * @throws AuthsvcError CONFIGURATION
 */
export function protectResource(options: ResourceOptions) {
  const { resource, scopes } = options;
  const settings = completeSettings(options);
  const { issuer, appId, now } = settings;
  const { origin, pathname, search } = checkedResource(resource, scopes);
  const metadataPath = wellKnown + (pathname === "/" ? "" : pathname);
  const metadataUrl = origin + metadataPath + search;
  const call = createCall(settings);
  const proofs = createProofs({ now });
  const accesses = new WeakMap<object, Access>();
  const problemOf = ({ aud, app_id: app, client_id: client }: ResourceClaims) =>
    Array.isArray(aud) && aud.length === 1 && aud[0] === resource && app === appId && typeof client === "string"
      ? undefined
      : "it is not for this resource (aud)";
  const verifier = createVerifier<ResourceClaims>(settings, call, problemOf);

  /** Of a personal access token: the service answers about those of this application only. */
  async function personal(token: string): Promise<ResourceClaims> {
    const claims = { ...(await introspect(settings, token)), app_id: appId } as ResourceClaims;
    if (problemOf(claims)) throw invalidToken("it is not for this resource (aud)");
    return claims;
  }

  /** A misspelt scope would refuse everybody. */
  function checkedScopes(needs: readonly string[]): readonly string[] {
    const unknown = needs.find((scope) => !scopes.includes(scope));
    if (unknown !== undefined) throw configurationError(`requireToken: "${unknown}" is not among \`scopes\`.`);
    return needs;
  }

  function refuse(status: 401 | 403, { scheme, error, description, scopes: asked }: Refusal): Response {
    const isProof = scheme === "DPoP";
    const parameters = {
      error,
      error_description: error && description,
      scope: asked.length > 0 ? asked.join(" ") : undefined,
      algs: isProof ? proofAlgorithms.join(" ") : undefined,
      resource_metadata: metadataUrl,
    };
    const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
    const challenge = `${scheme} ${given.map(([name, value]) => `${name}="${value}"`).join(", ")}`;
    const headers = { "www-authenticate": challenge, "cache-control": "no-store" };
    return Response.json({ error: error ?? "unauthorized", error_description: description }, { status, headers });
  }

  /** Why the token must not be used in this way; undefined if it may. */
  async function misuse(request: Request, scheme: string, token: string, claims: ResourceClaims) {
    const isProof = scheme === "DPoP";
    if (claims.cnf === undefined) {
      const description = "The token is not bound to a key: send it as Bearer.";
      return isProof ? { scheme: "Bearer", error: "invalid_token", description } : undefined;
    }
    if (!isProof)
      return { scheme: "DPoP", error: "invalid_token", description: "The token is bound to a key: send a DPoP proof." };
    const { method, headers } = request;
    // Not the header Host: the sender chooses it.
    const url = origin + new URL(request.url).pathname;
    try {
      await proofs.of({ method, url, proof: headers.get("dpop") })(token, claims.cnf);
      return undefined;
    } catch (error) {
      if (!isInvalidToken(error)) throw error;
      return { scheme, error: "invalid_dpop_proof", description: (error as AuthsvcError).message };
    }
  }

  async function decide(request: Request, needs: readonly string[]): Promise<Access | Response> {
    const [, given = "", token = ""] =
      /^(bearer|dpop) +([!-~]+)$/iu.exec(request.headers.get("authorization") ?? "") ?? [];
    const scheme = given.toLowerCase() === "dpop" ? "DPoP" : "Bearer";
    const asked = { scheme, scopes: needs.length > 0 ? needs : scopes };
    if (token === "") return refuse(401, { ...asked, description: "An access token is required." });
    let claims: ResourceClaims;
    try {
      claims = await (token.startsWith("pat_") ? personal(token) : verifier.verify(token, provenLater));
    } catch (error) {
      if (!isInvalidToken(error)) throw error;
      return refuse(401, { ...asked, error: "invalid_token", description: (error as AuthsvcError).message });
    }
    const misused = await misuse(request, scheme, token, claims);
    if (misused) return refuse(401, { ...asked, ...misused });
    const granted = claims.scope.split(" ").filter((scope) => scope !== "");
    if (!needs.every((scope) => granted.includes(scope))) {
      const description = "The token does not have the scope for this.";
      // With those that it has: clients ask for exactly this list, and would lose the others.
      const all = [...new Set([...granted, ...needs])];
      return refuse(403, { scheme, error: "insufficient_scope", description, scopes: all });
    }
    const { client_id: clientId, exp: expiresAt } = claims;
    return { token, clientId, scopes: granted, expiresAt, resource: new URL(resource), extra: claims };
  }

  return {
    /**
     * Finds wrong settings when your program starts. Waits up to ten seconds for the service.
     * @throws AuthsvcError CONFIGURATION, UNREACHABLE
     */
    ready: async (): Promise<void> => void (await waitingForService(async () => await checkSettings(settings, call))),

    /** The response to a request for the metadata (RFC 9728); undefined for any other. */
    metadata(request: Request): Response | undefined {
      const { pathname: path } = new URL(request.url);
      if (path !== wellKnown && path !== metadataPath) return undefined;
      const headers = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };
      if (request.method === "OPTIONS") return new Response(null, { status: 204, headers });
      return Response.json(
        {
          resource,
          authorization_servers: [issuer],
          scopes_supported: scopes,
          bearer_methods_supported: ["header"],
          dpop_signing_alg_values_supported: proofAlgorithms,
        },
        { headers: { ...headers, "cache-control": "public, max-age=600" } },
      );
    },

    checkedScopes,

    /** What the request may do, if its token has these scopes; otherwise the response. */
    async requireToken(request: Request, needs: readonly string[] = [], key: object = request) {
      try {
        const decided = await decide(request, checkedScopes(needs));
        if (!(decided instanceof Response)) accesses.set(key, decided);
        return decided;
      } catch (error) {
        const { code, retryAfter = 5 } = error as AuthsvcError;
        if (code !== "UNREACHABLE" && code !== "RATE_LIMITED") throw error;
        const body = { error: "temporarily_unavailable", error_description: "The token cannot be checked now." };
        const headers = { "retry-after": String(retryAfter), "cache-control": "no-store" };
        return Response.json(body, { status: 503, headers });
      }
    },

    /**
     * For what runs after `requireToken`, such as a tool of an MCP server: one request may carry
     * several calls. Returns the access (`authInfo` of the tool) if it has these scopes.
     * @throws AuthsvcError INSUFFICIENT_SCOPE, INVALID_TOKEN if there is no access
     */
    requireScopes<Given extends Pick<Access, "scopes">>(access: Given | undefined, ...needs: readonly string[]): Given {
      if (!access) throw new AuthsvcError("INVALID_TOKEN", "An access token is required.");
      const missing = checkedScopes(needs).filter((scope) => !access.scopes.includes(scope));
      if (missing.length === 0) return access;
      throw new AuthsvcError("INSUFFICIENT_SCOPE", `The token does not have the scope ${missing.join(" ")}.`);
    },

    /** What `requireToken` found for this request. */
    access(key: object): Access {
      const access = accesses.get(key);
      if (!access) throw new TypeError("requireToken did not admit this request.");
      return access;
    },

    /** Stops reading ended logins. The next request starts it again. */
    close: verifier.close,
  };
}

function checkedResource(resource: string, scopes: readonly string[]): URL {
  const url = URL.canParse(resource) ? new URL(resource) : undefined;
  if (!url || !/^https?:$/u.test(url.protocol) || /["\s\\#]/u.test(resource))
    throw configurationError("resource must be an identifier of `authsvc resource list`, as it stands there.");
  const names: unknown = scopes;
  // A text has `includes`, too.
  if (!Array.isArray(names) || !names.every((name) => /^[!#-[\]-~]+$/u.test(String(name))))
    throw configurationError("scopes must be a list of the resource's scopes: `authsvc resource show` lists them.");
  return url;
}
