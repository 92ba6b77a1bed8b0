/** Of merchants: tokens that APIs exchange, and what people agree to. */
import * as clients from "../../../src/applications/clients/service.ts";
import * as grants from "../../../src/sign-in/grants.ts";
import { tryForged } from "../forgery.ts";
import { accessTokenType, operator, type Asked, type Client, type Login, type Resource, type Shop } from "../mall.ts";
import { claimsOf } from "../oracles/tokens.ts";
import type { Answer } from "../programs.ts";
import { time } from "../time.ts";

const exchange = "urn:ietf:params:oauth:grant-type:token-exchange";

/** An API acts for the person at another, and that one at a third. */
export async function exchanged(shop: Shop): Promise<void> {
  const { me } = shop;
  const [shelf, vault, attic] = [
    await shop.newResource("shelf"),
    await shop.newResource("vault"),
    await shop.newResource("attic"),
  ];
  const kind = me.chances.pick(["web", "spa"] as const);
  const own = kind === "web" ? { exchangeTo: [attic.identifier] } : {};
  const client = await shop.newClient("web", { kind, resources: [shelf.identifier], ...own });
  const api = await shop.newClient("api", {
    kind: "machine",
    audienceOf: [shelf.identifier],
    exchangeTo: [vault.identifier],
    ...(me.chances.chance(0.5) && { resourceScopes: ["read", "write"] }),
  });
  const inner = await shop.newClient("inner", {
    audienceOf: [vault.identifier],
    exchangeTo: [attic.identifier],
  });
  const login = await shop.login(client, { resource: shelf, scope: "openid read write" });
  const ask = async (by: Client, token: string, to: Resource, other: Record<string, string> = {}): Promise<Answer> =>
    await shop.post(by, "/oauth2/token", {
      grant_type: exchange,
      subject_token: token,
      subject_token_type: accessTokenType,
      resource: to.identifier,
      ...other,
    });
  const [subject] = login.tokens;
  if (!subject) return;
  const chain: { by: Client; at: Resource; given: Login }[] = [];
  const take = async (by: Client, token: string, at: Resource, scopes: string[]): Promise<string> => {
    const from = time.now();
    const { status, body } = await ask(by, token, at, { scope: scopes.join(" ") });
    me.must("O4", status === 200, `${by.id} cannot exchange a token: ${String(body["error_description"])}`);
    const given = String(body["access_token"]);
    const theirs = claimsOf(token);
    const { iat, exp, jti: _, ...claims } = claimsOf(given);
    const left = Math.min(at.seconds, Number(theirs["exp"]) - Number(iat));
    me.must("O7", Number(exp) === Number(iat) + left, `an exchanged token outlives its subject by ${Number(exp)}`);
    const seconds = me.world.secondsOf({ from, to: time.now() });
    me.must("O6", Number(iat) >= seconds.from && Number(iat) <= seconds.to, `iat ${Number(iat)} of an exchanged token`);
    const {
      aud: _aud,
      client_id: _id,
      scope: _scope,
      act,
      iat: _iat,
      exp: _exp,
      jti: _jti,
      cnf: _cnf,
      ...same
    } = theirs;
    const actor = { sub: by.id, ...(act !== undefined && { act }) };
    const { scope, ...others } = claims;
    const should = { ...same, ...shop.own("access", by, []), aud: [at.identifier], client_id: by.id, act: actor };
    shop.same("O6", others, should, `a token that ${by.id} exchanged`);
    shop.same("O6", String(scope).split(" ").toSorted(), scopes.toSorted(), `its scope`);
    const rest = { ...body, access_token: "", expires_in: 0, scope: "" };
    const type = { issued_token_type: accessTokenType, token_type: "Bearer" };
    shop.same("O6", rest, { access_token: "", expires_in: 0, scope: "", ...type }, `an answer to ${by.id}`);
    chain.push({ by, at, given: { ...login, client: by, asked: { resource: at }, tokens: [] } });
    chain.at(-1)?.given.tokens.push({ token: given, claims: claimsOf(given), scopes, isOver: false });
    return given;
  };
  const first = await take(api, subject.token, vault, me.chances.pick([["read"], ["read", "write"]]));
  const second = await take(inner, first, attic, ["read"]);
  const refused = async (error: string, answer: Promise<Answer>, why: string): Promise<void> => {
    const { status, body } = await answer;
    const isRight = status >= 400 && body["error"] === error;
    me.must("O8", isRight, `a token was exchanged ${why}: ${status} ${String(body["error"])}`);
  };
  await refused("invalid_scope", ask(api, subject.token, vault, { scope: "admin" }), "for a scope that nobody granted");
  await refused("invalid_scope", ask(api, subject.token, vault, { scope: "read admin" }), "for one scope more");
  await refused("invalid_target", ask(api, subject.token, attic), "for another resource");
  await refused("invalid_request", ask(inner, subject.token, attic), "by another API");
  await refused("invalid_request", ask(api, login.idToken, vault), "in the place of an ID token");
  await refused("invalid_target", ask(api, subject.token, vault, { audience: vault.identifier }), "by audience");
  const takes = async (forged: string): Promise<boolean> => (await ask(api, forged, vault)).status === 200;
  await tryForged(shop, subject, { "an exchange": takes });
  const stranger = await shop.newClient("stranger");
  await refused("unauthorized_client", ask(stranger, subject.token, vault), "by a client that may exchange none");
  if (kind === "web") {
    // It was issued to this client itself.
    const { status, body } = await ask(client, subject.token, attic, { scope: "read" });
    const { act } = status === 200 ? claimsOf(String(body["access_token"])) : {};
    shop.same("O4", [status, act], [200, { sub: client.id }], `an exchange of a client's own token`);
  }
  const looked = async (): Promise<void> => {
    for (const { given } of chain)
      for (const issued of given.tokens) await shop.introspect(given, issued, me.chances.pick([api, inner]));
  };
  await looked();
  const { body } = await shop.post(api, "/oauth2/revoke", { token: first });
  me.must("O8", body["error"] === "unsupported_token_type", `an exchanged token was revoked: ${String(body["error"])}`);
  await shop.post(stranger, "/oauth2/revoke", { token: second });
  await looked();
  // With an actor of its chain, or with the login, a token is over.
  const over = (from: number): void => {
    for (const { given } of chain.slice(from)) for (const issued of given.tokens) issued.isOver = true;
  };
  const end = me.chances.below(3);
  if (end === 0) {
    await shop.update(api, { enabled: false });
    over(0);
    const asking = inner;
    for (const { given } of chain) for (const issued of given.tokens) await shop.introspect(given, issued, asking);
    await refused("invalid_request", ask(inner, first, attic), "of a disabled actor");
    await shop.update(api, { enabled: true });
  } else if (end === 1) {
    await shop.update(api, { exchangeTo: [] });
    await refused("unauthorized_client", ask(api, subject.token, vault), "by a client that may not any more");
    await looked();
    await shop.update(inner, { allowedGroups: ["nobody"] });
    await refused("invalid_request", ask(inner, first, attic), "of a person that the client does not admit");
  }
  await shop.command(async (ctx) => await clients.update(ctx, client.id, { enabled: false }, operator));
  client.is = { ...client.is, disabledAt: "now" };
  over(0);
  await looked();
}

