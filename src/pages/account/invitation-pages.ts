/**
 * Invitations into an organization. A mailed link only shows what it is about: scanners open links,
 * too. Only the person whose verified address is invited answers, signed in.
 */
import { appHome, hasOrganizations, type Application } from "../../applications/application.ts";
import * as signUpRules from "../../applications/sign-up/service.ts";
import * as mailbox from "../../companies/mailbox.ts";
import { seeOther, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { AppError } from "../../lib/errors.ts";
import { html, type Html } from "../../lib/html.ts";
import { withParameters } from "../../lib/redirect-uris.ts";
import { listProvedDomains } from "../../organizations/domains/store.ts";
import * as invitations from "../../organizations/invitations.ts";
import type { Invited } from "../../organizations/invitations.ts";
import { findMembership } from "../../organizations/membership-store.ts";
import type { Context } from "../../runtime/context.ts";
import { recordOrganizationOfBrowser } from "../../sessions/browser-session-store.ts";
import { createInvited } from "../../sign-in/sign-up/invited-newcomer.ts";
import * as users from "../../users/service.ts";
import { formTargets } from "../hosted/form-targets.ts";
import * as hosted from "../hosted/hosted.ts";
import { isAnswer } from "../hosted/hosted.ts";
import { caution, postForm, submitButton } from "../parts/form-parts.ts";
import { refusedAddress } from "../parts/problems.ts";
import { framePage, type Frame } from "../parts/frame.ts";
import { accountPath, type ListedOrganization } from "./parts.ts";
import * as accountVisits from "./visits.ts";
import type { AccountVisit, SignedInVisit } from "./visits.ts";

/** The page where the invited person answers. */
export function invitationPath(appId: string, id: string): string {
  return `/organization/invitations/${encodeURIComponent(id)}?app_id=${encodeURIComponent(appId)}`;
}

/** Of a list of invitations. */
export function invitedItem(appId: string, { invitation, organization: { name, slug } }: Invited): ListedOrganization {
  return { name, slug, path: invitationPath(appId, invitation.id) };
}

/** What the form does: creates an account, signs in, or answers. */
type Step = "new" | "sign-in" | "other" | "verify" | "answer";

type LinkVisit = AccountVisit & { invited: Invited };

async function openLink(ctx: Context, request: HttpRequest): Promise<LinkVisit | Answer> {
  const visit = await accountVisits.meet(ctx, request);
  if (isAnswer(visit)) return visit;
  const invited = await invitations.findByLink(ctx, request.parameter("token"));
  if (invited?.invitation.appId !== visit.application.id || !hasOrganizations(visit.application))
    return await hosted.linkOver(ctx, request);
  if (invitations.isOpen(invited, ctx.clock())) return { ...visit, invited };
  // Pressed again: a member is led on; everybody else learns nothing.
  const organizationId = invited.organization.id;
  const userId = visit.signedIn?.user.id ?? "";
  const isMember = await findMembership(ctx.storage.reader, { organizationId, userId });
  return isMember ? seeOther(onward(visit, invited)) : await hosted.linkOver(ctx, request);
}

/** Where accepting ends: no code, but the organization, for a program that starts a sign-in. */
function onward({ application }: AccountVisit | SignedInVisit, { invitation, organization }: Invited): string {
  const { redirectUri } = invitation;
  const isRegistered = redirectUri !== null && application.redirectUris.includes(redirectUri);
  const home = isRegistered ? redirectUri : (appHome(application) ?? accountPath(application.id));
  return withParameters(home, { organization: organization.id });
}

/** What `onward` may have returned, as text of a query; undefined for anything else. */
export function checkedOnward({ redirectUris }: Application, address: string): string | undefined {
  const [, base] = /^(.*[?&]organization=)org_[0-9a-z]+$/u.exec(address) ?? [];
  return redirectUris.some((uri) => withParameters(uri, { organization: "" }) === base) ? address : undefined;
}

async function stepOf(ctx: Context, { signedIn, invited }: LinkVisit): Promise<Step> {
  const { appId, email } = invited.invitation;
  if (signedIn?.user.email === email) return signedIn.user.emailVerified ? "answer" : "verify";
  if (signedIn) return "other";
  return (await users.findByEmail(ctx.storage.reader, appId, email)) ? "sign-in" : "new";
}

async function show(ctx: Context, visit: AccountVisit | SignedInVisit, invited: Invited, step: Step): Promise<Answer> {
  const { frame, browser, request, application } = visit;
  const { name, slug, id } = invited.organization;
  const user = "user" in visit ? visit.user : undefined;
  const { reader } = ctx.storage;
  const body = invitationPage(frame, {
    path: step === "answer" ? invitationPath(application.id, invited.invitation.id) : request.path,
    token: browser.formToken,
    organization: name,
    place: [slug, ...(await listProvedDomains(reader, id))].join(" · "),
    email: invited.invitation.email,
    verifyPath: accountPath(application.id, "/verify-email"),
    factorPath: accountPath(application.id, "/factor"),
    warns: user !== undefined && step === "answer" && (await mailbox.isWorthWarning(reader, application, user.id)),
    step,
  });
  const targets = step === "answer" ? formTargets(onward(visit, invited), application.domain) : [];
  return hosted.page(frame, body, { cookies: [browser.setCookie], targets });
}

/** GET /organization/invitation/:token. Changes nothing. */
export async function link(ctx: Context, request: HttpRequest): Promise<Answer> {
  const visit = await openLink(ctx, request);
  if (isAnswer(visit)) return visit;
  const step = await stepOf(ctx, visit);
  return step === "answer"
    ? seeOther(invitationPath(visit.application.id, visit.invited.invitation.id))
    : await show(ctx, visit, visit.invited, step);
}

/** POST /organization/invitation/:token */
export async function begin(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await hosted.post(ctx, request, () => openLink(ctx, request));
  if (isAnswer(posted)) return posted;
  const { invited, source, application, frame } = posted;
  const isNew = (await stepOf(ctx, posted)) === "new";
  return await refusing(ctx, posted, invited, async () => {
    const refusal = isNew ? signUpRules.problemWith(ctx, application, invited.invitation.email) : undefined;
    if (refusal) return refused(frame, invited, refusedAddress(frame, signUpRules.namedDomains(application, refusal)));
    const made = isNew ? await createInvited(ctx, invited, source) : undefined;
    if (made === "pending") return hosted.message(frame, { kind: made });
    // The account chooses how to sign in first.
    if (made !== undefined) return seeOther(withParameters(made, { next: onward(posted, invited) }));
    return await accountVisits.begin(ctx, posted, { next: `invitation-${invited.invitation.id}` });
  });
}

/** GET /organization/invitations/:id */
export async function form(ctx: Context, request: HttpRequest): Promise<Answer> {
  const visit = await accountVisits.visit(ctx, request);
  if (isAnswer(visit)) return visit;
  const { user } = visit;
  // Who signed in from the link may have to prove the address first.
  const invited = await invitations.findFor(ctx, request.parameter("id"), { ...user, emailVerified: true });
  return invited
    ? await show(ctx, visit, invited, user.emailVerified ? "answer" : "verify")
    : await hosted.linkOver(ctx, request);
}

/** POST /organization/invitations/:id. The id in the path is what the form showed. */
export async function answer(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await accountVisits.post(ctx, request);
  if (isAnswer(posted)) return posted;
  const { user, session, source, form } = posted;
  const asked = { id: request.parameter("id"), userId: user.id };
  const invited = await invitations.findFor(ctx, asked.id, user);
  return await refusing(ctx, posted, invited, async () => {
    if (form.get("answer") === "no") {
      await invitations.refuse(ctx, asked, source);
      return seeOther(accountPath(posted.application.id));
    }
    // This browser's next sign-in takes it.
    const accepted = await invitations.accept(ctx, asked, source, (tx, id) =>
      recordOrganizationOfBrowser(tx, session.tie, id),
    );
    return seeOther(onward(posted, accepted));
  });
}

/** The answer of `work`, or a page that says why nothing changed. */
async function refusing(
  ctx: Context,
  { request, frame }: AccountVisit | SignedInVisit,
  invited: Invited | undefined,
  work: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof AppError ? error.code : undefined;
    if (code !== "ORGANIZATION_NOT_FOUND" && code !== "CONFLICT") throw error;
    return code === "CONFLICT" && invited
      ? refused(frame, invited, frame.texts.organizationInviteFull)
      : await hosted.linkOver(ctx, request);
  }
}

