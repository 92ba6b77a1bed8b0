/** Shows the pages of a sign-in by the provider of an organization. */
import { seeOther, type Answer } from "../../http/answer.ts";
import * as companies from "../../organizations/provider/companies.ts";
import type { Company } from "../../organizations/provider/companies.ts";
import { findIdentityOf } from "../../organizations/provider/identity-store.ts";
import * as mail from "../../records/mail/service.ts";
import type { Context } from "../../runtime/context.ts";
import { recordFailure } from "../../companies/failing.ts";
import * as companyVisits from "../../companies/visits.ts";
import type { OrganizationVisitPurpose } from "../../storage/column-types.ts";
import * as companySignIn from "../../sign-in/company/company-sign-in.ts";
import type { CompanyRefusal } from "../../sign-in/company/company-sign-in.ts";
import * as companyLinks from "../../sign-in/company/links.ts";
import * as freshness from "../../sign-in/freshness.ts";
import type { FactorRefusal } from "../../sign-in/factors/factor-sign-in.ts";
import { demandOf, organizationOf } from "../../sign-in/session.ts";
import { continuesAlone } from "../../sign-in/single-sign-on/continuing.ts";
import type { User } from "../../users/user.ts";
import * as browsers from "../hosted/browser.ts";
import { withRetryAfter } from "../hosted/hosted.ts";
import { countStart } from "../hosted/start-limit.ts";
import { leavePage } from "../onward-pages.ts";
import { factorProblemWords } from "../parts/factor-parts.ts";
import type { ProblemWords } from "../parts/problems.ts";
import * as choose from "./choose-pages.ts";
import { pathOf } from "./choose-pages.ts";
import {
  companyAddressPage,
  companyArrivalPage,
  companyBeforePage,
  companyRefusedPage,
  type CompanyStep,
  type NamedCompany,
} from "./company-page.ts";
import * as visits from "./visits.ts";
import type { Visit } from "./visits.ts";

/** Why somebody came back without an identity, or why the provider cannot be asked. */
export type CompanyProblem = "cancelled" | "failing";

/** A way to a company without a typed address. `userId`: who came by it in this browser before. */
type Led = { company: Company; userId: string | null };

export function named({ organization: { id, name }, domain, provider }: Company): NamedCompany {
  return { id, name, domain, host: new URL(provider.issuer).host };
}

/** The company of a typed address: the same page for everybody who has one of its addresses. */
export async function byAddress(ctx: Context, visit: Visit, email: string): Promise<Answer | undefined> {
  if (!choose.mayLead(ctx, visit)) return undefined;
  const company = await companies.byAddress(ctx, ctx.storage.reader, visit.application, email);
  if (!company) return undefined;
  return (await visits.claim(ctx, visit)) ?? showBefore(ctx, visit, company, { email });
}

export function showAddress(
  ctx: Context,
  visit: Visit,
  { email = "", problem }: { email?: string; problem?: ProblemWords } = {},
): Answer {
  const place = { sessionPath: pathOf(visit), token: visit.browser.formToken };
  const body = companyAddressPage(visit.frame, { ...place, email, problem });
  return visits.page(ctx, visit, body, problem ? 422 : 200);
}

export function showBefore(
  ctx: Context,
  visit: Visit,
  company: Company,
  { email, isRequired = false, problem }: { email?: string; isRequired?: boolean; problem?: CompanyProblem } = {},
): Answer {
  const { texts } = visit.frame;
  const shown = named(company);
  const words = { cancelled: texts.providerCancelled(shown.host), failing: texts.providerFailed(shown.host) };
  const body = companyBeforePage(visit.frame, {
    sessionPath: pathOf(visit),
    token: visit.browser.formToken,
    company: shown,
    email,
    isRequired,
    problem: problem && words[problem],
  });
  return visits.page(ctx, visit, body, problem ? 400 : 200);
}

/** A person with an own proof, whose organization wants one by its provider. */
export async function showStep(ctx: Context, visit: Visit, user: User, problem?: CompanyProblem): Promise<Answer> {
  const arrived = await showArrival(ctx, visit);
  if (arrived) return arrived;
  const led = await ledByStep(ctx, visit, user);
  // The provider was removed, or the policy, since the step was found.
  if (!led) return showAddress(ctx, visit);
  return showBefore(ctx, visit, led.company, { isRequired: true, ...(problem && { problem }) });
}

