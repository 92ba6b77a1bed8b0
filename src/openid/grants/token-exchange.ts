/** Token exchange (RFC 8693): a client acts for a user at a resource (docs/decisions/0063). */
import type { Client } from "../../applications/clients/client.ts";
import { isOwnProgram } from "../../applications/clients/own-programs.ts";
import { scopesFor, type Resource } from "../../applications/resources/resource.ts";
import * as resources from "../../applications/resources/service.ts";
import { second } from "../../lib/clock.ts";
import { oauthError, type AppError } from "../../lib/errors.ts";
import type { RequestSource } from "../../lib/request-source.ts";
import { takesConfined } from "../../organizations/gate.ts";
import * as audit from "../../records/audit/audit.ts";
import type { Context } from "../../runtime/context.ts";
import * as resourceTokens from "../../sessions/resource-tokens.ts";
import type { PersonsToken } from "../../sessions/resource-tokens.ts";
import * as accessTokens from "../../tokens/access-tokens.ts";
import { actorsOf, newTokenId } from "../../tokens/access-tokens.ts";
import * as claimSources from "../../tokens/claim-sources.ts";
import { claimsOf } from "../../tokens/claims.ts";
import * as groups from "../../users/groups/service.ts";
import type { ClientCaller, FormParameters } from "../client-guard.ts";

export const grantType = "urn:ietf:params:oauth:grant-type:token-exchange";
const accessTokenType = "urn:ietf:params:oauth:token-type:access_token";
const maxActors = 4;

export type ExchangedToken = {
  access_token: string;
  issued_token_type: typeof accessTokenType;
  expires_in: number;
  scope: string;
};

/** RFC 8693 §2.2.2: every problem with the subject token. */
function refusedSubject(reason: string): AppError {
  return oauthError("invalid_request", `subject_token: ${reason}`);
}

function refuseUnsupported(form: FormParameters): void {
  if (form.get("subject_token_type") !== accessTokenType)
    throw oauthError("invalid_request", `subject_token_type: must be ${accessTokenType}`);
  if ((form.get("requested_token_type") ?? accessTokenType) !== accessTokenType)
    throw oauthError("invalid_request", `requested_token_type: must be ${accessTokenType}`);
  if (form.get("actor_token") !== undefined || form.get("actor_token_type") !== undefined)
    throw oauthError("invalid_request", "actor_token: not supported; the client itself is the actor");
  if (form.get("audience") !== undefined)
    throw oauthError("invalid_target", "audience: not supported; name the target by resource");
}

/** The subject token, if this client may act with it. Throws INVALID_REQUEST. */
async function subjectFor(
  ctx: Context,
  { client, application }: Pick<ClientCaller, "client" | "application">,
  token: string,
): Promise<PersonsToken> {
  // Also a bound one (`cnf`): an API that received it cannot prove the key (docs/decisions/0063).
  const subject = await resourceTokens.verify(ctx, token, { takesConfined: true });
  if ("reason" in subject) throw refusedSubject("not a live access token for a resource");
  const { claims } = subject;
  if (claims.app_id !== client.appId) throw refusedSubject("not a live access token for a resource");
  if (!("login" in subject)) throw refusedSubject("a machine's own token; it is nobody's");
  if (claims.client_id !== client.id && !client.audienceOf.includes(claims.aud[0]))
    throw refusedSubject("neither for an API that this client is, nor issued to it");
  if (client.organizationId !== null && claims.org_id !== client.organizationId)
    throw refusedSubject("of another organization than this client's");
  if (application.settings.organizations === "required" && !subject.membership)
    throw refusedSubject("without an organization, which the application requires");
  for (const party of resourceTokens.partiesOf(subject))
    if (party !== client.appId && !(await isOwnProgram(ctx, party)))
      throw refusedSubject("of a program that asks people for their consent");
  if (!(await groups.admits(ctx.storage.reader, client, claims.sub)))
    throw refusedSubject("of a user whom this client's allowed groups do not admit");
  if (actorsOf(claims).length >= maxActors)
    throw refusedSubject(`it has ${maxActors} actors (act), the most there are`);
  return subject;
}

/**
 * The scopes that the user's token, the client and the resource have in common, by name. Throws
 * INVALID_REQUEST.
 */
function grantedScopes(subject: PersonsToken, client: Client, resource: Resource, asked: string | undefined): string[] {
  const held = subject.claims.scope.split(" ");
  const allowed = scopesFor(resource, client).filter((scope) => held.includes(scope));
  const wanted = asked === undefined ? allowed : [...new Set(asked.split(" ").filter((scope) => scope !== ""))];
  if (wanted.length === 0 || !wanted.every((scope) => allowed.includes(scope)))
    throw oauthError(
      "invalid_scope",
      "scope: none, or more than the subject token, this client and the resource allow",
    );
  return wanted;
}

/** Throws INVALID_REQUEST with the error of RFC 8693 §2.2.2, RFC 6749 §5.2 or RFC 8707 §2. */
export async function exchange(
  ctx: Context,
  { client, application, form, proofKey }: ClientCaller & { proofKey: string | null },
  source: RequestSource,
): Promise<ExchangedToken> {
  const token = form.get("subject_token");
  if (token === undefined) throw oauthError("invalid_request", "subject_token: required");
  refuseUnsupported(form);
  const { reader } = ctx.storage;
  const target = form.get("resource") ?? "";
  const resource = await resources.askedBy(reader, { ...client, resources: client.exchangeTo }, target);
  if (!resource) throw oauthError("invalid_target", "resource: required, one that this client may exchange tokens for");
  const now = ctx.clock();
  const subject = await subjectFor(ctx, { client, application }, token);
  if (subject.isConfined && !takesConfined(application, client, resource))
    throw refusedSubject("of a person confined to an organization, for a program or resource that takes no such one");
  const scopes = grantedScopes(subject, client, resource, form.get("scope"));
  const { claims: theirs, login, user } = subject;
  const seconds = Math.min(resource.accessTokenSeconds, theirs.exp - Math.floor(now / second));
  const details = {
    clientId: client.id,
    subjectClientId: theirs.client_id,
    subjectResource: theirs.aud[0],
    resource: resource.identifier,
    scope: scopes.join(" "),
    loginId: login.id,
  };
  const actor = { kind: "app", name: application.id } as const;
  const event = { actor, source, action: "token.exchange", result: "success", appId: application.id } as const;
  const { membership: organization } = subject;
  const about = { userId: user.id, organizationId: organization?.organizationId, details };
  await ctx.storage.write((tx) => audit.record(ctx, tx, { ...event, ...about }, now));
  const own = await claimSources.forToken(ctx, "access", {
    application,
    client,
    scopes,
    userId: user.id,
    isConfined: subject.isConfined,
  });
  const issued = { issuer: ctx.baseUrl, id: newTokenId(ctx.random), seconds, own, organization, proofKey };
  const exchanged = { ...login, clientId: client.id, resource: resource.identifier, scopes };
  const act = { sub: client.id, ...(theirs.act ? { act: theirs.act } : {}) };
  const claims = { ...claimsOf(exchanged, user, issued, now), act };
  return {
    access_token: await accessTokens.sign(ctx, claims, application.settings),
    issued_token_type: accessTokenType,
    expires_in: seconds,
    scope: scopes.join(" "),
  };
}
