import type { Application } from "../../applications/application.ts";
import type { Invites } from "../../email-tokens/invites.ts";
import type { EmailToken } from "../../email-tokens/email-token.ts";
import type { Browsers } from "../../hosted/browser.ts";
import { isAnswer, type Guest, type Hosted } from "../../hosted/hosted.ts";
import type { Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import type { ProviderClients } from "../../oauth/provider-clients.ts";
import { invitePage } from "../../pages/sign-in/invite-page.ts";
import type { PageMethods } from "../../pages/parts/methods.ts";
import type { SignInMethod } from "../../storage/column-types.ts";
import type { User } from "../../users/user.ts";
import type { SignIn } from "../service.ts";
import type { Visits } from "../visits.ts";

/** The holder of an invitation's link, in any browser. */
type LinkGuest = Guest & { emailToken: EmailToken; user: User; methods: PageMethods };

/**
 * The pages of an invitation. Choosing a method begins a session in this browser. The link is used
 * up only when the method is added, so a user who stops before can start again.
 */
export function createInvitePages(deps: {
  hosted: Hosted;
  browsers: Browsers;
  visits: Visits;
  signIn: SignIn;
  invites: Invites;
  providerClients: ProviderClients;
  passkeysAvailable: boolean;
}) {
  const { hosted, browsers, visits, signIn, invites, providerClients, passkeysAvailable } = deps;

  async function methodsOf({ id, authMethods }: Application): Promise<PageMethods> {
    const { passkey, password, oauth } = authMethods;
    const offered = oauth.enabled ? await providerClients.offered(id) : [];
    return {
      passkey: passkey.enabled && passkeysAvailable,
      password: password.enabled,
      oauth: offered.filter(({ name }) => oauth.providers.includes(name)),
    };
  }

  async function linkGuest(request: HttpRequest): Promise<LinkGuest | Answer> {
    const secret = request.parameter("token");
    const found = await invites.find(secret);
    if (!found) return await hosted.linkOver(request);
    const { token: emailToken, user, application } = found;
    const browser = browsers.meet(request, { kind: "sign-in", key: secret });
    const frame = hosted.frameFor(request, { application });
    return { request, application, browser, frame, emailToken, user, methods: await methodsOf(application) };
  }

  function show({ request, frame, browser, user, methods }: LinkGuest, status = 200): Answer {
    const body = invitePage(frame, { path: request.path, token: browser.formToken, email: user.email, methods });
    return hosted.page(frame, body, { status, cookies: [browser.setCookie] });
  }

  return {
    /** GET /invite/:token. Changes nothing: mail scanners open links too. */
    async link(request: HttpRequest): Promise<Answer> {
      const guest = await linkGuest(request);
      return isAnswer(guest) ? guest : show(guest);
    },

    /** POST /invite/:token */
    async choose(request: HttpRequest): Promise<Answer> {
      const posted = await hosted.post(request, () => linkGuest(request));
      if (isAnswer(posted)) return posted;
      const { application, user, emailToken, methods, form } = posted;
      const chosen = chosenFrom(form, methods);
      if (!chosen) return show(posted, 422);
      const begun = signIn.newInvited(application, { userId: user.id, inviteDigest: emailToken.digest, ...chosen });
      // Bound to this browser from the start: no other browser may use the session's URL.
      const visit = visits.begin(request, begun);
      const session = { ...begun.session, browserDigest: visit.browser.digest };
      await signIn.store({ ...begun, session });
      return visits.enter(visit, begun.authUrl);
    },
  };
}

/** Checked again on posting: the page may be old or the form forged. */
function chosenFrom(
  form: Map<string, string>,
  methods: PageMethods,
): { adds: SignInMethod; addsProvider: string | null } | undefined {
  const adds = form.get("adds");
  if ((adds === "passkey" || adds === "password") && methods[adds]) return { adds, addsProvider: null };
  const provider = methods.oauth.find(({ name }) => name === form.get("provider"));
  return adds === "oauth" && provider ? { adds, addsProvider: provider.name } : undefined;
}
