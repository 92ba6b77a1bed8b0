// Sign-in with authsvc for a server in TypeScript, without a library. Node 22.18 or newer runs this file as it stands:
//   AUTHSVC_APP_ID=app_… AUTHSVC_API_KEY=ak_… node server.ts
import { createPublicKey, randomBytes, verify, type KeyObject, type webcrypto } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

const { AUTHSVC_ISSUER = "http://localhost:8080", APP_URL = "http://localhost:3000" } = process.env;
const { AUTHSVC_APP_ID: appId = "", AUTHSVC_API_KEY: apiKey = "" } = process.env;
const redirectUri = `${APP_URL}/callback`;

type Tokens = { accessToken: string; refreshToken: string };
type Claims = { sub: string; email?: string; iss: string; aud: string; client_id: string; iat: number; exp: number };

/** Who is signed in, by the cookie `session`. In memory for the example: yours belong where your sessions are. */
const sessions = new Map<string, Tokens>();

/** One call of the service, with the API key or with a user's access token. Undefined: it was refused. */
async function call<Answer>(path: string, body: object, bearer = apiKey): Promise<Answer | undefined> {
  const headers = {
    authorization: `Bearer ${bearer}`,
    "x-service-app-id": appId,
    "content-type": "application/json",
  };
  const response = await fetch(AUTHSVC_ISSUER + path, { method: "POST", headers, body: JSON.stringify(body) });
  // Busy or broken is not "no": nobody may be signed out by it.
  if (response.status === 429 || response.status >= 500) throw new Error(`${path} answered ${response.status}`);
  return response.ok ? ((await response.json()) as Answer) : undefined;
}

let keys = new Map<string, KeyObject>();
let keysReadAt = 0;

/** The service's key of that id. The set is read again every ten minutes, and once a minute at most for an unknown id. */
async function keyOf(kid: string): Promise<KeyObject | undefined> {
  if (Date.now() - keysReadAt > (keys.has(kid) ? 600_000 : 60_000)) {
    keysReadAt = Date.now();
    const response = await fetch(`${AUTHSVC_ISSUER}/.well-known/jwks.json`);
    const set = (await response.json()) as { keys: (webcrypto.JsonWebKey & { kid: string })[] };
    keys = new Map(set.keys.map((jwk) => [jwk.kid, createPublicKey({ key: jwk, format: "jwk" })]));
  }
  return keys.get(kid);
}

/** The claims of a good access token, without asking the service; undefined for any other. A logout is noticed when the token expires. */
async function claimsOf(token: string): Promise<Claims | undefined> {
  const [header = "", payload = "", signature = ""] = token.split(".");
  try {
    const { alg, typ, kid } = decoded<{ alg: string; typ: string; kid: string }>(header);
    // Only what this app's tokens are signed with: what a token says of itself decides nothing.
    if (alg !== "ES256" || typ !== "at+jwt") return undefined;
    const key = await keyOf(kid);
    const signed = Buffer.from(`${header}.${payload}`);
    const given = Buffer.from(signature, "base64url");
    if (!key || !verify("sha256", signed, { key, dsaEncoding: "ieee-p1363" }, given)) return undefined;
    const claims = decoded<Claims>(payload);
    // A token of an OpenID Connect client of this app has the same `aud`, and may be of another party's program.
    const isForUs = claims.iss === AUTHSVC_ISSUER && claims.aud === appId && claims.client_id === appId;
    const now = Date.now() / 1000;
    const isNow = claims.exp > now && claims.iat <= now + 300 && claims.exp - claims.iat <= 86_400;
    return isForUs && isNow ? claims : undefined;
  } catch {
    return undefined;
  }
}

function decoded<Part>(part: string): Part {
  return JSON.parse(Buffer.from(part, "base64url").toString()) as Part;
}

/** Who is asking; refreshes what has expired. Undefined: nobody is signed in (any more). */
async function userOf(id: string): Promise<Claims | undefined> {
  const tokens = sessions.get(id);
  if (!tokens) return undefined;
  const claims = await claimsOf(tokens.accessToken);
  if (claims) return claims;
  const fresh = await call<Tokens>("/auth/refresh", { refreshToken: tokens.refreshToken });
  if (fresh) sessions.set(id, fresh);
  else sessions.delete(id);
  return fresh && (await claimsOf(fresh.accessToken));
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  // Joined as text: `//` begins a path here, and no other host. What is still no address is no path of this program.
  const address = APP_URL + request.url;
  const url = new URL(URL.canParse(address) ? address : `${APP_URL}/unknown`);
  // With this prefix, no other host of your domain can set them. Browsers refuse it on http.
  const [prefix, secure] = APP_URL.startsWith("https:") ? ["__Host-", "; Secure"] : ["", ""];
  const cookieOf = (name: string): string | undefined => {
    // Exactly as browsers send them: `trim` would also accept names that only look like ours.
    const pairs = (request.headers.cookie ?? "").split("; ").filter((pair) => pair.startsWith(`${prefix}${name}=`));
    return pairs.length === 1 ? pairs[0]?.slice(`${prefix}${name}=`.length) : undefined;
  };
  const id = cookieOf("session") ?? "";
  const cookie = (name: string, value: string, seconds: number): string =>
    `${prefix}${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`;
  const redirect = (location: string, ...setCookies: string[]): void =>
    void response.writeHead(303, { location, "set-cookie": setCookies }).end();
  const json = (status: number, body: unknown): void =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

  switch (`${request.method} ${url.pathname}`) {
    case "GET /":
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
      response.end(`<a href="/login">Sign in</a> <a href="/me">Me</a> <form method="post" action="/logout"><button>Sign out</button></form>`);
      return;

    case "GET /login": {
      // `state` ties the answer to this browser: nobody can slip their own sign-in to somebody else.
      const state = randomBytes(32).toString("base64url");
      const begun = await call<{ authUrl: string }>("/auth/initiate", { redirectUri, state });
      if (!begun) return json(502, { error: "The sign-in cannot be started: look at App ID, API key and redirect URI." });
      return redirect(begun.authUrl, cookie("state", state, 600));
    }

    case "GET /callback": {
      const { code, state, sessionId, error } = Object.fromEntries(url.searchParams);
      if (!state || state !== cookieOf("state")) return json(400, { error: "This sign-in was not started here." });
      if (error) return redirect("/", cookie("state", "", 0));
      const tokens = await call<Tokens>("/auth/callback", { code, state, sessionId });
      if (!tokens) return json(400, { error: "The sign-in has timed out. Start again." });
      const session = randomBytes(32).toString("base64url");
      sessions.set(session, tokens);
      return redirect("/me", cookie("state", "", 0), cookie("session", session, 30 * 86_400));
    }

    case "GET /me": {
      const claims = await userOf(id);
      return claims ? json(200, { id: claims.sub, email: claims.email }) : json(401, { error: "Nobody is signed in." });
    }

    case "POST /logout": {
      // An expired access token cannot sign out; userOf has refreshed it.
      if (await userOf(id)) await call("/auth/logout", {}, sessions.get(id)?.accessToken);
      sessions.delete(id);
      return redirect("/", cookie("session", "", 0));
    }

    default:
      return json(404, { error: "Not found." });
  }
}

const server = createServer((request, response) => {
  handle(request, response).catch((error: unknown) => {
    console.error(error);
    if (!response.headersSent) response.writeHead(502);
    response.end();
  });
});
server.listen(Number(new URL(APP_URL).port || 80), () => console.log(`listening on ${APP_URL}`));
