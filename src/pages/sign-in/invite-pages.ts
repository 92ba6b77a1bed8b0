/**
 * The pages of an invitation. Choosing a method begins a session in this browser. The link is used
 * up only when the method is added, so a user who stops before can start again.
 */
import type { Application } from "../../applications/application.ts";
import * as providers from "../../applications/providers/provider-clients.ts";
import type { EmailToken } from "../../credentials/mailed/email-token.ts";
import * as invites from "../../credentials/mailed/invites.ts";
import * as passkeys from "../../credentials/passkeys/service.ts";
import type { Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { html, type Html } from "../../lib/html.ts";
import { lockGlyph, passkeyGlyph } from "../../look/glyphs.ts";
import { providerMark } from "../../look/marks.ts";
import type { Context } from "../../runtime/context.ts";
import * as signIn from "../../sign-in/service.ts";
import type { MethodType } from "../../storage/column-types.ts";
import type { User } from "../../users/user.ts";
import * as browsers from "../hosted/browser.ts";
import * as hosted from "../hosted/hosted.ts";
import { isAnswer, type PageVisit } from "../hosted/hosted.ts";
import { postForm, submitButton } from "../parts/form-parts.ts";
import { framePage, type Frame } from "../parts/frame.ts";
import type { PageMethods } from "../parts/methods.ts";
import * as visits from "./visits.ts";

/** The holder of an invitation's link, in any browser. */
type LinkVisit = PageVisit & { emailToken: EmailToken; user: User; methods: PageMethods };

async function methodsOf(ctx: Context, { id, authMethods }: Application): Promise<PageMethods> {
  const { passkey, password, oauth } = authMethods;
  const offered = oauth.enabled ? await providers.offered(ctx, id) : [];
  return {
    passkey: passkey.enabled && passkeys.available(ctx),
    password: password.enabled,
    oauth: offered.filter(({ name }) => oauth.providers.includes(name)),
  };
}

async function openLink(ctx: Context, request: HttpRequest): Promise<LinkVisit | Answer> {
  const secret = request.parameter("token");
  const link = await invites.find(ctx, secret);
  if (!link) return await hosted.linkOver(ctx, request);
  const { token: emailToken, user, application } = link;
  const browser = browsers.meet(ctx, request, { kind: "sign-in", key: secret });
  const frame = hosted.frameFor(ctx, request, { application });
  return { request, application, browser, frame, emailToken, user, methods: await methodsOf(ctx, application) };
}

function show({ request, frame, browser, user, methods, emailToken }: LinkVisit, status = 200): Answer {
  const isFirst = emailToken.payload !== null;
  const shown = { path: request.path, token: browser.formToken, email: user.email, methods, isFirst };
  const body = invitePage(frame, shown);
  return hosted.page(frame, body, { status, cookies: [browser.setCookie] });
}

/** GET /invite/:token. Changes nothing: mail scanners open links too. */
export async function link(ctx: Context, request: HttpRequest): Promise<Answer> {
  const visit = await openLink(ctx, request);
  return isAnswer(visit) ? visit : show(visit);
}

/** POST /invite/:token */
export async function choose(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await hosted.post(ctx, request, () => openLink(ctx, request));
  if (isAnswer(posted)) return posted;
  const { application, user, emailToken, methods, form } = posted;
  const chosen = chosenFrom(form, methods);
  if (!chosen) return show(posted, 422);
  const invited = { userId: user.id, inviteDigest: emailToken.digest, state: request.query().get("next") ?? null };
  const begun = signIn.newInvited(ctx, application, { ...invited, ...chosen });
  // Bound to this browser from the start: no other browser may use the session's URL.
  const visit = visits.begin(ctx, request, begun);
  const session = { ...begun.session, browserDigest: visit.browser.digest };
  await signIn.store(ctx, { ...begun, session });
  return visits.enter(ctx, visit, begun.authUrl);
}

/** Checked again on posting: the page may be old or the form forged. */
function chosenFrom(
  form: Map<string, string>,
  methods: PageMethods,
): { adds: MethodType; addsProvider: string | null } | undefined {
  const adds = form.get("adds");
  if ((adds === "passkey" || adds === "password") && methods[adds]) return { adds, addsProvider: null };
  const provider = methods.oauth.find(({ name }) => name === form.get("provider"));
  return adds === "oauth" && provider ? { adds, addsProvider: provider.name } : undefined;
}

export type InviteData = {
  /** "/invite/…": the link itself. */
  path: string;
  token: string;
  email: string | null;
  methods: PageMethods;
  /** Of somebody who is here already, and asked for it. */
  isFirst?: boolean;
};

/** Opened by the link of an invitation: offers the methods to choose from, and does nothing yet. */
export function invitePage(frame: Frame, { path, token, email, methods, isFirst }: InviteData): Html {
  const { texts, look } = frame;
  const title = isFirst === true ? texts.firstMethodTitle : texts.inviteTitle(look.name);
  const choice = (fields: Record<string, string>, label: string, before: Html): Html =>
    postForm(path, token, fields, submitButton({ label, busy: texts.continuing, look: "plain", before }));
  const body = html`<h1>${title}</h1>
    <p>${texts.inviteNext} ${email !== null && html`<strong><bdi>${email}</bdi></strong>`}</p>
    <p>${texts.inviteChoose}</p>
    ${
      methods.passkey &&
      html`${choice({ adds: "passkey" }, texts.createPasskey, passkeyGlyph)}
        <p class="hint">${texts.passkeyInOneLine}</p>`
    }
    ${methods.password && choice({ adds: "password" }, texts.invitePassword, lockGlyph)}
    ${methods.oauth.map(({ name, displayName }) =>
      choice({ adds: "oauth", provider: name }, texts.continueWith(displayName), providerMark(name)),
    )}`;
  return framePage(frame, { title, body, script: true });
}
