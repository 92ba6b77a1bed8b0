/** The OpenID Connect providers of companies, which are reached without sockets. */
import { hash, sign } from "node:crypto";
import { Readable } from "node:stream";
import type { Generator } from "./generator.ts";
import { ed25519Pair } from "./key-pairs.ts";
import { time } from "./time.ts";

export type Claims = Record<string, unknown>;

type Asked = { method?: string; headers?: Record<string, string>; body?: string | null };
type Reply = { status: number; body: Claims };
type Code = { nonce: string; challenge: string; redirectUri: string; person: Claims };

const kid = "key-1";
const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Honest, unless `claims` and `forges` say otherwise. `authorize` is told who comes. */
export class Company {
  readonly issuer: string;
  clientId = "authsvc";
  readonly secret: string;
  /** Put over the claims of every ID token. */
  claims: Claims = {};
  /** Put over its document. */
  discovery: Claims = {};
  /** Makes another ID token of the right one. */
  forges: ((claims: Claims) => string) | undefined;
  /** It refuses its client, or is not there when a code is exchanged. */
  fault: "client" | "down" | undefined;
  readonly #chances: Generator;
  readonly #keys: ReturnType<typeof ed25519Pair>;
  readonly #codes = new Map<string, Code>();
  readonly #people = new Map<string, Claims>();

  constructor(issuer: string, chances: Generator) {
    this.issuer = issuer;
    this.#chances = chances;
    this.secret = this.#word();
    this.#keys = ed25519Pair(chances.bytes(32));
  }

  #word(): string {
    return Buffer.from(this.#chances.bytes(16)).toString("hex");
  }

  /** Honest from now on. */
  reform(): void {
    Object.assign(this, { claims: {}, discovery: {}, forges: undefined, fault: undefined });
  }

  /** Where it sends the browser of `person`, from the address that the service sent it to. */
  authorize(address: string, person: Claims): string {
    const { searchParams } = new URL(address);
    const of = (name: string): string => searchParams.get(name) ?? "";
    const code = this.#word();
    const [nonce, challenge, redirectUri] = [of("nonce"), of("code_challenge"), of("redirect_uri")];
    this.#codes.set(code, { nonce, challenge, redirectUri, person });
    const back = new URL(redirectUri);
    for (const [name, value] of Object.entries({ code, state: of("state"), iss: this.issuer }))
      back.searchParams.set(name, value);
    return back.href;
  }

  signed(claims: Claims, header: Claims = {}, { privateKey } = this.#keys): string {
    const text = `${encoded({ alg: "EdDSA", kid, ...header })}.${encoded(claims)}`;
    return `${text}.${sign(null, Buffer.from(text), privateKey).toString("base64url")}`;
  }

  /** By a key that its document does not name. */
  signedByAnother(claims: Claims): string {
    return this.signed(claims, {}, ed25519Pair(this.#chances.bytes(32)));
  }

  answer(path: string, { headers = {}, body }: Asked): Reply {
    const { issuer } = this;
    if (path === "/.well-known/openid-configuration") {
      const [authorization_endpoint, token_endpoint, userinfo_endpoint, jwks_uri] = [
        "authorize",
        "token",
        "userinfo",
        "keys",
      ].map((name) => `${issuer}/${name}`);
      const endpoints = { authorization_endpoint, token_endpoint, userinfo_endpoint, jwks_uri };
      return {
        status: 200,
        body: { issuer, ...endpoints, authorization_response_iss_parameter_supported: true, ...this.discovery },
      };
    }
    if (path === "/keys") {
      const key = this.#keys.publicKey.export({ format: "jwk" });
      return { status: 200, body: { keys: [{ ...key, kid, alg: "EdDSA", use: "sig" }] } };
    }
    if (path === "/token" && this.fault === "client") return { status: 401, body: { error: "invalid_client" } };
    if (path === "/token") return this.#token(new URLSearchParams(body ?? ""), headers["authorization"] ?? "");
    const person = this.#people.get(headers["authorization"]?.replace("Bearer ", "") ?? "");
    return path === "/userinfo" && person ? { status: 200, body: person } : { status: 401, body: {} };
  }

  #token(form: URLSearchParams, authorization: string): Reply {
    const basic = Buffer.from(`${this.clientId}:${this.secret}`).toString("base64");
    if (authorization !== `Basic ${basic}` && form.get("client_secret") !== this.secret)
      return { status: 401, body: { error: "invalid_client" } };
    const code = this.#codes.get(form.get("code") ?? "");
    this.#codes.delete(form.get("code") ?? "");
    const challenge = hash("sha256", form.get("code_verifier") ?? "", "base64url");
    if (code?.challenge !== challenge || code.redirectUri !== form.get("redirect_uri"))
      return { status: 400, body: { error: "invalid_grant" } };
    const accessToken = this.#word();
    this.#people.set(accessToken, { ...code.person, ...this.claims });
    // Its clock is right, and that of the service may not be.
    const iat = Math.floor(time.now() / 1000);
    const right = { iss: this.issuer, aud: this.clientId, iat, exp: iat + 600, nonce: code.nonce };
    const claims = { ...right, ...code.person, ...this.claims };
    const idToken = this.forges ? this.forges(claims) : this.signed(claims);
    return { status: 200, body: { access_token: accessToken, token_type: "Bearer", id_token: idToken } };
  }
}

/** All there are. */
export class CompanyNetwork {
  readonly #companies = new Map<string, Company>();

  open(issuer: string, chances: Generator): Company {
    const company = new Company(issuer, chances);
    this.#companies.set(issuer, company);
    return company;
  }

  /** In the place of undici's `request`. */
  readonly send = async (address: string, asked: Asked) => {
    await time.pause(40);
    const { origin, pathname } = new URL(address);
    const company = this.#companies.get(origin);
    const isDown = company?.fault === "down" && pathname === "/token";
    if (!company || isDown) throw Object.assign(new Error("no such host"), { code: "ENOTFOUND" });
    const { status, body } = company.answer(pathname, asked);
    const headers = { "content-type": "application/json" };
    return { statusCode: status, headers, body: Readable.from([Buffer.from(JSON.stringify(body))]) };
  };
}
