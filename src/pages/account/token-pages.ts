/** Personal access tokens: making, listing and ending them. */
import { offeredDays, scopesNow } from "../../credentials/personal/rules.ts";
import * as personalTokens from "../../credentials/personal/service.ts";
import type { OfferedToken } from "../../credentials/personal/service.ts";
import { acrOf, isAtLeast } from "../../factors/assurance.ts";
import { seeOther, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import type { Context } from "../../runtime/context.ts";
import { findWaitingStep } from "../../users/waiting-steps.ts";
import { isAnswer } from "../hosted/hosted.ts";
import { accountPath } from "./parts.ts";
import { newTokenPage, scopesInWords, tokenFormPage, type AccountTokens, type TokenFormData } from "./tokens.ts";
import * as accountVisits from "./visits.ts";
import { byUser, type SignedInVisit } from "./visits.ts";

const page = "new-token";

/** Undefined if the application has none, and neither has the person. */
export async function tokensOf(ctx: Context, visit: SignedInVisit): Promise<AccountTokens | undefined> {
  const { user, application, frame } = visit;
  const live = await personalTokens.list(ctx, user.id, { all: false });
  const offered = await personalTokens.offered(ctx, application, user);
  if (!offered && live.length === 0) return undefined;
  const resources = await personalTokens.resourcesOf(ctx, application);
  return {
    isOn: offered !== undefined,
    hasChoice: offered !== undefined && allowsSomething(offered),
    live: live.map((token) => {
      const { id, name, hosts, createdAt, expiresAt, lastUsedAt } = token;
      const resource = resources.find(({ identifier }) => identifier === token.resource);
      const scopes = scopesNow(token, application, resource);
      const sentences = resource?.scopes.filter((scope) => scopes.includes(scope.name)).map(({ sentence }) => sentence);
      const allows = [...(sentences ?? scopesInWords(frame, scopes)), ...hosts];
      return { id, name, allows, resource: resource?.name, createdAt, expiresAt, lastUsedAt };
    }),
  };
}

function allowsSomething({ scopes, resources, hosts }: OfferedToken): boolean {
  return scopes.length + resources.length + hosts.length > 0;
}

type Entered = Pick<TokenFormData, "name" | "until" | "problem"> & { api: string | undefined; chosen: Set<string> };

function show(ctx: Context, visit: SignedInVisit, offered: OfferedToken, entered: Partial<Entered>): Answer {
  const { application, browser, frame } = visit;
  const { api, chosen = new Set(), name = "", problem } = entered;
  const timeZone = frame.timeZone ?? "UTC";
  const { usual, last } = offeredDays(application, timeZone, ctx.clock());
  const resource = api === undefined ? undefined : offered.resources.find(({ identifier }) => identifier === api);
  if (api !== undefined && !resource) return accountVisits.notFound(visit);
  const option = (name: string, label: string) => ({ name, label, isChosen: chosen.has(name) });
  const labelled: [name: string, label: string][] = resource
    ? resource.scopes.map((scope) => [scope.name, scope.sentence])
    : offered.scopes.map((scope) => [scope, scopesInWords(frame, [scope])[0] ?? scope]);
  const others = [
    ...(resource ? [{ name: frame.look.name, identifier: undefined }] : []),
    ...offered.resources.filter((other) => other !== resource).map(({ name, identifier }) => ({ name, identifier })),
  ];
  const body = tokenFormPage(frame, {
    appId: application.id,
    token: browser.formToken,
    resource,
    others,
    scopes: labelled.map(([name, label]) => option(`scope.${name}`, label)),
    hosts: resource ? [] : offered.hosts.map((host) => option(`host.${host}`, host)),
    name,
    until: entered.until ?? usual,
    lastDay: last,
    timeZone,
    problem,
  });
  return accountVisits.page(visit, body, { status: problem ? 422 : 200 });
}

/** What the person may choose. Undefined if nothing: the account page says what is missing. */
async function offeredTo(ctx: Context, { application, user }: SignedInVisit): Promise<OfferedToken | undefined> {
  const offered = user.emailVerified ? await personalTokens.offered(ctx, application, user) : undefined;
  return offered && allowsSomething(offered) ? offered : undefined;
}

/** GET /account/new-token */
export async function form(ctx: Context, request: HttpRequest): Promise<Answer> {
  const visit = await accountVisits.visitProven(ctx, request, page);
  if (isAnswer(visit)) return visit;
  const offered = await offeredTo(ctx, visit);
  if (!offered) return seeOther(accountPath(visit.application.id));
  const { reader } = ctx.storage;
  if (await findWaitingStep(reader, visit.application, visit.user, { onlyRequired: true }))
    return await askFirst(ctx, visit);
  return show(ctx, visit, offered, { api: request.query().get("api") });
}

/** A new token begins something: a sign-in asks for the step that waits, and comes back. */
async function askFirst(ctx: Context, visit: SignedInVisit): Promise<Answer> {
  return await accountVisits.begin(ctx, visit, { next: page });
}

function namesIn(form: ReadonlyMap<string, string>, prefix: string): string[] {
  return [...form.keys()].filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
}

/** POST /account/new-token */
export async function make(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await accountVisits.postProven(ctx, request, page);
  if (isAnswer(posted)) return posted;
  const { application, form: fields, frame, session, user } = posted;
  const offered = await offeredTo(ctx, posted);
  if (!offered) return seeOther(accountPath(application.id));
  const api = fields.get("api");
  const name = (fields.get("name") ?? "").trim();
  const until = fields.get("until") ?? "";
  const wanted = {
    name,
    scopes: namesIn(fields, "scope."),
    hosts: namesIn(fields, "host."),
    resource: api ?? null,
    lastDay: until,
    timeZone: frame.timeZone ?? "UTC",
    twoFactors: isAtLeast(acrOf(session), "urn:authsvc:acr:2"),
  };
  const acted = await accountVisits.act(ctx, posted, page, (within) =>
    personalTokens.make(within, { userId: user.id, appId: application.id }, wanted, byUser(posted)),
  );
  if (!("done" in acted)) return acted;
  const { done } = acted;
  if (!done) return seeOther(accountPath(application.id));
  if ("waiting" in done) return await askFirst(ctx, posted);
  if ("problem" in done)
    return show(ctx, posted, offered, { api, name, until, chosen: new Set(fields.keys()), problem: done.problem });
  return accountVisits.page(posted, newTokenPage(frame, { appId: application.id, token: done.token }));
}

/** POST /account/tokens/:tokenId/end. Needs no fresh proof, like ending a login. */
export async function end(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await accountVisits.post(ctx, request);
  if (isAnswer(posted)) return posted;
  const which = { userId: posted.user.id, id: request.parameter("tokenId") };
  const ended = await personalTokens.end(ctx, which, { reason: "account", by: byUser(posted) });
  return ended === 0 ? accountVisits.notFound(posted) : accountVisits.done(posted, "token-ended");
}
