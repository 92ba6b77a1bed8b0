import { createHash, randomBytes } from "node:crypto";
import { afterAll, afterEach } from "vitest";
import * as domains from "../../src/organizations/domains/service.ts";
import { providerSecretContext, type OrganizationProvider } from "../../src/organizations/provider/provider.ts";
import { findOrganization } from "../../src/organizations/store.ts";
import { startFakeServer, type FakeServer, type Handler, type Received, type Reply } from "./providers/fake-server.ts";
import { newIssuerKey, type Claims, type IdTokenMaker, type IssuerKey } from "./providers/id-tokens.ts";
import type { TestService } from "./service.ts";

const companyIssuers: string[] = [];
/** For the configuration of a service: the issuers of this machine that organizations may use. */
export const companyConfig = { organizations: { privateIssuers: companyIssuers } };

type Code = { nonce: string | null; challenge: string | null; redirectUri: string; person: Claims };

/**
 * An OpenID Connect provider of a company, honest unless a test says otherwise. Whoever comes is
 * `person`, without a page.
 */
export class CompanyProvider {
  readonly clientId = "client-1";
  secret = "s3cret-of-company";
  readonly complaints: string[] = [];
  /** The claims of who is signed in there; undefined: nobody, so `prompt=none` fails. */
  person: Claims | undefined;
  /** Put over the claims of every ID token; undefined removes one. */
  claims: Claims = {};
  /** Put over what userinfo says. */
  userinfo: Claims = {};
  /** Put over its document. */
  discovery: Claims = {};
  /** Put over the parameters that the browser brings back. */
  answer: Record<string, string> = {};
  makeIdToken: IdTokenMaker | undefined;
  key: IssuerKey;
  /** Milliseconds that a path waits before it answers. */
  readonly delays = new Map<string, number>();
  /** Handlers in place of the right ones, by path: another status, a redirect, anything. */
  readonly instead = new Map<string, Handler>();
  clock: () => number = Date.now;
  readonly #codes = new Map<string, Code>();
  readonly #tokens = new Map<string, Claims>();
  #server: FakeServer | undefined;

  constructor(key: IssuerKey) {
    this.key = key;
  }