/** O1: a program that asks people gets what they agreed to, and only while they agree. */
export async function consented(shop: Shop): Promise<void> {
  const { me } = shop;
  const resource = me.chances.chance(0.4) ? await shop.newResource("shelf") : undefined;
  const kind = me.chances.pick(["web", "native"] as const);
  const client = await shop.newClient("third", {
    kind,
    consent: "ask",
    ...(resource && { resources: [resource.identifier] }),
  });
  const of = (scope: string): Asked => ({ scope, ...(resource && { resource }) });
  const [less, more] = resource ? ["openid read", "openid read write"] : ["openid email", "openid email profile"];
  const visit = async (asked: Asked, agrees = true) => await shop.authorize(client, asked, { agrees });
  const denied = await visit(of(less), false);
  me.must("O1", denied.wasAsked && denied.error === "access_denied", `was not asked: ${denied.error}`);
  const first = await visit(of(less));
  me.must("O1", first.wasAsked, `${client.id} got a code without a consent`);
  const again = await visit(of(less));
  me.must("O4", !again.wasAsked, "was asked again for the same");
  const further = await visit(of(more));
  me.must("O1", further.wasAsked, `${client.id} got more without a consent`);
  const logins: Login[] = [];
  for (const { begun } of [again, further]) if (begun) logins.push(await shop.start(begun));
  for (const login of logins) await shop.look(login);
  const { begun: waiting } = await visit(of(less));
  const list = async () =>
    (await shop.command(async (ctx) => await grants.list(ctx, me.userId))).filter(
      ({ clientId }) => clientId === client.id,
    );
  const [shown] = await list();
  const scopes = shown?.allowed?.resources.flatMap((each) => each.scopes.map(({ name }) => name)) ?? [];
  const both = [...(shown?.allowed?.scopes ?? []), ...scopes].toSorted();
  shop.same("O4", both, more.split(" ").toSorted(), `what ${me.name} allowed ${shown?.clientId}`);
  if (me.chances.chance(0.5)) {
    const page = await me.at();
    const removed = await me.press(page, `/programs/${client.id}/remove`);
    me.must("O10", removed.status === 303, `cannot remove a program: ${removed.status}`);
  } else await shop.command(async (ctx) => await grants.remove(ctx, me.userId, client.id, operator));
  me.leaves("entry consent.remove");
  shop.isStale = true;
  for (const login of logins) await shop.ended(login, "after the consent was withdrawn");
  if (waiting) me.must("O1", (await shop.redeem(waiting)).status === 400, "a code outlived the consent");
  shop.same("O1", (await list()).length, 0, `the programs of ${me.name}`);
  const after = await visit(of(less), false);
  me.must("O1", after.wasAsked, `${client.id} is not asked for again`);
}
