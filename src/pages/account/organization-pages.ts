/** Where the people of an organization manage it, by their own rights. */
import { hasOrganizations } from "../../applications/application.ts";
import { seeOther, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { AppError, invalidRequest } from "../../lib/errors.ts";
import * as domains from "../../organizations/domains/service.ts";
import * as deletion from "../../organizations/deletion.ts";
import * as invitations from "../../organizations/invitations.ts";
import * as members from "../../organizations/members.ts";
import { findMember, findMembership, listMembersAmong } from "../../organizations/membership-store.ts";
import { asMember, asPerson, type Acting, type Organization } from "../../organizations/organization.ts";
import { hasCompanySignIn } from "../../organizations/provider/companies.ts";
import { rankOfRoles, rolesToGive, type Rank } from "../../organizations/rights.ts";
import * as setupLinks from "../../companies/setup-links.ts";
import * as organizations from "../../organizations/service.ts";
import * as audit from "../../records/audit/audit.ts";
import type { AuditEventAnswer } from "../../records/audit/audit.ts";
import type { Context } from "../../runtime/context.ts";
import {
  domainJoins,
  secondFactorPolicies,
  type DomainJoin,
  type SecondFactorPolicy,
} from "../../storage/column-types.ts";
import * as hosted from "../hosted/hosted.ts";
import { isAnswer } from "../hosted/hosted.ts";
import { invitedItem } from "./invitation-pages.ts";
import {
  organizationListPage,
  organizationPage,
  organizationPath,
  type OrganizationEvent,
  type OrganizationListData,
  type OrganizationNotice,
} from "./organization-page.ts";
import * as accountVisits from "./visits.ts";
import { byUser, type AccountPosted, type SignedInVisit } from "./visits.ts";

const pageSize = 50;

type Managing = { organization: Organization; roles: string[]; isDeleted: boolean };

/** The organization in the query, for its members, and the owners of one that will be deleted. */
async function managed(ctx: Context, { request, user, application }: SignedInVisit): Promise<Managing | undefined> {
  const { reader } = ctx.storage;
  const wanted = request.query().get("organization") ?? "";
  const organization = await organizations.find(reader, application.id, wanted);
  if (!organization) return undefined;
  const place = { organizationId: organization.id, userId: user.id };
  const live = await findMembership(reader, place);
  if (live) return { organization, roles: live.roles, isDeleted: false };
  const member = organization.deletesAt === null ? undefined : await findMember(reader, place);
  return member?.roles.includes("owner") ? { organization, roles: ["owner"], isDeleted: true } : undefined;
}

async function open(ctx: Context, request: HttpRequest): Promise<SignedInVisit | Answer> {
  const visit = await accountVisits.meet(ctx, request);
  if (isAnswer(visit)) return visit;
  const { signedIn, ...rest } = visit;
  if (!hasOrganizations(visit.application)) return accountVisits.notFound(visit);
  const id = /^org_[0-9a-z]+$/u.exec(request.query().get("organization") ?? "")?.[0];
  if (!signedIn)
    return await accountVisits.begin(ctx, visit, { next: id === undefined ? "organizations" : `organization-${id}` });
  return { ...rest, ...signedIn };
}

/** GET /organization: one of the person's organizations, or all of them. */
export async function form(ctx: Context, request: HttpRequest): Promise<Answer> {
  const visit = await open(ctx, request);
  if (isAnswer(visit)) return visit;
  if (!request.query().has("organization")) return await list(ctx, visit);
  return await show(ctx, visit, { kind: request.query().get("notice") === "done" ? "done" : undefined });
}

async function list(ctx: Context, visit: SignedInVisit, problem?: OrganizationListData["problem"]): Promise<Answer> {
  const { application, browser, frame, user } = visit;
  const waiting = await invitations.waitingFor(ctx, user);
  const body = organizationListPage(frame, {
    appId: application.id,
    token: browser.formToken,
    memberships: await members.ofPerson(ctx, user.id),
    invitations: waiting.map((invited) => invitedItem(application.id, invited)),
    mayCreate: application.settings.organizationCreation === "people" && user.emailVerified,
    problem,
  });
  return accountVisits.page(visit, body, { status: problem === undefined ? 200 : 422 });
}

async function show(ctx: Context, visit: SignedInVisit, notice: OrganizationNotice, status = 200): Promise<Answer> {
  const { application, browser, frame, user, request } = visit;
  const managing = await managed(ctx, visit);
  if (!managing) return accountVisits.notFound(visit);
  const { organization, roles, isDeleted } = managing;
  const rank = rankOfRoles(roles);
  const sees = rank !== "member" && !isDeleted;
  const asks = sees && rank === "owner" && application.settings.companySignIn === "on";
  const after = request.query().get("after") ?? "";
  const page = sees ? await members.list(ctx, organization, { after, limit: pageSize }) : undefined;
  const open = sees ? await invitations.list(ctx, organization, { after: "", limit: invitations.maxOpen }) : undefined;
  const body = organizationPage(frame, {
    appId: application.id,
    token: browser.formToken,
    organization,
    userId: user.id,
    rank,
    roles,
    isDeleted,
    given: rolesToGive(rank, application.settings.organizationRoles ?? []),
    added: application.settings.organizationRoles ?? [],
    members: page?.members ?? [],
    nextCursor: page?.nextCursor ?? null,
    invitations: open?.invitations ?? [],
    hasCompanySignIn: hasCompanySignIn(application),
    activity: sees ? await activityOf(ctx, organization, rank) : [],
    domains: sees ? await domains.list(ctx, organization, asMember(user.id)) : [],
    setupLinks: asks ? await setupLinks.list(ctx, organization, asMember(user.id)) : undefined,
    notice,
  });
  return accountVisits.page(visit, body, { status });
}

const eventsOnPage = 50;

/** Without networks and programs. Access of the application's operators is shown to owners. */
async function activityOf(ctx: Context, { id }: Organization, rank: Rank): Promise<OrganizationEvent[]> {
  const events = (await audit.list(ctx, { target: id, limit: eventsOnPage })).toReversed();
  const actorOf = ({ actor, details }: AuditEventAnswer): string | undefined =>
    typeof details["onBehalfOf"] === "string" ? details["onBehalfOf"] : /^user:(.*)$/u.exec(actor)?.[1];
  const ids = new Set(
    events.flatMap((event) => [actorOf(event), event.userId]).filter((each) => typeof each === "string"),
  );
  const people = await listMembersAmong(ctx.storage.reader, id, [...ids]);
  const names = new Map(people.map(({ userId, name, email }) => [userId, name ?? email ?? userId]));
  return events
    .filter(({ action }) => action !== "token.mint" || rank === "owner")
    .map((event) => {
      const { action, at, userId, details } = event;
      const [by, operator] = [actorOf(event), details["actor"]];
      return {
        action,
        at: Date.parse(at),
        by: typeof operator === "string" ? operator : by && (names.get(by) ?? by),
        about: userId === null || userId === by ? undefined : (names.get(userId) ?? userId),
      };
    });
}

/** POST /organization: each form names its organization in the address, and its act. */
export async function save(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await hosted.post(ctx, request, () => open(ctx, request));
  if (isAnswer(posted)) return posted;
  const act = posted.form.get("act") ?? "";
  const next = `organization-${request.query().get("organization") ?? ""}`;
  // Acts that an unattended browser must not allow.
  if (!["leave", "create"].includes(act) && !(await accountVisits.isProven(ctx, posted)))
    return await accountVisits.begin(ctx, posted, { user: posted.user, next });
  try {
    if (act === "create") return await create(ctx, posted);
    const managing = await managed(ctx, posted);
    const isInvite = act === "invite";
    const work = Object.hasOwn(acts, act) ? acts[act] : undefined;
    if (!managing || (!work && !isInvite)) return accountVisits.notFound(posted);
    const { organization } = managing;
    const { form, user } = posted;
    const acting = asPerson(user, posted.source, ctx.clock());
    const addresses = isInvite ? await invite(ctx, posted, organization, acting) : [];
    if (addresses.length > 0) return await show(ctx, posted, { kind: "not-invited", addresses, sent: form }, 422);
    const text = (name: string): string => form.get(name) ?? "";
    await work?.(ctx, organization, acting, { form, text, userId: user.id });
    if (act === "leave" || act === "delete") return seeOther(organizationPath(posted.application.id));
    return seeOther(`${organizationPath(posted.application.id, organization.id)}&notice=done`);
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "SERVER_ERROR") throw error;
    const isLimited = error.code === "RATE_LIMITED";
    if (act === "create" && isLimited) throw error;
    if (act === "create") return await list(ctx, posted, error.code === "INVALID_REQUEST" ? "name" : "too-many");
    const [sent, addresses] = [posted.form, addressesIn(posted.form)];
    if (!isLimited) return await show(ctx, posted, { kind: refusalOf(error), sent, addresses }, 422);
    const problem = { kind: "too-many-tries", retryAfterSeconds: error.retryAfterSeconds ?? 60 } as const;
    const answer = await show(ctx, posted, { ...problem, sent, addresses }, 429);
    return { ...hosted.withRetryAfter(answer, problem), error };
  }
}

