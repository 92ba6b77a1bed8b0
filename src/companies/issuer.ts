/** Issuers that organizations name: which may be set, and what their documents say. */
import { LRUCache } from "lru-cache";
import type { Endpoints } from "../applications/providers/providers.ts";
import { keysBy } from "../credentials/identities/claims.ts";
import { documentOf, endpointsIn, keysProblem } from "../credentials/identities/discovery.ts";
import { jsonObject, ProviderFailure, type ProviderFetch } from "../credentials/identities/provider-fetch.ts";
import { hour } from "../lib/clock.ts";
import type { RemoteKeys } from "../lib/jose.ts";
import { hostOf } from "../lib/loopback.ts";
import { part, type Context } from "../runtime/context.ts";
import { addressProblem, fetchFor, keyOf, ProviderBusy, ProviderDown, type Place } from "./connections.ts";

const keptFor = hour;
const maxPlaces = 1000;
const maxCharacters = 255;

/** Hosts where everybody can have an account, or where companies are not told apart. */
const serveMany = new Set(
  [
    "appleid.apple.com account.apple.com github.com token.actions.githubusercontent.com gitlab.com bitbucket.org",
    "api.bitbucket.org facebook.com www.facebook.com limited.facebook.com discord.com slack.com login.live.com",
    "linkedin.com www.linkedin.com api.login.yahoo.com login.yahoo.com id.twitch.tv access.line.me kauth.kakao.com",
    "paypal.com www.paypal.com www.paypalobjects.com amazon.com www.amazon.com login.salesforce.com",
    "test.salesforce.com identity.xero.com orcid.org id.me login.gov secure.login.gov huggingface.co oauth.telegram.org",
    "oauth.platform.intuit.com accounts.spotify.com id.vk.com login.yandex.ru openid.naver.com nid.naver.com",
  ].flatMap((line) => line.split(" ")),
);
const microsoft =
  /^(?:login\.microsoftonline\.(?:com|us)|login\.partner\.microsoftonline\.cn|(?:sts|login)\.windows\.net)$/u;
const microsoftTenant = /^\/(?!9188040d-6c67-4c5b-b112-36a304b66dad)[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?:\/|$)/u;

/** Google serves every company: the ID token says by `hd` which one. */
export function isGoogle(issuer: string): boolean {
  return hostOf(issuer) === "accounts.google.com";
}

/** Why an issuer cannot be set, as a phrase that follows "must be"; undefined if it can. */
export function issuerProblem(ctx: Context, issuer: string): string | undefined {
  if (issuer.length > maxCharacters) return `at most ${maxCharacters} characters`;
  const problem = addressProblem(ctx, issuer, issuer);
  if (problem !== undefined) return problem;
  if (/[?*{}<>"\\^`|]/u.test(issuer)) return "a URL without a query and without placeholders";
  if (/\/\.well-known\/openid-configuration\/?$/u.test(issuer))
    return "a URL that does not end with /.well-known/openid-configuration";
  const { hostname: host, pathname, origin } = new URL(issuer);
  if (origin === new URL(ctx.baseUrl).origin || serveMany.has(host))
    return "an issuer of this company alone: at this one, others have accounts, too";
  if (microsoft.test(host) && !microsoftTenant.test(pathname))
    return "an issuer of one tenant (https://login.microsoftonline.com/TENANT-ID/v2.0): at this one, others have accounts, too";
  return undefined;
}

/** What was read from an issuer for an organization. */
export type Discovered = { endpoints: Endpoints; keys: RemoteKeys; fetch: ProviderFetch };

const known = part(() => new LRUCache<string, { at: number; reading: Promise<Discovered> }>({ max: maxPlaces }));

/** Reads an issuer's document, once an hour. Throws ProviderFailure. */
export async function discover(ctx: Context, place: Place): Promise<Discovered> {
  const key = keyOf(place);
  const last = known(ctx).get(key);
  if (last && Math.abs(ctx.clock() - last.at) < keptFor) return await last.reading;
  const started = { at: ctx.clock(), reading: read(ctx, place) };
  known(ctx).set(key, started);
  // Concurrent requests share one reading; a failed one is repeated by the next request.
  started.reading.catch(() => {
    if (known(ctx).peek(key) === started) known(ctx).delete(key);
  });
  return await started.reading;
}

/** Asks an issuer and its keys anew. Throws ProviderFailure, whose message the owners may read. */
export async function tryIssuer(ctx: Context, place: Place): Promise<void> {
  known(ctx).delete(keyOf(place));
  const { endpoints, fetch } = await discover(ctx, place);
  const problem = keysProblem(jsonObject(await fetch("keys", endpoints.jwksUrl ?? "")));
  if (problem !== undefined) throw new ProviderDown(problem);
}

async function read(ctx: Context, place: Place): Promise<Discovered> {
  const fetch = fetchFor(ctx, place);
  const { issuer } = place;
  return await orDown(async () => {
    const document = jsonObject(await fetch("discovery", documentOf(issuer)));
    const endpoints = endpointsIn(document, issuer.replace(/\/$/u, ""));
    if (endpoints.issuer !== issuer)
      throw new ProviderFailure(`discovery returned another issuer: ${endpoints.issuer}`);
    const { authorizationUrl, tokenUrl, userinfoUrl, jwksUrl = "" } = endpoints;
    for (const address of [authorizationUrl, tokenUrl, userinfoUrl, jwksUrl])
      if (address !== undefined && addressProblem(ctx, issuer, address) !== undefined)
        throw new ProviderFailure("discovery names an address that is not on the internet");
    const keys = keysBy(async (...call) => await orDown(async () => await fetch(...call)), jwksUrl);
    return { endpoints, keys, fetch };
  });
}

/** No visitor decides what a document of the issuer says. */
async function orDown<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ProviderFailure) || error instanceof ProviderDown || error instanceof ProviderBusy)
      throw error;
    throw new ProviderDown(error.message);
  }
}
