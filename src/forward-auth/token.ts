/** Tokens that open a host without a cookie. */
import { crc32 } from "node:zlib";
import { isDocumentUrl } from "../applications/documents/document.ts";
import * as recentApplications from "../applications/recent.ts";
import { admitsGroups } from "../applications/clients/proxy.ts";
import { forwardAuthScope, hostAndPathOf } from "../applications/resources/resource.ts";
import * as personalTokens from "../credentials/personal/service.ts";
import { acrOf } from "../factors/assurance.ts";
import { findFactorState } from "../factors/store.ts";
import { isPersonalToken } from "../lib/credentials.ts";
import type { Context } from "../runtime/context.ts";
import * as resourceTokens from "../sessions/resource-tokens.ts";
import * as claimSources from "../tokens/claim-sources.ts";
import { isBelow, type Asked } from "./asked.ts";
import type { ProtectedHost } from "./logins.ts";
import type { Person } from "./person.ts";

/** The person of a token, if it opens this host and path and the person may use it. */
export async function personOf(
  ctx: Context,
  host: ProtectedHost,
  asked: Asked,
  token: string,
): Promise<Person | undefined> {
  if (isPersonalToken(token)) return await ofPersonal(ctx, host, token);
  const person = await ofResource(ctx, host, asked, token);
  return person && (await mayUse(ctx, host, person, person.acr !== "urn:authsvc:acr:1")) ? person : undefined;
}

/** A personal access token that its owner made for this very host. */
async function ofPersonal(ctx: Context, host: ProtectedHost, token: string): Promise<Person | undefined> {
  const found = await personalTokens.findAt(ctx, token, host);
  if (!found) return undefined;
  const { id: userId, email, emailVerified, name } = found.user;
  const sources = await claimSources.read(ctx.storage.reader, userId);
  const person: Person = {
    userId,
    loginId: found.token.id,
    email,
    emailVerified,
    name,
    groups: sources.groups.toSorted(),
    acr: "urn:authsvc:acr:1",
    // Nothing counts the changes: the facts stand for themselves.
    claimsVersion: crc32(JSON.stringify(sources)),
  };
  return (await mayUse(ctx, host, person, found.token.twoFactors)) ? person : undefined;
}

/**
 * A resource's token, of a person who gave a registered program access to this very host. A
 * machine, an actor, or a program that nobody registered opens none.
 */
async function ofResource(
  ctx: Context,
  { appId }: ProtectedHost,
  asked: Asked,
  token: string,
): Promise<Person | undefined> {
  const verified = await resourceTokens.verify(ctx, token);
  if (!("login" in verified)) return undefined;
  const { claims, login, user } = verified;
  if (claims.app_id !== appId || claims.act || claims.cnf || login.actor) return undefined;
  if (isDocumentUrl(claims.client_id) || !claims.scope.split(" ").includes(forwardAuthScope)) return undefined;
  if (!isAtResource(asked, claims.aud[0])) return undefined;
  const person = { userId: user.id, loginId: login.id, claimsVersion: user.claimsVersion };
  const { groups } = await claimSources.ofLogin(ctx, person);
  const { email, emailVerified, name } = user;
  return { ...person, email, emailVerified, name, groups, acr: acrOf({ ...login, secondFactor: user.secondFactor }) };
}

/** Exactly the resource's host and port, at or below its path. */
function isAtResource(asked: Asked, identifier: string): boolean {
  const at = hostAndPathOf(identifier);
  return at?.host === asked.host && (at.path === "" || isBelow(asked.path, [at.path]));
}

/** `hasTwo`: two factors were proved. */
async function mayUse(
  ctx: Context,
  host: ProtectedHost,
  { userId, groups }: Person,
  hasTwo: boolean,
): Promise<boolean> {
  if (!admitsGroups(host, groups)) return false;
  if (hasTwo) return true;
  const state = await findFactorState(ctx.storage.reader, userId, host.clientId);
  return state?.isRequired === false && !(await recentApplications.asksFactor(ctx, host.appId));
}
