/**
 * Somebody with programs of their own: what they asked for and were granted, and what each token
 * and answer must therefore say, as a whole.
 */
import { createPublicKey, hash, verify, type webcrypto } from "node:crypto";
import { call, Visitor, type Page } from "../support/person.ts";
import { callback, Owner, written } from "./mall-owner.ts";
import type { Asked, Begun, Client, Issued, Json, Login } from "./mall-owner.ts";
import { tryForged } from "./forgery.ts";
import { claimsOf } from "./oracles/tokens.ts";
import { issuer, postAs, type Answer, type ProgramKey } from "./programs.ts";
import { has } from "./resident.ts";
import { time } from "./time.ts";
import { fieldsOfClaims, shortUser, tells } from "./told.ts";
import { Lost, type Part } from "./world.ts";

export { operator, written } from "./mall-owner.ts";
export type { Asked, Begun, Client, Issued, Json, Login, Resource } from "./mall-owner.ts";

export const accessTokenType = "urn:ietf:params:oauth:token-type:access_token";
const ofOpenId = ["openid", "profile", "email", "groups", "offline_access"];
/** Of an access token for the application, and of an ID token. */
const usualSeconds = 900;

type Published = webcrypto.JsonWebKey & { kid: string; alg: string };

const words = (text: unknown): string[] => (text === "" ? [] : String(text).split(" "));

export class Shop extends Owner {
  /** Those that were published, by their ids. */
  readonly #keys = new Map<string, Published>();

  /** Some of these acts, each once. */
  async actsOf(
    kind: string,
    acts: Record<string, (shop: Shop) => Promise<void>>,
    rounds: number,
    { isOver, pause }: Pick<Part, "isOver" | "pause">,
  ): Promise<void> {
    const drawn = this.me.chances.fork("acts");
    const left = Object.entries(acts);
    for (let round = 0; round < rounds && !isOver(); round += 1) {
      const [next] = left.splice(drawn.below(left.length), 1);
      if (!next) return;
      const [name, act] = next;
      this.me.world.note(`${this.me.name}: ${name}`);
      await act(this);
      if (drawn.chance(0.5)) await this.me.tryVoided();
      this.me.world.reached(`${kind}: ${name}`);
      await pause(20_000);
    }
  }