async function ledByStep(ctx: Context, { session, application }: Visit, { id }: User): Promise<Led | undefined> {
  const organizationId = organizationOf(session);
  if (organizationId === null) return undefined;
  const company = await companies.byId(ctx, ctx.storage.reader, application, organizationId);
  return company && { company, userId: id };
}

/**
 * Where a browser that came by a company before is led, or who has a link of the application's
 * server.
 */
export async function ledTo(ctx: Context, visit: Visit): Promise<Led | undefined> {
  const { application, session, request, sessionId } = visit;
  if (!choose.mayLead(ctx, visit)) return undefined;
  const linked = companyLinks.organizationOf(ctx, sessionId, request.query().get("to"));
  const demand = demandOf(session);
  const before = browsers.companies(ctx, request, application.id);
  const found = before.find(({ organizationId }) => demand === null || organizationId === demand);
  const browser = visits.forProof(ctx, visit);
  const isKnown = found !== undefined && (await companySignIn.isKnownHere(ctx, browser, found));
  const organizationId = linked ?? (isKnown ? found.organizationId : undefined);
  if (organizationId === undefined) return undefined;
  const company = await companies.byId(ctx, ctx.storage.reader, application, organizationId);
  return company && { company, userId: isKnown && found.organizationId === organizationId ? found.userId : null };
}

/**
 * To the provider without a page, once: in a browser that came by it before, for a program's
 * request that asks for nothing else. Undefined: the session's page is next.
 */
export async function silently(ctx: Context, visit: Visit, proven: User | undefined): Promise<Answer | undefined> {
  const { session, request } = visit;
  const isFirst = request.query().get("asked") === undefined && !request.onlyLooks;
  const isFree = session.browserDigest === null || proven !== undefined;
  if (!isFirst || !isFree || !continuesAlone(session) || freshness.wishesOf(session).login) return undefined;
  const led = proven ? await ledByStep(ctx, visit, proven) : await ledTo(ctx, visit);
  if (!led || led.userId === null) return undefined;
  // Without an own proof, only a known browser was led there.
  const person = { organizationId: led.company.organization.id, userId: led.userId };
  if (proven && !(await companySignIn.isKnownHere(ctx, visits.forProof(ctx, visit), person))) return undefined;
  await countStart(ctx, request.ipAddress);
  const elsewhere = await visits.claim(ctx, visit);
  if (elsewhere) return elsewhere;
  const address = await addressAt(ctx, visit, led.company, { purpose: "silent", userId: led.userId });
  if (address === undefined) return undefined;
  const { setCookie } = visit.browser;
  return { ...seeOther(address), cookies: setCookie === undefined ? [] : [setCookie] };
}

/** Where the browser goes; undefined if the provider fails, which is recorded. */
async function addressAt(
  ctx: Context,
  visit: Visit,
  { provider }: Company,
  asked: { purpose: OrganizationVisitPurpose; userId: string | null; email?: string | undefined },
): Promise<string | undefined> {
  const { purpose, userId, email } = asked;
  const { sessionId, session, browser } = visit;
  const { organizationId, issuer } = provider;
  const identity =
    userId === null ? undefined : await findIdentityOf(ctx.storage.reader, { organizationId, issuer, userId });
  const loginHint = email ?? identity?.email ?? session.loginHint;
  const asksLogin = freshness.wishesOf(session).login;
  const going = { purpose, sessionId, userId: purpose === "silent" ? userId : null, browserDigest: browser.digest };
  try {
    return await companyVisits.start(ctx, provider, going, { loginHint, asksLogin });
  } catch (error) {
    logFailure(ctx, visit, provider, error);
    await recordFailure(ctx, provider, error);
    return undefined;
  }
}

/** For failures of the provider only: any other error is ours. */
export function logFailure(ctx: Context, visit: Visit, provider: Company["provider"], error: unknown): void {
  if (!(error instanceof Error) || error.name !== "ProviderFailure") throw error;
  const { application, request } = visit;
  const { organizationId } = provider;
  const about = { organizationId, appId: application.id, ...request.logFields, reason: error.message };
  ctx.log.warn("the provider of an organization failed", about);
}

