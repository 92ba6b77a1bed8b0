/** Where owners set the provider of their organization, try it, and say who must use it. */
import { seeOther, type Answer } from "../../http/answer.ts";
import { sourceOf, type HttpRequest } from "../../http/request.ts";
import { AppError } from "../../lib/errors.ts";
import { canonicalEmail } from "../../lib/email.ts";
import { listProvedDomains } from "../../organizations/domains/store.ts";
import { findMembership, listMembersAmong } from "../../organizations/membership-store.ts";
import { asMember, asPerson, type Organization } from "../../organizations/organization.ts";
import { hasCompanySignIn } from "../../organizations/provider/companies.ts";
import * as relinks from "../../companies/relinks.ts";
import * as provider from "../../companies/service.ts";
import * as trials from "../../companies/trial.ts";
import type { CompanyVisit } from "../../companies/visits.ts";
import * as organizations from "../../organizations/service.ts";
import type { Context } from "../../runtime/context.ts";
import { ProviderFailure } from "../../credentials/identities/provider-fetch.ts";
import * as arrivals from "../../sign-in/company/arrivals.ts";
import * as users from "../../users/service.ts";
import * as hosted from "../hosted/hosted.ts";
import { isAnswer } from "../hosted/hosted.ts";
import { leavePage } from "../onward-pages.ts";
import { ownProviderPage, ownProviderPath, trialPage } from "./own-provider-page.ts";
import type { OwnProviderNotice, TrialOutcome } from "./own-provider-page.ts";
import * as accountVisits from "./visits.ts";
import type { AccountPosted, SignedInVisit } from "./visits.ts";

/** The organization in the query, if the person is a live owner, and it may have a provider. */
async function owned(ctx: Context, { request, user, application }: SignedInVisit): Promise<Organization | undefined> {
  const { reader } = ctx.storage;
  const organization = await organizations.find(reader, application.id, request.query().get("organization") ?? "");
  const membership =
    organization && (await findMembership(reader, { organizationId: organization.id, userId: user.id }));
  return hasCompanySignIn(application) && membership?.roles.includes("owner") ? organization : undefined;
}

/** After the proof, back to this page: it is asked for before anything is entered. */
function nextOf(request: HttpRequest): string {
  return `organization-${request.query().get("organization") ?? ""}-provider`;
}

/** GET /organization/provider */
export async function form(ctx: Context, request: HttpRequest): Promise<Answer> {
  const visit = await accountVisits.visitProven(ctx, request, nextOf(request));
  if (isAnswer(visit)) return visit;
  return await show(ctx, visit, { kind: request.query().get("notice") === "done" ? "done" : undefined });
}

async function show(
  ctx: Context,
  visit: SignedInVisit,
  notice: OwnProviderNotice,
  sent?: ReadonlyMap<string, string>,
): Promise<Answer> {
  const organization = await owned(ctx, visit);
  if (!organization) return accountVisits.notFound(visit);
  const { application, browser, frame, user } = visit;
  const { reader } = ctx.storage;
  const acting = asMember(user.id);
  const providers = await provider.show(ctx, organization, acting);
  const opened = await relinks.list(ctx, organization, acting);
  const setters = [providers.provider?.setterId, providers.waiting?.setterId].filter((id) => typeof id === "string");
  const ids = [...setters, ...opened.map(({ userId }) => userId)];
  const people = await listMembersAmong(reader, organization.id, ids);
  const body = ownProviderPage(frame, {
    appId: application.id,
    token: browser.formToken,
    organization,
    userId: user.id,
    providers,
    relinks: opened,
    names: new Map(people.map(({ userId, name, email }) => [userId, name ?? email ?? userId])),
    hasDomain: (await listProvedDomains(reader, organization.id)).length > 0,
    withoutMethod: await provider.withoutMethod(ctx, organization),
    notice,
    sent,
  });
  return accountVisits.page(visit, body, { status: [undefined, "done"].includes(notice.kind) ? 200 : 422 });
}

/** POST /organization/provider: each form names its act. */
export async function save(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await accountVisits.postProven(ctx, request, nextOf(request));
  if (isAnswer(posted)) return posted;
  const organization = await owned(ctx, posted);
  if (!organization) return accountVisits.notFound(posted);
  try {
    const act = posted.form.get("act") ?? "";
    if (act === "try") return await leave(ctx, posted, organization);
    const work = Object.hasOwn(acts, act) ? acts[act] : undefined;
    if (!work) return accountVisits.notFound(posted);
    await work(ctx, organization, posted);
    return seeOther(`${ownProviderPath(posted.application.id, organization.id)}&notice=done`);
  } catch (error) {
    if (error instanceof ProviderFailure)
      return await show(ctx, posted, { kind: "refused", reason: `an issuer that answers: ${error.message}` });
    if (!(error instanceof AppError) || error.code === "SERVER_ERROR" || error.code === "RATE_LIMITED") throw error;
    return await show(ctx, posted, noticeOf(error), posted.form);
  }
}

