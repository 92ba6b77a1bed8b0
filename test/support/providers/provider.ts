import { generateKeyPairSync, randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { ProviderInput } from "../../../src/oauth/provider-input.ts";
import { formPost, isMintedSecret } from "./apple.ts";
import { startFakeServer, type FakeServer, type Handler, type Received, type Reply } from "./fake-server.ts";
import { challengeOf, newIssuerKey, type IdTokenMaker, type IssuerKey } from "./id-tokens.ts";
import { kinds, tenant, type Kind, type KindName, type Person } from "./kinds.ts";

/** A provider that people sign in at, as tests see it. */
export type Provider = {
  /** As the app names it. */
  name: string;
  displayName: string;
  origin: string;
  /** What of ours it found wrong. */
  complaints: string[];
  /** Who signs in from now on. */
  person: Person;
  /** What `app provider set` is told. */
  settings(): ProviderInput;
  close(): Promise<void>;
};

const clientId = "client-1";
const appleAccount = { teamId: "TEAM123456", keyId: "KEY1234567" };

/** What a code, and later an access token, stands for. */
type Grant = { person: Person; redirectUri: string; challenge: string; nonce: string | null };

/**
 * A provider with its own protocol and quirks over HTTP; it answers a wrong request as the real one
 * would, and remembers a complaint.
 */
export class FakeProvider implements Provider {
  readonly kindName: KindName;
  readonly name: string;
  readonly displayName: string;
  readonly complaints: string[] = [];
  readonly secret: string = `secret-${randomBytes(12).toString("hex")}`;
  readonly appleKey = generateKeyPairSync("ec", { namedCurve: "P-256" });
  person: Person = { subject: "nobody" };
  /** What the person does at the provider: an error instead of a code. */
  refusal: string | undefined;
  /**
   * Whether it shows a page of its own first; otherwise it sends everybody straight back, as to
   * those who agreed before.
   */
  asks = false;
  /** Extra parameters of the answer that the browser brings back. */
  extra: Record<string, string> = {};
  makeIdToken: IdTokenMaker | undefined;
  /** Handlers in place of the right ones, by path. */
  readonly instead = new Map<string, Handler>();
  key: IssuerKey;
  readonly #kind: Kind;
  readonly #codes = new Map<string, Grant>();
  readonly #tokens = new Map<string, Grant>();
  #server: FakeServer | undefined;

  constructor(kindName: KindName, key: IssuerKey) {
    this.kindName = kindName;
    this.name = kindName === "openid" ? "corp" : kindName;
    this.displayName = kinds[kindName].displayName;
    this.key = key;
    this.#kind = kinds[kindName];
  }

  async start(): Promise<this> {
    this.#server = await startFakeServer((path) => this.instead.get(path) ?? this.#handlerFor(path));
    return this;
  }

  get origin(): string {
    return this.#server?.origin ?? "";
  }

  get received(): Received[] {
    return this.#server?.received ?? [];
  }

  /** The issuer, of the tenant where there are some. */
  issuerOf(tid: string = tenant): string {
    return `${this.origin}${this.#kind.issuerPath ?? ""}`.replace("{tenantid}", tid);
  }

  settings(): ProviderInput {
    const { origin, name } = this;
    if (name === "corp") return { name, clientId, secret: this.secret, issuer: origin };
    const pem = this.appleKey.privateKey.export({ type: "pkcs8", format: "pem" });
    return {
      name,
      clientId,
      secret: name === "apple" ? pem : this.secret,
      ...(name === "apple" ? appleAccount : {}),
      authorizationUrl: `${origin}/authorize`,
      tokenUrl: `${origin}/token`,
      ...(this.#kind.claims
        ? { jwksUrl: `${origin}/keys`, issuer: this.issuerOf("{tenantid}") }
        : { userinfoUrl: `${origin}/user` }),
    };
  }

  /** As if nothing had happened: for the end of a test. */
  reset(): void {
    this.instead.clear();
    this.complaints.length = 0;
    this.received.length = 0;
    this.refusal = undefined;
    this.asks = false;
    this.extra = {};
    this.makeIdToken = undefined;
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }

  #handlerFor(path: string): Handler | undefined {
    const handlers: Record<string, Handler> = {
      "/authorize": (received) => (this.asks ? this.#ask(received) : this.#authorize(received)),
      "/agree": (received) => this.#authorize(received),
      "/token": async (received) => await this.#token(received),
      "/keys": () => ({ body: { keys: [this.key.publicJwk] } }),
      "/.well-known/openid-configuration": () => ({ body: this.discovery() }),
      "/userinfo": (received) => this.#api(received),
      "/user": (received) => this.#api(received),
      "/user/emails": (received) => this.#api(received),
    };
    return handlers[path];
  }

  discovery(): Record<string, unknown> {
    const { origin } = this;
    return {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      jwks_uri: `${origin}/keys`,
      userinfo_endpoint: `${origin}/userinfo`,
    };
  }

  /** The right answer, for a test that changes it a little. */
  async rightAnswer(received: Received, response: ServerResponse): Promise<Reply> {
    return (await this.#handlerFor(received.path)?.(received, response)) ?? {};
  }

  #ask({ query }: Received): Reply {
    const head = `<head><title>${this.displayName}</title><link rel="icon" href="data:,"></head>`;
    const link = `<a href="/agree?${query.toString().replaceAll("&", "&amp;")}">Agree</a>`;
    return { body: `<!doctype html><html lang="en">${head}<body>${link}</body></html>` };
  }

  #complain(what: string, error: string): Reply {
    this.complaints.push(`${this.name}: ${what}`);
    return { status: 400, body: { error } };
  }

  #authorize({ query, method }: Received): Reply {
    const names = [...query.keys()];
    const expected: [string, boolean][] = [
      ["method", method === "GET"],
      ["a parameter twice", new Set(names).size === names.length],
      ["response_type", query.get("response_type") === "code"],
      ["client_id", query.get("client_id") === clientId],
      ["redirect_uri", query.get("redirect_uri")?.endsWith(`/oauth/${this.name}/callback`) === true],
      ["scope", query.get("scope") === this.#kind.scope],
      ["state", /^[A-Za-z0-9_-]{43}$/u.test(query.get("state") ?? "")],
      ["code_challenge_method", query.get("code_challenge_method") === "S256"],
      ["code_challenge", /^[A-Za-z0-9_-]{43}$/u.test(query.get("code_challenge") ?? "")],
      ["nonce", this.#kind.claims ? /^[A-Za-z0-9_-]{43}$/u.test(query.get("nonce") ?? "") : !query.has("nonce")],
      ["response_mode", query.get("response_mode") === (this.#kind.responseMode ?? null)],
      ["a secret in the address", !names.some((name) => /secret|verifier|token/u.test(name))],
    ];
    const wrong = expected.find(([, right]) => !right);
    if (wrong) return this.#complain(`authorize: ${wrong[0]}`, "invalid_request");
    const code = `code-${randomBytes(16).toString("hex")}`;
    const redirectUri = query.get("redirect_uri") ?? "";
    const challenge = query.get("code_challenge") ?? "";
    this.#codes.set(code, { person: this.person, redirectUri, challenge, nonce: query.get("nonce") });
    const answer: Record<string, string> = this.refusal === undefined ? { code } : { error: this.refusal };
    const fields = { state: query.get("state") ?? "", ...answer, ...this.#userField(), ...this.extra };
    if (this.#kind.responseMode) return { body: formPost(redirectUri, fields) };
    const back = new URL(redirectUri);
    for (const [name, value] of Object.entries(fields)) back.searchParams.set(name, value);
    return { status: 302, headers: { location: back.href } };
  }

  /** Apple gives the name here, the first time only, and nowhere else. */
  #userField(): Record<string, string> {
    const [firstName = "", lastName = ""] = (this.person.name ?? "").split(" ");
    if (this.name !== "apple" || firstName === "") return {};
    return { user: JSON.stringify({ name: { firstName, lastName }, email: this.person.email }) };
  }

  async #token(received: Received): Promise<Reply> {
    const { form, headers, method, query } = received;
    const grant = this.#codes.get(form.get("code") ?? "");
    this.#codes.delete(form.get("code") ?? "");
    const expected: [string, boolean][] = [
      ["method", method === "POST" && query.size === 0],
      ["content-type", headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true],
      ["accept", headers.accept === "application/json"],
      ["grant_type", form.get("grant_type") === "authorization_code"],
      ["the client's secret", await this.#isOurClient(received)],
      ["code", grant !== undefined],
      ["redirect_uri", form.get("redirect_uri") === grant?.redirectUri],
      ["code_verifier", challengeOf(form.get("code_verifier") ?? "") === grant?.challenge],
    ];
    const wrong = expected.find(([, right]) => !right);
    // GitHub says so with status 200.
    if (wrong || !grant) {
      const reply = this.#complain(`token: ${wrong?.[0] ?? "code"}`, "bad_verification_code");
      return this.name === "github" ? { ...reply, status: 200 } : reply;
    }
    const token = `at-${randomBytes(16).toString("hex")}`;
    this.#tokens.set(token, grant);
    const idToken = await this.#idToken(grant);
    return { body: { access_token: token, token_type: "bearer", expires_in: 3600, id_token: idToken } };
  }

  async #idToken({ person, nonce }: Grant): Promise<string | undefined> {
    const facts = this.#kind.claims?.(person);
    if (!facts) return undefined;
    const now = Math.floor(Date.now() / 1000);
    // A day: tests move the service's clock.
    const claims = { iss: this.issuerOf(), aud: clientId, iat: now, exp: now + 86_400, nonce, ...facts };
    return await (this.makeIdToken ?? this.key.sign)(claims);
  }

  async #isOurClient({ form, headers }: Received): Promise<boolean> {
    if (this.#kind.secretIn === "header") {
      const credentials = Buffer.from(`${clientId}:${this.secret}`).toString("base64");
      return headers.authorization === `Basic ${credentials}` && !form.has("client_secret") && !form.has("client_id");
    }
    if (headers.authorization !== undefined || form.get("client_id") !== clientId) return false;
    const sent = form.get("client_secret") ?? "";
    if (this.name !== "apple") return sent === this.secret;
    return await isMintedSecret(sent, this.appleKey.publicKey, { ...appleAccount, clientId, audience: this.origin });
  }

  #api({ path, headers, query }: Received): Reply {
    const [, token = ""] = /^Bearer (\S+)$/u.exec(headers.authorization ?? "") ?? [];
    const grant = this.#tokens.get(token);
    if (!grant || query.has("access_token"))
      return { ...this.#complain(`${path}: token`, "invalid_token"), status: 401 };
    // GitHub refuses a client without a name.
    if (!headers["user-agent"]) return { ...this.#complain(`${path}: user-agent`, "forbidden"), status: 403 };
    const { api, claims } = this.#kind;
    return { body: path === "/userinfo" ? claims?.(grant.person) : (api?.(grant.person)[path] as object) };
  }
}

export async function startProvider(kind: KindName): Promise<FakeProvider> {
  return await new FakeProvider(kind, await newIssuerKey()).start();
}