/** A press on the page that named the company. */
export async function leaveFor(
  ctx: Context,
  posted: Visit,
  company: Company,
  { email, proven }: { email?: string | undefined; proven?: User | undefined },
): Promise<Answer> {
  const going = { purpose: "sign-in", userId: proven?.id ?? null, email } as const;
  const address = await addressAt(ctx, posted, company, going);
  if (address === undefined)
    return proven
      ? await showStep(ctx, posted, proven, "failing")
      : showBefore(ctx, posted, company, { ...(email !== undefined && { email }), problem: "failing" });
  // As for other providers: form-action cannot name an endpoint that only discovery knows.
  const left = visits.page(ctx, posted, leavePage(posted.frame, { address, to: named(company).host }));
  return { ...left, headers: { ...left.headers, refresh: `0; url=${address}` } };
}

/** The page of the identity that waits in the session; undefined if none does. */
export async function showArrival(ctx: Context, visit: Visit, problem?: FactorRefusal): Promise<Answer | undefined> {
  const found = await companySignIn.waiting(ctx, visit);
  if (!found) return undefined;
  const { identity, arrival, asksFactor } = found;
  if (arrival.kind === "refused") return await showRefused(ctx, visit, identity.organizationId, arrival.why);
  const company = await companies.byId(ctx, ctx.storage.reader, visit.application, identity.organizationId);
  if (company?.provider.issuer !== identity.issuer)
    return await showRefused(ctx, visit, identity.organizationId, "changed");
  const own = companySignIn.ownProofOf(visit.session);
  if (own !== null && (!("user" in arrival) || arrival.user.id !== own))
    return await showRefused(ctx, visit, identity.organizationId, "other-account");
  const isProven = own !== null || identity.mailboxProven === true;
  const step: CompanyStep =
    arrival.kind === "mailbox"
      ? { kind: "mailbox" }
      : arrival.kind === "link" && !isProven
        ? { kind: "prove", replaces: arrival.replaces, mails: mail.available(ctx) }
        : { kind: "agree", joins: arrival.joins !== undefined, links: arrival.kind === "link", asksFactor };
  const user = arrival.kind === "known" ? arrival.user : undefined;
  const body = companyArrivalPage(visit.frame, {
    sessionPath: pathOf(visit),
    token: visit.browser.formToken,
    company: named(company),
    person: { email: identity.email ?? user?.email ?? identity.subject, name: identity.name },
    step,
    problem: problem && factorProblemWords(visit.frame, problem),
  });
  const isLater = problem?.kind === "too-many-tries" || problem?.kind === "factor-blocked";
  return withRetryAfter(visits.page(ctx, visit, body, problem ? (isLater ? 429 : 422) : 200), problem);
}

/** Refusals after which another try at the provider can help. */
const againHelps: CompanyRefusal[] = ["none", "other-domain", "hosted", "unverified", "other-account", "changed"];

export async function showRefused(
  ctx: Context,
  visit: Visit,
  organizationId: string,
  why: CompanyRefusal,
): Promise<Answer> {
  const company = await companies.byId(ctx, ctx.storage.reader, visit.application, organizationId);
  const { texts, look } = visit.frame;
  const { name, host } = company ? named(company) : { name: look.name, host: look.name };
  const words: Record<CompanyRefusal, string> = {
    stranger: texts.companyStranger(name),
    "other-subject": texts.companyOtherSubject(name),
    "asks-owner": texts.companyAsksOwner(name),
    unproven: texts.companyUnproven(look.name),
    "address-refused": texts.providerEmailRefused(host, look.name),
    disabled: texts.providerRefused(host, look.name),
    "other-account": texts.companyOtherAccount(host),
    changed: texts.companyChanged(name),
    full: texts.organizationInviteFull,
    none: texts.providerNoEmail(host),
    unsupported: texts.providerUnsupportedEmail(host),
    unverified: texts.providerUnverifiedEmail(host),
    "other-domain": texts.companyOtherDomain(host, name),
    hosted: texts.companyOtherDomain(host, name),
  };
  const shown = { sessionPath: pathOf(visit), name, why: words[why], again: againHelps.includes(why) };
  return visits.page(ctx, visit, companyRefusedPage(visit.frame, shown), 403);
}