/** `why`: the organization is full, the person is in too many, or may have no account. */
function refused(frame: Frame, { organization }: Invited, why: string): Answer {
  const title = frame.texts.organizationInviteTitle(organization.name);
  const body = html`<h1>${title}</h1>
    ${caution(why)}`;
  return hosted.page(frame, framePage(frame, { title, body, problem: true }), { status: 409 });
}

type InvitationData = {
  path: string;
  token: string;
  organization: string;
  /** Its slug and the domains that it has proved: its name can be anything. */
  place: string;
  email: string;
  verifyPath: string;
  factorPath: string;
  /** Of what who runs their mail can do, with the offer of a second factor. */
  warns: boolean;
  step: Step;
};

export function invitationPage(frame: Frame, data: InvitationData): Html {
  const { texts } = frame;
  const { path, token, organization, place, email, verifyPath, factorPath, warns, step } = data;
  const title = texts.organizationInviteTitle(organization);
  const labels = {
    new: texts.organizationJoin,
    answer: texts.organizationJoin,
    "sign-in": texts.signIn,
    other: texts.useAnotherAccount,
  };
  const decline = submitButton({ label: texts.organizationDecline, busy: texts.continuing, look: "plain" });
  const body = html`<h1>${title}</h1>
    <p class="hint"><bdi>${place}</bdi></p>
    <p>
      ${texts.organizationInviteFor} <strong><bdi>${email}</bdi></strong>
    </p>
    ${step === "other" && caution(texts.organizationInviteOther)}
    ${
      warns &&
      html`${caution(texts.companyOrganizations)}
        <p><a href="${factorPath}">${texts.setUpTitle}</a></p>`
    }
    ${
      step === "verify"
        ? html`<p>${texts.organizationInviteVerify}</p>
            <a class="button main" href="${verifyPath}">${texts.verifyEmail}</a>`
        : postForm(path, token, {}, submitButton({ label: labels[step], busy: texts.continuing, look: "main" }))
    }
    ${step === "answer" && postForm(path, token, { answer: "no" }, decline)}`;
  return framePage(frame, { title, body, script: true });
}
