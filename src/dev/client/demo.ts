// The browser code of the demo page. It plays two programs: the server of Acme, which has an API
// key, and Acme Wiki, an OpenID Connect client.

type Call = { method: "GET" | "POST"; path: string; headers: Record<string, string>; body?: string };

/** Kept in this tab's storage, because the browser leaves for the sign-in page. */
type Visit = {
  said: string;
  /** Of the sign-in to Acme in progress. */
  state?: string;
  tokens?: { access: string; refresh: string };
  wiki?: { state: string; nonce: string; codeVerifier: string; idToken?: string };
  /** The newest first. */
  calls: { title: string; text: string }[];
};

const maxCalls = 20;
const storageKey = "authsvc-demo-page";
const { appId = "", apiKey = "", callbackUrl = "", wikiId = "", baseUrl = "" } = byId("demo").dataset;
const demoUrl = `${baseUrl}/dev/demo`;
const acme = { Authorization: `Bearer ${apiKey}`, "X-Service-App-ID": appId };
const visit: Visit = { said: "You are not signed in.", calls: [], ...stored() };
let isBusy = false;

// Storage belongs to an origin: that of 127.0.0.1 is lost when the browser returns to localhost.
if (location.origin === baseUrl) void start();
else location.replace(demoUrl);

async function start(): Promise<void> {
  const acts = { "sign-in": signIn, validate, refresh, "sign-out": signOut, "wiki-sign-in": signInToWiki };
  for (const [id, act] of Object.entries(acts)) byId(id).addEventListener("click", () => void once(act));
  // Restored from the back-forward cache: another page may have continued.
  addEventListener("pageshow", ({ persisted }) => void (persisted && location.reload()));
  show();
  await once(comeBack);
  const result = resultIn(new URLSearchParams(location.search));
  if (result !== null) showForPasting(result);
}

/** A press during another action does nothing. */
async function once(act: () => Promise<void>): Promise<void> {
  if (isBusy) return;
  isBusy = true;
  await act();
  isBusy = false;
  show();
}

async function signIn(): Promise<void> {
  const state = randomText();
  const answer = await send(post("/auth/initiate", acme, { redirectUri: callbackUrl, state }));
  if (answer === undefined) return;
  visit.state = state;
  save();
  location.assign(answer["authUrl"] ?? "");
}

/** The browser is back from a sign-in of this page, with the result in the address. */
async function comeBack(): Promise<void> {
  const query = new URLSearchParams(location.search);
  const [result, state, code] = [resultIn(query), query.get("state"), query.get("code")];
  if (result === null || (state !== visit.state && state !== visit.wiki?.state)) return;
  history.replaceState(null, "", demoUrl);
  if (code === null) visit.said = `You are not signed in: the sign-in ended with ${result}.`;
  else if (state === visit.state) await redeem(code, state ?? "", query.get("sessionId") ?? "");
  else await redeemForWiki(code);
}

/** Another program started this sign-in, such as that of the quick start, or a stranger. */
function showForPasting(result: string): void {
  byId("said").textContent =
    "This page did not start this sign-in. If your program did, this is the result to paste there:";
  byId("result").textContent = result;
  byId("result").hidden = false;
}

function resultIn(query: URLSearchParams): string | null {
  return query.get("code") ?? query.get("error");
}

async function redeem(code: string, state: string, sessionId: string): Promise<void> {
  delete visit.state;
  const answer = await send(post("/auth/callback", acme, { code, state, sessionId }));
  if (answer === undefined) return;
  keepTokens(answer);
  delete visit.wiki;
  visit.said = `You are signed in as ${textOf(claimsOf(visit.tokens?.access)["email"])}.`;
}

async function validate(): Promise<void> {
  const headers = { ...asUser(), "X-Service-App-ID": appId };
  if (await send({ method: "GET", path: "/auth/validate", headers })) visit.said = "The access token is valid.";
}

async function refresh(): Promise<void> {
  const answer = await send(post("/auth/refresh", acme, { refreshToken: visit.tokens?.refresh }));
  if (answer === undefined) return;
  keepTokens(answer);
  visit.said = "You have new tokens. The refresh token before this one is used up.";
}

async function signOut(): Promise<void> {
  const body = { refreshToken: visit.tokens?.refresh };
  if ((await send(post("/auth/logout", asUser(), body))) === undefined) return;
  const everywhere = visit.wiki?.idToken === undefined ? "" : ", from Acme Wiki too";
  delete visit.wiki;
  visit.said = `You are signed out${everywhere}. Press Validate to see that the access token has ended.`;
}

