import type { AddressChange } from "../../email-tokens/address-change.ts";
import type { EmailToken } from "../../email-tokens/email-token.ts";
import type { EmailTokens } from "../../email-tokens/service.ts";
import type { Browsers } from "../../hosted/browser.ts";
import { isAnswer, type Guest, type Hosted } from "../../hosted/hosted.ts";
import { seeOther, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { confirmLinkPage } from "../../pages/sign-in/confirm-link-page.ts";
import type { User } from "../../users/user.ts";
import type { ConfirmLinks } from "./confirm-links.ts";
import type { ConfirmPages } from "./confirm-pages.ts";
import { accountAddress } from "../account-address.ts";
import type { SignIn } from "../service.ts";
import type { Visit, Visits } from "../visits.ts";

/**
 * A mailed link in the one browser that may use it: the browser that signs up, or one signed in to
 * the account.
 */
type LinkGuest = (Visit | (Guest & { user: User; tie: string })) & { emailToken: EmailToken };

/** Verifies an address by a mailed link, for a new account or an existing one. */
export function createConfirmLinkPages(deps: {
  hosted: Hosted;
  browsers: Browsers;
  visits: Visits;
  confirm: ConfirmPages;
  signIn: SignIn;
  confirmLinks: ConfirmLinks;
  emailTokens: EmailTokens;
  addressChange: AddressChange;
  baseUrl: string;
}) {
  const { hosted, browsers, visits, confirm, signIn, confirmLinks, emailTokens, addressChange, baseUrl } = deps;

  async function signUpGuest(
    request: HttpRequest,
    emailToken: EmailToken,
    sessionId: string,
  ): Promise<LinkGuest | Answer> {
    const opened = await signIn.open(sessionId, browsers.meet(request, { kind: "sign-in", key: sessionId }).digest);
    if (opened.state === "other-browser") {
      const { application, session } = opened;
      return hosted.message(hosted.frameFor(request, { application, locale: session.locale }), {
        kind: "link-elsewhere",
      });
    }
    const visit = await visits.late(request, sessionId);
    return isAnswer(visit) ? visit : { ...visit, emailToken };
  }

  async function accountGuest(request: HttpRequest, emailToken: EmailToken): Promise<LinkGuest | Answer> {
    const browser = browsers.meet(request, { kind: "account", key: emailToken.appId });
    const found = await confirmLinks.findAccount(emailToken, browser.digest);
    if (!found) return await hosted.linkOver(request);
    const { application, signedIn } = found;
    const frame = hosted.frameFor(request, { application, locale: signedIn?.user.locale ?? null });
    return signedIn
      ? { request, application, browser, frame, ...signedIn, emailToken }
      : hosted.message(frame, { kind: "link-elsewhere" });
  }

  async function linkGuest(request: HttpRequest): Promise<LinkGuest | Answer> {
    const link = await confirmLinks.find(request.parameter("token"));
    if (!link) return await hosted.linkOver(request);
    return link.purpose === "sign-up"
      ? await signUpGuest(request, link.token, link.sessionId)
      : await accountGuest(request, link.token);
  }

  return {
    /** Opened by a link. Changes nothing: mail scanners open links too. */
    async link(request: HttpRequest): Promise<Answer> {
      const guest = await linkGuest(request);
      if (isAnswer(guest)) return guest;
      const { emailToken, frame, browser } = guest;
      const body = confirmLinkPage(frame, {
        path: request.path,
        token: browser.formToken,
        email: emailToken.email,
        creates: !("user" in guest),
      });
      return "user" in guest ? hosted.page(frame, body) : visits.page(guest, body);
    },

    async byLink(request: HttpRequest): Promise<Answer> {
      const posted = await hosted.post(request, () => linkGuest(request));
      if (isAnswer(posted)) return posted;
      if (!("user" in posted)) return await confirm.createAccount(posted, posted.emailToken);
      const { user, emailToken, application, frame, clientInfo } = posted;
      const outcome =
        emailToken.purpose === "change"
          ? await addressChange.confirm(posted, { token: emailToken }, clientInfo)
          : await emailTokens.confirmVerify(user, { secret: request.parameter("token") }, clientInfo);
      if (outcome === "taken") return hosted.message(frame, { kind: "address-taken" });
      if (outcome !== "verified" && outcome !== "changed") return await hosted.linkOver(posted.request);
      return seeOther(`${accountAddress(baseUrl, application.id)}&notice=${outcome === "changed" ? "email" : outcome}`);
    },
  };
}