  async start(): Promise<this> {
    this.#server = await startFakeServer((path) => async (received, response) => {
      const delay = this.delays.get(path);
      if (delay !== undefined) await new Promise((resolve) => setTimeout(resolve, delay));
      return await (this.instead.get(path) ?? ((each) => this.rightAnswer(each)))(received, response);
    });
    companyIssuers.push(this.issuer);
    return this;
  }

  get issuer(): string {
    return this.#server?.origin ?? "";
  }

  get received(): Received[] {
    return this.#server?.received ?? [];
  }

  /** As if nothing had happened: for the end of a test. */
  reset(): void {
    for (const each of [this.delays, this.instead, this.#codes, this.#tokens]) each.clear();
    this.complaints.length = 0;
    this.received.length = 0;
    Object.assign(this, { person: undefined, claims: {}, userinfo: {}, discovery: {}, answer: {} });
    Object.assign(this, { makeIdToken: undefined, secret: "s3cret-of-company", clock: Date.now });
  }

  async close(): Promise<void> {
    companyIssuers.splice(companyIssuers.indexOf(this.issuer), 1);
    await this.#server?.close();
  }

  /** What the browser of `person` brings back from an address of `authorizationAddress`. */
  async visit(address: string): Promise<URL> {
    const response = await fetch(address, { redirect: "manual" });
    return new URL(response.headers.get("location") ?? "about:blank");
  }

  document(): Claims {
    const { issuer } = this;
    return without({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/keys`,
      authorization_response_iss_parameter_supported: true,
      ...this.discovery,
    });
  }

  async rightAnswer(received: Received): Promise<Reply> {
    switch (received.path) {
      case "/.well-known/openid-configuration":
        return { body: this.document() };
      case "/keys":
        return { body: { keys: [this.key.publicJwk] } };
      case "/authorize":
        return this.#authorize(received);
      case "/token":
        return await this.#token(received);
      case "/userinfo": {
        const claims = this.#tokens.get(received.headers.authorization?.replace("Bearer ", "") ?? "");
        return claims ? { body: without({ ...claims, ...this.userinfo }) } : { status: 401 };
      }
      default:
        return { status: 404 };
    }
  }

  #check(what: string, right: boolean): boolean {
    if (!right) this.complaints.push(what);
    return right;
  }

  #authorize({ query }: Received): Reply {
    const random = /^[A-Za-z0-9_-]{43}$/u;
    for (const name of ["state", "nonce", "code_challenge"]) this.#check(name, random.test(query.get(name) ?? ""));
    this.#check("code_challenge_method", query.get("code_challenge_method") === "S256");
    this.#check("scope", query.get("scope") === "openid email profile");
    this.#check("client_id", query.get("client_id") === this.clientId);
    const redirectUri = query.get("redirect_uri") ?? "";
    this.#check("redirect_uri", /\/oauth\/org_\w+\/callback$/u.test(redirectUri));
    const back = new URL(redirectUri);
    const code = randomBytes(12).toString("hex");
    const [nonce, challenge] = [query.get("nonce"), query.get("code_challenge")];
    if (this.person) this.#codes.set(code, { nonce, challenge, redirectUri, person: this.person });
    const silent = query.get("prompt") === "none";
    const said = this.person ? { code } : { error: silent ? "login_required" : "access_denied" };
    const fields = { state: query.get("state") ?? "", iss: this.issuer, ...said, ...this.answer };
    for (const [name, value] of Object.entries(fields)) back.searchParams.set(name, value);
    return { status: 302, headers: { location: back.href } };
  }

  async #token({ form, headers }: Received): Promise<Reply> {
    const credentials = Buffer.from(`${this.clientId}:${this.secret}`).toString("base64");
    const isClient = headers.authorization === `Basic ${credentials}` || form.get("client_secret") === this.secret;
    if (!isClient) return { status: 401, body: { error: "invalid_client" } };
    const code = this.#codes.get(form.get("code") ?? "");
    this.#codes.delete(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const fits = code?.challenge === challenge && code.redirectUri === form.get("redirect_uri");
    if (!code || !this.#check("code_verifier or redirect_uri", fits))
      return { status: 400, body: { error: "invalid_grant" } };
    const accessToken = randomBytes(12).toString("hex");
    this.#tokens.set(accessToken, code.person);
    const now = Math.floor(this.clock() / 1000);
    const right = { iss: this.issuer, aud: this.clientId, iat: now, exp: now + 86_400, nonce: code.nonce };
    const claims = without({ ...right, ...code.person, ...this.claims });
    const idToken = await (this.makeIdToken ?? this.key.sign)(claims);
    return { body: { access_token: accessToken, token_type: "Bearer", id_token: idToken } };
  }
}

function without(claims: Claims): Claims {
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
}

/** For all tests of a file: as new after each, closed after the last. Await it at the top. */
export async function useCompanyProvider(): Promise<CompanyProvider> {
  const provider = await new CompanyProvider(await newIssuerKey()).start();
  afterEach(() => provider.reset());
  afterAll(async () => await provider.close());
  return provider;
}

/** An employee with a verified address. */
export const employee = (sub: string, email: string): Claims => ({ sub, email, email_verified: true, name: "Emma" });

/** Makes it the provider of an organization, without the steps that lead there. */
export async function storeProvider(
  { server }: TestService,
  organization: { id: string },
  provider: { issuer: string; clientId: string; secret: string },
  fields: Partial<OrganizationProvider> = {},
): Promise<OrganizationProvider> {
  const { ctx } = server.app;
  const now = ctx.clock();
  const found = await findOrganization(ctx.storage.reader, organization.id);
  const place = { organizationId: organization.id, appId: found?.appId ?? "" };
  return await ctx.storage.write(async (tx) => {
    const row: OrganizationProvider = {
      ...place,
      state: "active",
      issuer: provider.issuer,
      clientId: provider.clientId,
      encryptedSecret: await ctx.keyring.encrypt(tx, provider.secret, providerSecretContext(place)),
      fixedAddresses: false,
      trustsSecondFactor: null,
      sessionSeconds: 43_200,
      requiredSince: null,
      proofsFrom: 0,
      setterId: null,
      setupLinkId: null,
      triedAt: now,
      worksAt: null,
      createdAt: now,
      updatedAt: now,
      failingSince: null,
      failedAt: null,
      failure: null,
      failureMailedAt: null,
      ...fields,
    };
    await tx.db.insert(tx.tables.organizationProviders).values(row);
    return row;
  });
}

/** An operator vouches for a domain of the organization. */
export async function proveDomain({ server }: TestService, { id }: { id: string }, domain: string): Promise<void> {
  const { ctx } = server.app;
  const found = await findOrganization(ctx.storage.reader, id);
  if (!found) throw new Error("no such organization");
  await domains.add(ctx, found, { domain, isProved: true }, { actor: { kind: "cli", name: "test" } });
}
