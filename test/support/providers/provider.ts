import { generateKeyPairSync, randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import { afterAll, afterEach } from "vitest";
import type { ProviderInput } from "../../../src/applications/providers/provider-input.ts";
import { accountWith, discoveryOf } from "../../../src/dev/providers/accounts.ts";
import { checkAuthorizationRequest } from "../../../src/dev/providers/authorization-request.ts";
import { isClient } from "../../../src/dev/providers/client-credentials.ts";
import { Grants, type Grant } from "../../../src/dev/providers/grants.ts";
import { claimsFor } from "../../../src/dev/providers/id-tokens.ts";
import { issuerOf, standIns, type StandIn } from "../../../src/dev/providers/stand-ins.ts";
import { answerToken, type TokenChecks } from "../../../src/dev/providers/tokens.ts";
import { answerUserinfo, userinfoPaths, type Describe } from "../../../src/dev/providers/userinfo.ts";
import type { Answer } from "../../../src/http/answer.ts";
import { systemRandom } from "../../../src/lib/random.ts";
import { decodedPart, formPost } from "./apple.ts";
import { startFakeServer, type FakeServer, type Handler, type Received, type Reply } from "./fake-server.ts";
import { newIssuerKey, type IdTokenMaker, type IssuerKey } from "./id-tokens.ts";
import { kinds, type Kind, type KindName, type Person } from "./kinds.ts";

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

/** `now`: in seconds, by the provider's clock. */
export type AuthTime = (query: URLSearchParams, now: number) => unknown;

/** Signed in there for so many seconds, and sent back without a page, whatever is asked. */
export const silent =
  (age: number): AuthTime =>
  (_query, now) =>
    Math.floor(now) - age;

/** The same, but signed in anew when `prompt` or `max_age` ask for it. */
export const honest =
  (age: number): AuthTime =>
  (query, now) => {
    const maxAge = query.get("max_age");
    const asksAnew = query.get("prompt")?.split(" ").includes("login") === true;
    if (asksAnew || (maxAge !== null && Number(maxAge) < age)) return Math.floor(now);
    return maxAge === null ? undefined : Math.floor(now) - age;
  };

/** A stand-in of development mode, at the root of an origin of its own. */
function standInFor(kindName: KindName): StandIn {
  const standIn = standIns.find(({ name }) => name === (kindName === "openid" ? "example" : kindName));
  if (!standIn) throw new Error(`there is no stand-in for ${kindName}`);
  const named = kindName === "openid" ? { name: "corp", displayName: "Corp" } : {};
  const clientSecret = `secret-${randomBytes(12).toString("hex")}`;
  return { ...standIn, ...named, path: "", clientId: "client-1", clientSecret, namesIssuer: false };
}

/**
 * A stand-in of development mode behind its own server, for one kind of provider. It signs in
 * whom a test names, does what a test puts in place of the right thing, and remembers a complaint
 * about every wrong request.
 */
export class FakeProvider implements Provider {
  readonly standIn: StandIn;
  readonly complaints: string[] = [];
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
  /** Its clock. */
  clock: () => number = Date.now;
  /** What it says as `auth_time` to a request, in place of what the stand-in says. */
  authTime: AuthTime | undefined;
  /** Handlers in place of the right ones, by path. */
  readonly instead = new Map<string, Handler>();
  key: IssuerKey;
  readonly #kind: Kind;
  readonly #appleKey = generateKeyPairSync("ec", { namedCurve: "P-256" });
  readonly #grants = new Grants({ clock: Date.now, random: systemRandom });
  readonly #people = new WeakMap<Grant["person"], Person>();
  readonly #tokenChecks: TokenChecks = {
    grants: this.#grants,
    isClient: (standIn, request, form) => {
      // Apple reads it at its own time: the service's clock may be ahead of this machine's.
      const now = Number(decodedPart(form.get("client_secret") ?? "", 1)["iat"]) * 1000;
      return isClient(standIn, request, form, { publicKey: this.#appleKey.publicKey, origin: this.origin, now });
    },
    idToken: async (_standIn, grant) => await (this.makeIdToken ?? this.key.sign)(this.#claims(grant)),
  };
  #server: FakeServer | undefined;

  constructor(kindName: KindName, key: IssuerKey) {
    this.standIn = standInFor(kindName);
    this.key = key;
    this.#kind = kinds[kindName];
  }

  async start(): Promise<this> {
    this.#server = await startFakeServer((path) => this.instead.get(path) ?? this.#handlerFor(path));
    return this;
  }

  get name(): string {
    return this.standIn.name;
  }

  get displayName(): string {
    return this.standIn.displayName;
  }

  get secret(): string {
    return this.standIn.clientSecret;
  }

  get origin(): string {
    return this.#server?.origin ?? "";
  }

  get received(): Received[] {
    return this.#server?.received ?? [];
  }

  /** The issuer, of the tenant where there are some. */
  issuerOf(tenant?: string): string {
    return issuerOf(this.origin, this.standIn, tenant);
  }

  settings(): ProviderInput {
    const { origin, name, standIn } = this;
    if (name === "corp") return { name, clientId: standIn.clientId, secret: this.secret, issuer: origin };
    return accountWith(standIn, origin, this.#appleKey.privateKey.export({ type: "pkcs8", format: "pem" }));
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
    this.clock = Date.now;
    this.authTime = undefined;
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
      "/userinfo": (received) => this.#api(received, (_subject, grant) => this.#claims(grant)),
    };
    const { says } = this.standIn;
    for (const [at, describe] of "userinfo" in says ? Object.entries(userinfoPaths[says.userinfo]) : [])
      handlers[at] = (received) =>
        this.#api(received, (_subject, grant, request) => {
          const person = this.#personOf(grant);
          if (at === "/user/emails") return person.emails ?? describe(person.subject, grant, request);
          return { ...(describe(person.subject, grant, request) as object), ...this.#changes(person) };
        });
    return handlers[path];
  }

  discovery(): Record<string, unknown> {
    return { ...discoveryOf(this.standIn, this.origin), userinfo_endpoint: `${this.origin}/userinfo` };
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

  /** Checks more than a provider may: that the service sends exactly what it should. */
  #complaint(where: string, expected: [string, boolean][]): Reply | undefined {
    const wrong = expected.find(([, right]) => !right);
    if (!wrong) return undefined;
    this.complaints.push(`${this.name}: ${where}: ${wrong[0]}`);
    return { status: 400, body: { error: "invalid_request" } };
  }

  #authorize({ query, method }: Received): Reply {
    const names = [...query.keys()];
    const redirectUri = query.get("redirect_uri") ?? "";
    const request = checkAuthorizationRequest(this.standIn, redirectUri, new Map(query));
    const complaint = this.#complaint("authorize", [
      ["method", method === "GET"],
      ["a parameter twice", new Set(names).size === names.length],
      ["redirect_uri", redirectUri.endsWith(`/oauth/${this.name}/callback`)],
      ["scope", query.get("scope") === this.#kind.scope],
      ["state", /^[A-Za-z0-9_-]{43}$/u.test(query.get("state") ?? "")],
      [
        "nonce",
        "idToken" in this.standIn.says ? /^[A-Za-z0-9_-]{43}$/u.test(query.get("nonce") ?? "") : !query.has("nonce"),
      ],
      ["response_mode", query.has("response_mode") === (this.standIn.answersBy === "form_post")],
      ["a secret in the address", !names.some((name) => /secret|verifier|token/u.test(name))],
      ["reason" in request ? request.reason : "", !("reason" in request)],
    ]);
    if (complaint || "reason" in request) return complaint ?? {};
    const { name = "", email = null, verified = false } = this.person;
    const person = { name, email, verified };
    const said = this.authTime && { raw: { ...this.person.raw, auth_time: this.authTime(query, this.clock() / 1000) } };
    this.#people.set(person, { ...this.person, ...said });
    const code = this.#grants.issueCode({ provider: this.name, request, person, failure: undefined });
    const answer: Record<string, string> = this.refusal === undefined ? { code } : { error: this.refusal };
    const fields = { state: query.get("state") ?? "", ...answer, ...this.#userField(), ...this.extra };
    if (this.standIn.answersBy === "form_post") return { body: formPost(redirectUri, fields) };
    const back = new URL(redirectUri);
    for (const [field, value] of Object.entries(fields)) back.searchParams.set(field, value);
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
    const complaint = this.#complaint("token", [
      ["method", method === "POST" && query.size === 0],
      ["content-type", headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true],
      ["accept", headers.accept === "application/json"],
      ["client_id twice", this.standIn.secretIn === "body" || !form.has("client_id")],
    ]);
    return complaint ?? this.#replyOf("token", await answerToken(this.#tokenChecks, this.standIn, requestOf(received)));
  }

  #api(received: Received, describe: Describe): Reply {
    const complaint = this.#complaint(received.path, [
      ["token in the address", !received.query.has("access_token")],
      // GitHub refuses a client without a name.
      ["user-agent", Boolean(received.headers["user-agent"])],
    ]);
    return (
      complaint ??
      this.#replyOf(received.path, answerUserinfo(this.#grants, this.standIn, describe, requestOf(received)))
    );
  }

  /** What the stand-in answers; a refusal, also GitHub's with status 200, is a complaint. */
  #replyOf(where: string, { status, body }: Answer): Reply {
    const parsed = JSON.parse(String(body)) as Record<string, unknown>;
    if (status >= 400 || "error" in parsed)
      this.complaints.push(`${this.name}: ${where}: ${String(parsed["error_description"] ?? parsed["message"])}`);
    return { status, body: parsed };
  }

  #personOf({ person }: Grant): Person {
    return this.#people.get(person) ?? { subject: "nobody" };
  }

  #changes(person: Person): Record<string, unknown> {
    return { ...this.#kind.says?.(person), ...person.raw };
  }

  #claims(grant: Grant): Record<string, unknown> {
    const person = this.#personOf(grant);
    const claims = claimsFor(this.standIn, grant, { origin: this.origin, clock: this.clock });
    // A day: tests move the service's clock.
    const exp = Number(claims["iat"]) + 86_400;
    return { ...claims, sub: person.subject, exp, ...this.#changes(person) };
  }
}

function requestOf({ form, headers, query }: Received) {
  return {
    form: async () => new Map(form),
    query: () => new Map(query),
    header: (name: string) => headers[name]?.toString(),
  };
}

export async function startProvider(kind: KindName): Promise<FakeProvider> {
  return await new FakeProvider(kind, await newIssuerKey()).start();
}

type FakeProviders<Kinds extends KindName[]> = { [At in keyof Kinds]: FakeProvider };

/** Providers for all tests of a file: as new after each, closed after the last. */
export async function useProviders<Kinds extends KindName[]>(...of: Kinds): Promise<FakeProviders<Kinds>> {
  const providers = await Promise.all(of.map((kind) => startProvider(kind)));
  afterEach(() => {
    for (const provider of providers) provider.reset();
  });
  afterAll(async () => await Promise.all(providers.map((provider) => provider.close())));
  return providers as FakeProviders<Kinds>;
}