function refusalOf({ code, cause }: AppError): "refused" | "conflict" | "changed" {
  if (code !== "CONFLICT") return "refused";
  return cause === changedMeanwhile ? "changed" : "conflict";
}

async function create(ctx: Context, posted: AccountPosted): Promise<Answer> {
  const { application, user, form } = posted;
  if (application.settings.organizationCreation !== "people") return accountVisits.notFound(posted);
  const made = await organizations.createByPerson(ctx, user, { name: form.get("name") ?? "" }, byUser(posted));
  return seeOther(organizationPath(application.id, made.id));
}

const rolePrefix = "role.";

function rolesIn(form: Map<string, string>): string[] {
  return [...form.keys()].filter((name) => name.startsWith(rolePrefix)).map((name) => name.slice(rolePrefix.length));
}

function addressesIn(form: Map<string, string>): string[] {
  return (form.get("addresses") ?? "").split(/[\s,;]+/u).filter((address) => address !== "");
}

/** Those that were not invited. */
async function invite(
  ctx: Context,
  { form, application }: AccountPosted,
  organization: Organization,
  acting: Acting,
): Promise<string[]> {
  const shared = { roles: rolesIn(form), providerExempt: form.has("exempt") };
  const wanted = addressesIn(form).map((email) => ({ email, ...shared }));
  const results = await invitations.invite(ctx, application, organization, wanted, acting);
  return results.filter(({ error }) => error).map(({ email }) => email);
}