/** Without a secret, so with PKCE (RFC 7636). */
async function signInToWiki(): Promise<void> {
  const [state, nonce, codeVerifier] = [randomText(), randomText(), randomText()];
  const verifierBytes = new TextEncoder().encode(codeVerifier);
  const query = new URLSearchParams({
    response_type: "code",
    client_id: wikiId,
    redirect_uri: callbackUrl,
    scope: "openid profile email",
    state,
    nonce,
    code_challenge: base64url(new Uint8Array(await crypto.subtle.digest("SHA-256", verifierBytes))),
    code_challenge_method: "S256",
  });
  visit.wiki = { state, nonce, codeVerifier };
  save();
  location.assign(`/oauth2/authorize?${query}`);
}

async function redeemForWiki(code: string): Promise<void> {
  if (visit.wiki === undefined) return;
  const { nonce, codeVerifier } = visit.wiki;
  const form = {
    grant_type: "authorization_code",
    code,
    redirect_uri: callbackUrl,
    client_id: wikiId,
    code_verifier: codeVerifier,
  };
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  const body = new URLSearchParams(form).toString();
  const answer = await send({ method: "POST", path: "/oauth2/token", headers, body });
  const idToken = answer?.["id_token"];
  if (idToken === undefined) return;
  const claims = claimsOf(idToken);
  if (claims["nonce"] === nonce) visit.wiki.idToken = idToken;
  visit.said =
    claims["nonce"] === nonce
      ? `You are signed in to Acme Wiki as ${textOf(claims["email"])}.`
      : "The ID token belongs to another sign-in. Sign in to Acme Wiki again.";
}

/**
 * Makes a call like a server, without cookies, and shows it. Undefined if it was refused. Only
 * strings of the response are used.
 */
async function send(call: Call): Promise<Record<string, string> | undefined> {
  const { path, ...init } = call;
  try {
    const response = await fetch(path, { ...init, credentials: "omit", cache: "no-store" });
    const answer: unknown = await response.json();
    note(call, `${response.status} ${response.statusText}`, answer);
    if (response.ok) return answer as Record<string, string>;
    const { error, error_description } = answer as { error?: { message?: string }; error_description?: string };
    visit.said = `The service refused: ${error_description ?? error?.message ?? response.statusText}`;
  } catch {
    visit.said = "The service did not answer. Is it still running?";
  }
  return undefined;
}

function note({ method, path, headers, body }: Call, status: string, answer: unknown): void {
  const title = `${method} ${path}`;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const request = [title, ...lines, ...(body === undefined ? [] : ["", body])].join("\n");
  const call = { title: `${title}: ${status}`, text: `${request}\n\n${status}\n${pretty(answer)}` };
  visit.calls = [call, ...visit.calls].slice(0, maxCalls);
}

function post(path: string, headers: Record<string, string>, body: Record<string, unknown>): Call {
  return { method: "POST", path, headers: { ...headers, "Content-Type": "application/json" }, body: pretty(body) };
}

function asUser(): Record<string, string> {
  return { Authorization: `Bearer ${visit.tokens?.access ?? ""}` };
}

function keepTokens(answer: Record<string, string>): void {
  visit.tokens = { access: answer["accessToken"] ?? "", refresh: answer["refreshToken"] ?? "" };
}

function show(): void {
  save();
  const { said, tokens, wiki, calls } = visit;
  const claims = claimsOf(tokens?.access);
  byId("said").textContent = said;
  byId("result").hidden = true;
  byId("sign-in").textContent = tokens ? "Sign in again" : "Sign in";
  byId("signed-in").hidden = tokens === undefined;
  byId("until").textContent = new Date(Number(claims["exp"] ?? 0) * 1000).toLocaleTimeString();
  byId("access-token").textContent = pretty(claims);
  byId("refresh-token").textContent = tokens?.refresh ?? "";
  byId("wiki").hidden = wiki?.idToken === undefined;
  byId("id-token").textContent = pretty(claimsOf(wiki?.idToken));
  byId("made").hidden = calls.length === 0;
  byId("calls").replaceChildren(...calls.map(({ title, text }, index) => callView(title, text, index === 0)));
}

function callView(title: string, text: string, open: boolean): HTMLElement {
  const [details, summary, pre] = [element("details"), element("summary"), element("pre")] as const;
  summary.textContent = title;
  pre.textContent = text;
  details.append(summary, pre);
  details.toggleAttribute("open", open);
  return details;
}

/** The claims of a JWT. Its signature needs no check here: it came from the service itself. */
function claimsOf(jwt = ""): Record<string, unknown> {
  const [, claims = ""] = jwt.split(".");
  if (claims === "") return {};
  const bytes = Uint8Array.from(atob(claims.replaceAll("-", "+").replaceAll("_", "/")), (byte) => byte.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
}

function stored(): Partial<Visit> {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey) ?? "{}") as Partial<Visit>;
  } catch {
    return {};
  }
}

function save(): void {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(visit));
  } catch {
    // Storage is disabled: the page shows the result as another program's.
  }
}

/** 256 bits: nobody guesses a `state`, a nonce or a PKCE verifier. */
function randomText(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

function pretty(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function element(name: string): HTMLElement {
  return document.createElement(name);
}

function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no ${id}`);
  return found;
}