function noticeOf(error: AppError): OwnProviderNotice {
  const { code, cause, rejected } = error;
  if (cause === provider.needsUse) return { kind: "use-first" };
  if (rejected?.field === "issuer") return { kind: "refused", reason: rejected.rule };
  return { kind: code === "CONFLICT" ? "conflict" : "failed" };
}

function actingOf({ user, source }: AccountPosted, ctx: Context) {
  return asPerson(user, source, ctx.clock());
}

type Act = (ctx: Context, organization: Organization, posted: AccountPosted) => Promise<unknown>;

const acts: Record<string, Act> = {
  set: (ctx, organization, posted) => {
    const { form } = posted;
    const [issuer = "", clientId = ""] = [form.get("issuer"), form.get("clientId")];
    const input = { issuer, clientId, clientSecret: form.get("clientSecret"), fixedAddresses: form.has("fixed") };
    return provider.set(ctx, organization, input, actingOf(posted, ctx));
  },
  confirm: (ctx, organization, posted) => {
    const { form } = posted;
    const input = { issuer: form.get("issuer") ?? "", required: form.has("required") };
    return provider.confirm(ctx, organization, input, actingOf(posted, ctx));
  },
  agree: (ctx, organization, posted) =>
    provider.agree(ctx, organization, { issuer: posted.form.get("issuer") ?? "" }, actingOf(posted, ctx)),
  require: (ctx, organization, posted) =>
    provider.setRequired(ctx, organization, { required: posted.form.has("required") }, actingOf(posted, ctx)),
  withdraw: (ctx, organization, posted) =>
    provider.remove(ctx, organization, { onlyWaiting: true }, actingOf(posted, ctx)),
  remove: (ctx, organization, posted) => provider.remove(ctx, organization, {}, actingOf(posted, ctx)),
  async relink(ctx, organization, posted) {
    const addresses = (posted.form.get("addresses") ?? "").split(/[\s,;]+/u).filter(Boolean);
    const found = addresses.map(async (address) => {
      const user = await users.findByEmail(ctx.storage.reader, organization.appId, canonicalEmail(address) ?? "");
      return user?.id ?? "";
    });
    await relinks.openRelink(ctx, organization, { userIds: await Promise.all(found) }, actingOf(posted, ctx));
  },
  "agree-relink": (ctx, organization, posted) =>
    relinks.agreeToRelink(ctx, organization, { userId: posted.form.get("user") ?? "" }, actingOf(posted, ctx)),
};

/** As for other providers: form-action cannot name an endpoint that only discovery knows. */
async function leave(ctx: Context, posted: AccountPosted, organization: Organization): Promise<Answer> {
  const { browser, user, frame } = posted;
  const acting = actingOf(posted, ctx);
  const address = await trials.beginTrial(
    ctx,
    organization,
    { browserDigest: browser.digest, userId: user.id },
    acting,
  );
  const left = accountVisits.page(posted, leavePage(frame, { address, to: new URL(address).host }));
  return { ...left, headers: { ...left.headers, refresh: `0; url=${address}` } };
}

/** GET /oauth/{organizationId}/callback of a trial: only in the browser that began it. */
export async function finishTrial(
  ctx: Context,
  request: HttpRequest,
  { organizationId, issuer, userId, browserDigest }: CompanyVisit & { organizationId: string; issuer: string },
): Promise<Answer> {
  const appId = (await organizations.byId(ctx, organizationId))?.appId ?? "";
  const visit = await accountVisits.visit(ctx, request, appId);
  if (isAnswer(visit)) return visit;
  const { user, browser, application, frame } = visit;
  const isTheirs = user.id === userId && browser.digest === browserDigest;
  if (!isTheirs || !(await accountVisits.isProven(ctx, visit))) return accountVisits.notFound(visit);
  const query = request.query();
  const [state = "", code] = [query.get("state"), query.get("code")];
  const trial: trials.Trial =
    code === undefined
      ? { issuer, failure: /^[\w.-]{1,64}$/u.exec(query.get("error") ?? "")?.[0] ?? "no code" }
      : await trials.finishTrial(
          ctx,
          { organizationId, issuer, userId, source: sourceOf(request) },
          { state, code, iss: query.get("iss") },
        );
  const outcome = "identity" in trial ? await outcomeOf(ctx, visit, trial.identity) : undefined;
  return hosted.page(frame, trialPage(frame, { appId: application.id, organizationId }, trial, outcome));
}

async function outcomeOf(
  ctx: Context,
  { user, application }: SignedInVisit,
  identity: Parameters<typeof arrivals.find>[3],
): Promise<TrialOutcome> {
  const arrival = await arrivals.find(ctx, ctx.storage.reader, application, identity);
  switch (arrival.kind) {
    case "known":
    case "link": {
      if (arrival.kind === "known" && arrival.user.id === user.id) return { kind: "you" };
      const { name, email, id } = arrival.user;
      return { kind: arrival.kind === "known" ? "opens" : "links", person: name ?? email ?? id };
    }
    case "new":
    case "mailbox":
      return { kind: "new" };
    case "refused":
      if (arrival.why === "stranger" || arrival.why === "other-subject") return { kind: arrival.why };
      return { kind: arrival.why === "asks-owner" ? "other-subject" : "refused" };
  }
}
