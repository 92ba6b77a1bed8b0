/** The first page of an account: an overview of everything. */
import { hostOfClient } from "../../applications/documents/document.ts";
import { hasOrganizations, type Application } from "../../applications/application.ts";
import * as providers from "../../applications/providers/provider-clients.ts";
import { providerDisplayName } from "../../applications/providers/providers.ts";
import * as factors from "../../factors/service.ts";
import { listTrustedBrowsers } from "../../factors/store.ts";
import * as methods from "../../credentials/methods/service.ts";
import * as passkeys from "../../credentials/passkeys/service.ts";
import * as passwords from "../../credentials/passwords/service.ts";
import { seeOther, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { browserOf, deviceOf } from "../../lib/user-agent.ts";
import * as invitations from "../../organizations/invitations.ts";
import * as mail from "../../records/mail/service.ts";
import type { Context } from "../../runtime/context.ts";
import type { Login } from "../../sessions/login.ts";
import * as ownLogins from "../../sessions/own-logins.ts";
import * as launchable from "../../sign-in/launchable.ts";
import * as grants from "../../sign-in/grants.ts";
import type { Grant } from "../../sign-in/grants.ts";
import { labelIn, shownProfile } from "../../users/profile-fields.ts";
import type { User } from "../../users/user.ts";
import * as browsers from "../hosted/browser.ts";
import { isAnswer } from "../hosted/hosted.ts";
import { shownValue } from "../parts/profile-fields.ts";
import { accountPage, type AccountNotice } from "./account-page.ts";
import type { AccountFactor } from "./factors.ts";
import type { AccountLogin } from "./logins.ts";
import { methodTitle, type AccountMethod, type AddableMethods } from "./methods.ts";
import { organizationPath } from "./organization-page.ts";
import { checkedOnward, invitationPath, invitedItem } from "./invitation-pages.ts";
import { ownProviderPath } from "./own-provider-page.ts";
import { accountPath } from "./parts.ts";
import { tokensOf } from "./token-pages.ts";
import * as accountVisits from "./visits.ts";
import { plainNotices, type AccountVisit, type SignedInVisit } from "./visits.ts";

/** A user's methods, oldest first, as their owner sees them. */
export async function methodsOf(ctx: Context, user: User): Promise<AccountMethod[]> {
  const changedAt = await passwords.chosenAt(ctx, user.id);
  return (await methods.examined(ctx, user)).map(({ method, ...state }): AccountMethod => {
    if (method.type === "oauth") return { ...method, ...state, displayName: providerDisplayName(method.provider) };
    return method.type === "password"
      ? { ...method, ...state, changedAt: changedAt ?? method.createdAt }
      : { ...method, ...state };
  });
}

async function addable(
  ctx: Context,
  application: Application,
  user: User,
  has: AccountMethod[],
): Promise<AddableMethods> {
  const { passkey, password, oauth } = application.authMethods;
  const connected = new Set(has.map((method) => (method.type === "oauth" ? method.provider : "")));
  const offered = oauth.enabled ? await providers.offered(ctx, application.id) : [];
  return {
    passkey: passkey.enabled && passkeys.available(ctx),
    // A password is entered with an address, so it needs one.
    password: password.enabled && user.email !== null && !has.some(({ type }) => type === "password"),
    providers: offered.filter(({ name }) => oauth.providers.includes(name) && !connected.has(name)),
  };
}

/** Undefined for a user who has no factor and may not set one up. */
async function factorOf(ctx: Context, { user, application }: SignedInVisit): Promise<AccountFactor | undefined> {
  const { reader } = ctx.storage;
  const facts = await factors.factsOf(reader, user.id);
  if (!facts.hasTotp) return (await factors.maySetUp(reader, application, user.id)) ? { isSetUp: false } : undefined;
  const trusted = await listTrustedBrowsers(reader, user.id, ctx.clock());
  return {
    ...facts,
    isSetUp: true,
    trusted: trusted.map(({ id, userAgent, expiresAt }) => {
      return { id, browser: browserOf(userAgent ?? ""), device: deviceOf(userAgent ?? ""), expiresAt };
    }),
  };
}

/** The application's own fields in words; without empty ones that only the server fills. */
function fieldsOf({ user, application, frame }: SignedInVisit) {
  const { profileFields } = application.settings;
  const values = shownProfile(profileFields, user.profile) ?? {};
  return (profileFields ?? []).flatMap((field) => {
    const { [field.name]: value } = values;
    if (value === undefined && field.editableBy === "server") return [];
    const shown = value === undefined ? undefined : shownValue(frame, field, value);
    return [{ label: labelIn(field.label, frame.lang), value: shown }];
  });
}

/** Undefined while the application has none. */
async function organizationsOf(ctx: Context, application: Application, user: User) {
  if (!hasOrganizations(application)) return undefined;
  const { id } = application;
  const waiting = await invitations.waitingFor(ctx, user);
  return { path: organizationPath(id), invitations: waiting.map((invited) => invitedItem(id, invited)) };
}

async function show(
  ctx: Context,
  visit: SignedInVisit,
  notice: AccountNotice | undefined,
  has: AccountMethod[],
): Promise<Answer> {
  const { user, application, browser, session } = visit;
  const logins = await ownLogins.list(ctx, user.id);
  const hosts = await ownLogins.hostsOf(ctx, logins);
  const programs = await grants.list(ctx, user.id);
  const body = accountPage(visit.frame, {
    appId: application.id,
    token: browser.formToken,
    now: ctx.clock(),
    notice,
    user,
    fields: fieldsOf(visit),
    canVerify: mail.available(ctx),
    methods: has,
    adds: await addable(ctx, application, user, has),
    factor: await factorOf(ctx, visit),
    logins: logins.map((login) => loginFor(login, session.tie, { programs, hosts })),
    programs,
    apps: await launchable.list(ctx, application, user.id),
    tokens: await tokensOf(ctx, visit),
    organizations: await organizationsOf(ctx, application, user),
    signal: await passkeys.signalFor(ctx, application, user),
  });
  return accountVisits.page(visit, body);
}

/**
 * For a browser that is not signed in. Someone who has just cancelled the sign-in is not sent
 * there again, nor an invited person who has just chosen a method.
 */
async function showStranger(ctx: Context, visit: AccountVisit, query: Map<string, string>): Promise<Answer> {
  const path = accountPath(visit.application.id);
  if (query.get("status") === "added") {
    const backUrl = checkedOnward(visit.application, query.get("state") ?? "") ?? visit.frame.backUrl;
    return accountVisits.end({ ...visit, frame: { ...visit.frame, backUrl } }, { kind: "ready", path });
  }
  if (!query.has("error")) return await accountVisits.begin(ctx, visit, {});
  return accountVisits.end(visit, { kind: "not-signed-in", path });
}

/** A link from elsewhere must not make this page report what never happened. */
function noticeIn(
  ctx: Context,
  { request, frame }: SignedInVisit,
  query: Map<string, string>,
  has: AccountMethod[],
): AccountNotice | undefined {
  const isAdded = ["added", "changed"].includes(query.get("status") ?? "");
  const added = isAdded && has.find(({ id }) => id === query.get("methodId"));
  if (added && added.type === "password") return { kind: "password" };
  if (added) return { kind: "added", name: methodTitle(frame, added) };
  const kind = plainNotices.find((notice) => notice === query.get("notice"));
  return kind === undefined || browsers.isCrossSite(ctx, request) ? undefined : { kind };
}

/** GET /account */
export async function overview(ctx: Context, request: HttpRequest): Promise<Answer> {
  const met = await accountVisits.meet(ctx, request);
  if (isAnswer(met)) return met;
  const { signedIn, ...rest } = met;
  const query = request.query();
  if (!signedIn) return await showStranger(ctx, met, query);
  const visit: SignedInVisit = { ...rest, ...signedIn };
  const next = nextPage(query);
  const invitationId = /^invitation-(inv_[0-9a-z]+)$/u.exec(query.get("state") ?? "")?.[1];
  if (invitationId !== undefined && !query.has("error"))
    return seeOther(invitationPath(visit.application.id, invitationId));
  const state = query.get("state") ?? "";
  const [, organizationId, part] = /^organization-(org_[0-9a-z]+)(-provider)?$/u.exec(state) ?? [];
  if (organizationId !== undefined && part !== undefined && !query.has("error"))
    return seeOther(ownProviderPath(visit.application.id, organizationId));
  if ((organizationId !== undefined || state === "organizations") && !query.has("error"))
    return seeOther(organizationPath(visit.application.id, organizationId));
  if (next !== undefined && (await accountVisits.isProven(ctx, visit)))
    return seeOther(accountPath(visit.application.id, next));
  const has = await methodsOf(ctx, visit.user);
  return await show(ctx, visit, noticeIn(ctx, visit, query, has), has);
}

/** GET /account/forgot-password: a new start for a mailed link that no longer works. */
export async function forgotPassword(ctx: Context, request: HttpRequest): Promise<Answer> {
  const visit = await accountVisits.meet(ctx, request);
  if (isAnswer(visit)) return visit;
  return visit.signedIn
    ? seeOther(accountPath(visit.application.id))
    : await accountVisits.begin(ctx, visit, {}, "/forgot-password");
}

/** GET /account/signed-out */
export async function signedOut(ctx: Context, request: HttpRequest): Promise<Answer> {
  const visit = await accountVisits.meet(ctx, request);
  if (isAnswer(visit)) return visit;
  const path = accountPath(visit.application.id);
  return visit.signedIn ? seeOther(path) : accountVisits.end(visit, { kind: "signed-out", path });
}

const provenPages = ["delete", "data", "email", "factor", "remove-factor", "recovery-codes", "new-token"];

/** The page that was requested before the proof. Only pages that change nothing when opened. */
function nextPage(query: Map<string, string>): string | undefined {
  const next = query.get("state") ?? "";
  if (query.has("error")) return undefined;
  const page = provenPages.find((name) => name === next);
  if (page !== undefined) return `/${page}`;
  const methodId = /^remove-(mth_[0-9a-z]+)$/u.exec(next)?.[1];
  return methodId === undefined ? undefined : `/methods/${methodId}/remove`;
}

/** A program that is not a browser is named by itself. */
function loginFor(
  login: Login,
  tie: string,
  { programs, hosts }: { programs: Grant[]; hosts: Map<string, string[]> },
): AccountLogin {
  const { id, userAgent, ipAddress, signedInAt, lastSeenAt, browserSessionDigest, signedInWith, actor } = login;
  const { clientId } = login;
  const program = programs.find((one) => one.clientId === clientId);
  return {
    id,
    agent: clientId === null ? undefined : (hosts.get(id)?.join(", ") ?? hostOfClient(clientId)),
    browser: browserOf(userAgent ?? "") ?? program?.name,
    device: deviceOf(userAgent ?? ""),
    ipAddress,
    signedInAt,
    lastSeenAt,
    isHere: browserSessionDigest === tie,
    byOperator: signedInWith === "operator",
    actor,
  };
}