/** The `cause` of CONFLICT where somebody else changed what a form changes as well. */
const changedMeanwhile = "changed meanwhile";

/**
 * Undefined if it is what the form showed: somebody else may have changed it since. `stored`: what
 * the change has locked. Throws CONFLICT if they did, and the form changes it in another way.
 */
function changedIn(form: Map<string, string>, name: string, stored: string): string | undefined {
  const value = (form.get(name) ?? "").trim();
  const was = form.get("was");
  if (value === was) return undefined;
  if (was !== undefined && was !== stored && value !== stored)
    throw new AppError("CONFLICT", "Somebody else has changed this meanwhile.", { cause: changedMeanwhile });
  return value;
}

/** The same, as one of these. Throws INVALID_REQUEST. */
function chosenIn<T extends string>(
  form: Map<string, string>,
  name: string,
  stored: T,
  choices: readonly T[],
): T | undefined {
  const value = changedIn(form, name, stored);
  const choice = choices.find((each) => each === value);
  if (value !== undefined && choice === undefined) throw invalidRequest(name, `one of ${choices.join(", ")}`);
  return choice;
}

/** `text`: a field of the form. */
type Acted = { form: Map<string, string>; text: (name: string) => string; userId: string };
type Act = (ctx: Context, organization: Organization, acting: Acting, posted: Acted) => Promise<unknown>;

const acts: Record<string, Act> = {
  name: (ctx, of, acting, { form }) =>
    organizations.update(ctx, of, ({ name }) => ({ name: changedIn(form, "name", name) }), acting),
  slug: (ctx, of, acting, { form }) =>
    organizations.update(ctx, of, ({ slug }) => ({ slug: changedIn(form, "slug", slug) }), acting),
  policy: (ctx, of, acting, { form }) => {
    const change = ({ secondFactor: stored }: { secondFactor: SecondFactorPolicy }) => ({
      secondFactor: chosenIn(form, "secondFactor", stored, secondFactorPolicies),
    });
    return organizations.update(ctx, of, change, acting);
  },
  roles: (ctx, of, acting, { text, form }) => {
    const [chosen, was] = [rolesIn(form), form.get("was")?.split(" ")];
    // Another owner may have changed a role that this form leaves as it showed it.
    const roles = (now: readonly string[]) => [
      ...now.filter((role) => chosen.includes(role) || !(was ?? now).includes(role)),
      ...chosen.filter((role) => !now.includes(role) && !was?.includes(role)),
    ];
    // Admins have no such box; another owner may have changed it since.
    const isExempt = form.has("exempt");
    const providerExempt = isExempt === (form.get("wasExempt") === "on") ? undefined : isExempt;
    return members.put(ctx, of, { userId: text("user"), roles, adds: false, providerExempt }, acting);
  },
  remove: (ctx, of, acting, { text }) => members.remove(ctx, of, text("user"), acting),
  leave: (ctx, of, acting, { userId }) => members.remove(ctx, of, userId, acting),
  withdraw: (ctx, of, acting, { text }) => invitations.withdraw(ctx, of, text("invitation"), acting),
  "add-domain": (ctx, of, acting, { text }) => domains.add(ctx, of, { domain: text("domain") }, acting),
  "check-domain": (ctx, of, acting, { text }) => domains.check(ctx, of, text("domain"), acting),
  "join-domain": (ctx, of, acting, { text, form }) => {
    const change = ({ join }: { join: DomainJoin }) => ({ join: chosenIn(form, "join", join, domainJoins) });
    return domains.update(ctx, of, text("domain"), change, acting);
  },
  "remove-domain": (ctx, of, acting, { text }) => domains.remove(ctx, of, text("domain"), acting),
  "confirm-domain": (ctx, of, acting, { text }) => domains.update(ctx, of, text("domain"), { confirmed: true }, acting),
  "setup-link": (ctx, of, acting, { text }) => setupLinks.make(ctx, of, { email: text("email") }, acting),
  "end-setup-link": (ctx, of, acting, { text }) => setupLinks.end(ctx, of, text("link"), acting),
  delete: deletion.remove,
  restore: deletion.restore,
};