  #query(client: Client, { scope, resource, claims, prover, more }: Asked, verifier: string, nonce: string) {
    return {
      client_id: client.id,
      response_type: "code",
      redirect_uri: client.is.redirectUris[0] ?? callback,
      state: `state of ${client.id}`,
      nonce,
      code_challenge: hash("sha256", verifier, "base64url"),
      code_challenge_method: "S256",
      ...(scope !== undefined && { scope }),
      ...(resource && { resource: resource.identifier }),
      ...(claims && { claims: JSON.stringify(claims) }),
      ...(prover && { dpop_jkt: prover.thumbprint }),
      // Any of them will do.
      ...(this.me.chances.chance(0.2) && { acr_values: "urn:authsvc:acr:1 urn:authsvc:acr:2" }),
      ...more,
    } as Record<string, string>;
  }

  /** To the page at which somebody stands, or to the response. */
  async authorize(
    client: Client,
    asked: Asked,
    { visitor = new Visitor(), pushes = false, agrees = true } = {},
  ): Promise<{ page: Page; begun: Begun | undefined; error: string; wasAsked: boolean }> {
    const { me } = this;
    const [verifier, nonce] = [me.chances.bytes(32), me.chances.bytes(12)].map((bytes) =>
      Buffer.from(bytes).toString("base64url"),
    ) as [string, string];
    const query = this.#query(client, asked, verifier, nonce);
    const from = time.now();
    let sent = query;
    if (pushes) {
      const { client_id: _, ...form } = query;
      const { status, body } = await this.post(client, "/oauth2/par", form, asked.prover);
      me.must("O10", status === 201, `${client.id} cannot push a request: ${status} ${String(body["error"])}`);
      sent = { client_id: client.id, request_uri: String(body["request_uri"]) };
    }
    let page = await me.walk(
      await visitor.get(`${issuer}/oauth2/authorize?${new URLSearchParams(sent).toString()}`),
      visitor,
    );
    const wasAsked = has(page, "/step/consent");
    this.isStale ||= wasAsked;
    if (wasAsked) page = await visitor.submit(page, agrees ? "/step/consent" : "/step/deny", {});
    const { searchParams } = page.location;
    const [code, error] = [searchParams.get("code"), searchParams.get("error") ?? ""];
    me.world.note(`${me.name} at ${client.id}: ${code === null ? `${page.status} ${error}` : "a code"}`);
    if (page.status === 303) {
      // RFC 9207, and nothing that was not asked for.
      const { code: _, error_description: __, ...others } = Object.fromEntries(searchParams);
      for (const name of new URL(query["redirect_uri"] ?? "").searchParams.keys()) delete others[name];
      const should = { iss: issuer, state: query["state"], ...(code === null && { error }) };
      this.same("O8", others, should, `a response to ${client.id}`);
      me.must("O8", page.location.href.startsWith(query["redirect_uri"] ?? ""), "a response went elsewhere");
    }
    const begun = code === null ? undefined : { client, asked, code, verifier, nonce, from };
    return { page, begun, error, wasAsked };
  }

  async redeem({ client, asked: { prover }, code, verifier }: Begun, other: Record<string, string> = {}) {
    const redirect = client.is.redirectUris[0] ?? callback;
    const form = { grant_type: "authorization_code", code, redirect_uri: redirect, code_verifier: verifier, ...other };
    return await this.post(client, "/oauth2/token", form, prover);
  }

  /** Of those that were asked for: what client, application and resource allow. */
  granted({ is }: Client, { scope, resource }: Asked): string[] {
    const ofResource = (resource?.scopes ?? []).filter((each) => is.resourceScopes?.includes(each) !== false);
    if (scope === undefined) return ofResource;
    const own = ofOpenId.filter((each) => is.scopes.includes(each));
    return words(scope).filter((each) => [...own, ...ofResource].includes(each));
  }

  /** A new login, whose tokens say what they should. */
  async login(client: Client, asked: Asked, how: Parameters<Shop["authorize"]>[2] = {}): Promise<Login> {
    const { begun, page, error } = await this.authorize(client, asked, how);
    this.me.must("O10", begun !== undefined, `no code for ${client.id}: ${page.status} ${error}`);
    return await this.start(begun as Begun);
  }

  async start(begun: Begun): Promise<Login> {
    const answer = await this.redeem(begun);
    // A code lasts a minute, and a network may be slow.
    if (answer.status !== 200 && time.now() > begun.from + 50_000) throw new Lost("too late for the code");
    this.me.must("O4", answer.status === 200, `a code of ${begun.client.id} was refused: ${written(answer.body)}`);
    return await this.began(begun, answer.body);
  }

  /** `from`: before its person gave the password. */
  async began(
    { client, asked, nonce, from }: Pick<Begun, "client" | "asked" | "nonce" | "from">,
    body: Json,
  ): Promise<Login> {
    if (this.isStale) await this.readBack();
    const { auth_time: at, sid } = claimsOf(String(body["access_token"]));
    const seconds = this.me.world.secondsOf({ from, to: time.now() });
    const isTimely = Number(at) >= seconds.from && Number(at) <= seconds.to;
    this.me.must("O6", isTimely, `auth_time ${String(at)} of ${client.id} is not in ${written(seconds)}`);
    const scopes = this.granted(client, asked);
    const times = { authTime: Number(at), refreshedAt: time.now() };
    const { proven } = this;
    const of = { client, asked, nonce, proven, scopes, sid: String(sid), refresh: "", idToken: "", isOver: false };
    const login: Login = { ...of, ...times, tokens: [] };
    const { token } = this.took(login, body, { scopes, from, nonce });
    await this.checkSignature(token);
    if (login.idToken !== "") await this.checkSignature(login.idToken, "JWT");
    return login;
  }

  /** Whether a client gets refresh tokens. */
  #refreshes({ client: { is }, scopes }: Login): boolean {
    return is.refreshTokens === "always" || scopes.includes("offline_access");
  }

  /** O6 and O4: an answer of the token endpoint, with all that is in it. */
  took(
    login: Login,
    body: Json,
    { scopes, from, nonce }: { scopes: string[]; from: number; nonce?: string | undefined },
  ): Issued {
    const { client, asked, idToken: _ } = login;
    const { access_token: access, id_token: id, refresh_token: refresh, scope, expires_in: seconds } = body;
    const isOpenId = scopes.includes("openid");
    const names = Object.keys(body).toSorted();
    const optional = [...(isOpenId ? ["id_token"] : []), ...(this.#refreshes(login) ? ["refresh_token"] : [])];
    const should = ["access_token", "expires_in", ...optional, "scope", "token_type"].toSorted();
    this.same("O6", names, should, `an answer to ${client.id}`);
    const visible = asked.resource ? scopes.filter((each) => !ofOpenId.includes(each)) : scopes;
    this.same("O6", words(scope).toSorted(), visible.toSorted(), `the scope for ${client.id}`);
    this.same("O6", body["token_type"], asked.prover ? "DPoP" : "Bearer", `the type for ${client.id}`);
    const lasts = this.lasts(login);
    if (lasts !== undefined) this.same("O7", seconds, lasts, `expires_in for ${client.id}`);
    const claims = claimsOf(String(access));
    const issued = { token: String(access), claims, scopes, prover: asked.prover, isOver: false };
    this.checkAccess(login, issued, { from, seconds: Number(seconds), visible });
    if (isOpenId) this.#checkIdToken(login, String(id), { scopes, from, nonce, access: String(access) });
    login.tokens.push(issued);
    if (typeof refresh === "string") login.refresh = refresh;
    if (typeof id === "string") login.idToken = id;
    login.refreshedAt = time.now();
    return issued;
  }

  /** Seconds of its access tokens; undefined: they end with the login. */
  lasts({ client: { is }, asked }: Pick<Login, "client" | "asked">): number | undefined {
    if (is.loginIdleSeconds !== null || is.loginAbsoluteSeconds !== null) return undefined;
    return asked.resource?.seconds ?? usualSeconds;
  }

  /** What an access token says, as a whole. */
  checkAccess(
    login: Login,
    { claims, scopes }: Issued,
    { from, seconds, visible }: { from: number; seconds: number; visible: string[] },
  ): void {
    const { client, asked } = login;
    const { iat, exp, jti, ...others } = claims;
    this.#checkTimes({ iat, exp }, from, seconds, `a token of ${client.id}`);
    const { scope, ...rest } = others as { scope: string };
    this.same("O6", words(scope).toSorted(), visible.toSorted(), `the scope in a token of ${client.id}`);
    this.me.must("O6", /^[\w-]{22}$/u.test(String(jti)), `jti ${String(jti)}`);
    const { me, app } = this;
    const should = {
      ...this.own("access", client, scopes),
      iss: issuer,
      sub: me.userId,
      aud: asked.resource ? [asked.resource.identifier] : app.id,
      user_id: me.userId,
      app_id: app.id,
      client_id: client.id,
      ...(visible.includes("email") && { email: me.email, email_verified: me.isVerified }),
      sid: login.sid,
      auth_time: login.authTime,
      ...login.proven,
      ...(asked.prover && { cnf: { jkt: asked.prover.thumbprint } }),
    };
    this.same("O6", rest, should, `a token of ${client.id}`);
  }

  #checkTimes(times: { iat: unknown; exp: unknown }, from: number, seconds: number, what: string): void {
    const span = this.me.world.secondsOf({ from, to: time.now() });
    const iat = Number(times.iat);
    this.me.must("O6", iat >= span.from && iat <= span.to, `${what} was issued at ${iat}, not in ${written(span)}`);
    this.same("O7", times.exp, iat + seconds, `${what}, by exp,`);
  }

  #checkIdToken(
    { client, asked, sid, authTime, proven }: Login,
    token: string,
    { scopes, from, nonce, access }: { scopes: string[]; from: number; nonce: string | undefined; access: string },
  ): void {
    const { iat, exp, ...others } = claimsOf(token);
    this.#checkTimes({ iat, exp }, from, usualSeconds, `an ID token of ${client.id}`);
    const size = client.is.idTokenAlg === "EdDSA" ? "sha512" : "sha256";
    const digest = hash(size, access, "buffer");
    const requested = asked.claims?.id_token ?? {};
    const isMinimal = client.is.idTokenClaims === "minimal";
    const given = isMinimal ? [] : scopes;
    const withGroups = this.withGroups(client, given, { scopes, requested });
    const should = {
      // With nothing that it may say, it says no constant either.
      ...(given.length > 0 && this.own("id", client, withGroups)),
      ...(given.length === 0 && withGroups.length > 0 && { groups: this.person.groups }),
      ...this.facts(client, given, scopes, requested),
      iss: issuer,
      sub: this.me.userId,
      aud: client.id,
      azp: client.id,
      auth_time: authTime,
      ...(nonce !== undefined && { nonce }),
      ...proven,
      sid,
      at_hash: digest.subarray(0, digest.length / 2).toString("base64url"),
    };
    this.same("O6", others, should, `an ID token of ${client.id}`);
  }

  /** What the token endpoint answers to the newest refresh token. */
  async refresh(login: Login, other: Record<string, string> = {}, prover = login.asked.prover): Promise<Answer> {
    const form = { grant_type: "refresh_token", refresh_token: login.refresh, ...other };
    return await this.post(login.client, "/oauth2/token", form, prover);
  }

  /** It works, for `scopes`. */
  async refreshed(login: Login, scopes = this.#now(login), other: Record<string, string> = {}): Promise<Issued> {
    const from = time.now();
    const { status, body } = await this.refresh(login, other);
    this.me.must("O4", status === 200, `${login.client.id} cannot refresh: ${status} ${written(body)}`);
    return this.took(login, body, { scopes, from });
  }

  async refusesRefresh(login: Login, error: string, why: string, other: Record<string, string> = {}): Promise<void> {
    const { status, body } = await this.refresh(login, other);
    const isRight = status === (error === "invalid_client" ? 401 : 400) && body["error"] === error;
    this.me.must("O1", isRight, `${login.client.id} refreshed ${why}: ${status} ${String(body["error"])}`);
  }

  /** What the client, and the resource, still have of its grant. */
  #now({ client, asked, scopes }: Login): string[] {
    const now = this.granted(client, { ...asked, scope: [...ofOpenId, ...(asked.resource?.scopes ?? [])].join(" ") });
    return scopes.filter((scope) => now.includes(scope));
  }

  isLive({ isOver, client }: Login, issued: Issued): boolean {
    return (
      !isOver && !issued.isOver && client.is.disabledAt === null && Number(issued.claims["exp"]) * 1000 > time.now()
    );
  }

  /** Tries all that a login has: what is live says all that it should, and the rest nothing. */
  async look(login: Login, asking: Client = this.itself): Promise<void> {
    for (const issued of login.tokens.slice(-2)) {
      const exp = Number(issued.claims["exp"]) * 1000;
      if (exp > time.now() && exp < time.now() + 60_000) continue;
      await this.introspect(login, issued, asking);
      await this.#atService(login, issued);
    }
    if (login.refresh !== "") await this.#introspectRefresh(login, asking);
    if (this.me.chances.chance(0.3)) await this.#askElsewhere(login);
    const last = login.tokens.at(-1);
    if (last && this.isLive(login, last) && this.me.chances.chance(0.2)) await tryForged(this, last);
  }

  /** O8: a client of another application sees nothing, and ends nothing. */
  async #askElsewhere({ tokens, refresh }: Login): Promise<void> {
    const { me } = this;
    const [wiki] = me.world.programs.web;
    const token = me.chances.pick([refresh, tokens.at(-1)?.token ?? ""]);
    if (!wiki) return;
    const { body } = await postAs(wiki, "/oauth2/introspect", { token });
    this.same("O8", body, { active: false }, "introspection by a client of another application");
    await postAs(wiki, "/oauth2/revoke", { token });
  }

  async introspect(login: Login, issued: Issued, asking: Client): Promise<void> {
    const { client, asked } = login;
    const { body } = await this.post(asking, "/oauth2/introspect", { token: issued.token });
    const isLive = this.isLive(login, issued);
    const { claims } = issued;
    const { iss, sub, aud, client_id, exp, iat, jti, sid, act, scope } = claims;
    const said = { iss, sub, aud, client_id, exp, iat, jti, sid, scope, ...(act !== undefined && { act }) };
    const { prover } = issued;
    const type = { token_type: prover ? "DPoP" : "Bearer", ...(prover && { cnf: { jkt: prover.thumbprint } }) };
    const scopes = act === undefined ? issued.scopes : words(scope);
    // A resource's token tells the claims of the grant, as a whole.
    const ofGrant = asked.resource && act === undefined ? login.scopes : scopes;
    const should = isLive
      ? { ...this.own("access", asking, ofGrant), active: true, ...type, ...said }
      : { active: false };
    this.same(isLive ? "O6" : "O1", body, should, `introspection by ${asking.id} of a token of ${client.id}`);
  }

  async #introspectRefresh(login: Login, asking: Client): Promise<void> {
    const { client, asked, sid, scopes, refresh } = login;
    const { body } = await this.post(asking, "/oauth2/introspect", { token: refresh });
    const mayAsk =
      !asked.resource || (asked.resource.isListed && client.is.resources.includes(asked.resource.identifier));
    const isLive = !login.isOver && client.is.disabledAt === null && mayAsk;
    const { exp: _, iat: __, ...others } = body;
    const should = isLive
      ? { active: true, iss: issuer, sub: this.me.userId, client_id: client.id, scope: scopes.join(" "), sid }
      : { active: false };
    const sorted = (of: Json): Json => ("scope" in of ? { ...of, scope: words(of["scope"]).toSorted() } : of);
    this.same(isLive ? "O6" : "O1", sorted(others), sorted(should), `introspection of ${client.id}'s refresh token`);
  }

  /** Userinfo and validate, which only tokens of the application open. */
  async #atService(login: Login, issued: Issued): Promise<void> {
    const { client, asked } = login;
    const isLive = this.isLive(login, issued) && !asked.resource;
    const { status, body } = await this.present(issued, "/oauth2/userinfo", issued.prover);
    const hasOpenId = issued.scopes.includes("openid");
    const should = !isLive ? 401 : hasOpenId ? 200 : 403;
    this.me.must(isLive ? "O4" : "O1", status === should, `userinfo of ${client.id} answers ${status}, not ${should}`);
    if (status === 200) {
      const requested = asked.claims?.userinfo ?? {};
      const facts = this.facts(client, issued.scopes, login.scopes, requested);
      const withGroups = this.withGroups(client, issued.scopes, { scopes: login.scopes, requested });
      const own = this.own("userinfo", client, withGroups);
      this.same("O6", body, { sub: this.me.userId, ...own, ...facts }, `userinfo of ${client.id}`);
    }
    // A disabled client's tokens are valid until they expire, where nobody asks for the client.
    if (client.is.disabledAt !== null) return;
    const validated = await this.present(issued, "/auth/validate", issued.prover);
    this.me.must(
      isLive ? "O4" : "O1",
      validated.status === (isLive ? 200 : 401),
      `validate of a token of ${client.id} answers ${validated.status}`,
    );
    if (validated.status === 200) this.#checkValidated(client, issued, validated.body);
    if (this.me.chances.chance(0.4)) await tells(this, login, issued, this.isLive(login, issued));
  }

  #checkValidated(client: Client, { claims, scopes }: Issued, body: Json): void {
    const expiresAt = new Date(Number(claims["exp"]) * 1000).toISOString();
    const own = this.own("access", client, scopes);
    const clientId = client.id === this.app.id ? {} : { clientId: client.id };
    const { scopes: shown, ...others } = body;
    const user = shortUser(this, client, scopes);
    const ofClaims = fieldsOfClaims(this, client, scopes);
    const { acr } = claims;
    const level = acr === "urn:authsvc:acr:2" && { acr };
    const should = { valid: true, expiresAt, ...clientId, claims: own, user, ...ofClaims, ...level };
    this.same("O6", others, should, `validate of ${client.id}`);
    this.same("O6", [...(shown as string[])].toSorted(), scopes.toSorted(), `the scopes in validate of ${client.id}`);
  }

  /** A call with an access token, and a proof if it is bound. */
  async present({ token }: Issued, path: string, prover?: ProgramKey, proof?: string): Promise<Answer> {
    const proves = prover && (proof ?? prover.proof("GET", path, { token }));
    const headers: Record<string, string> = proves
      ? { authorization: `DPoP ${token}`, dpop: proves }
      : { authorization: `Bearer ${token}` };
    const ofApp: Record<string, string> = path === "/auth/validate" ? { "x-service-app-id": this.app.id } : {};
    return await call(this.me.world.service, "GET", path, { ...headers, ...ofApp });
  }

  /** O8: tokens are signed with a published key, and say of which kind they are. */
  async checkSignature(token: string, kind = "at+jwt"): Promise<string> {
    const [header = "", claims = "", signature = ""] = token.split(".");
    const said = JSON.parse(Buffer.from(header, "base64url").toString()) as Json & { kid: string; alg: string };
    const { kid, alg } = said;
    if (!this.#keys.has(kid)) {
      const { body } = await call(this.me.world.service, "GET", "/.well-known/jwks.json", {});
      for (const key of body["keys"] as Published[]) this.#keys.set(key.kid, key);
    }
    const jwk = this.#keys.get(kid);
    this.same("O4", said, { alg: jwk?.alg, typ: kind, kid }, "the header of a token");
    if (!jwk) return kid;
    const key = createPublicKey({ key: jwk, format: "jwk" });
    const by = { key, dsaEncoding: "ieee-p1363" } as const;
    const digest = alg === "EdDSA" ? null : "sha256";
    const isRight = verify(digest, Buffer.from(`${header}.${claims}`), by, Buffer.from(signature, "base64url"));
    this.me.must("O8", isRight, "a token is not signed by its published key");
    return kid;
  }

  /** O1: all that a login had is over. */
  async ended(login: Login, why: string): Promise<void> {
    login.isOver = true;
    if (login.refresh !== "" && login.client.is.disabledAt === null)
      await this.refusesRefresh(login, "invalid_grant", why);
    await this.look(login);
  }
}
