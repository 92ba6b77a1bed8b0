import type { AddressRestoration } from "../email-tokens/address-restoration.ts";
import type { EmailToken } from "../email-tokens/email-token.ts";
import type { Browsers } from "../hosted/browser.ts";
import { isAnswer, type Guest, type Hosted } from "../hosted/hosted.ts";
import type { Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import { accountPath } from "../pages/account/parts.ts";
import { restoreAddressPage } from "../pages/account/restore-address-page.ts";

/** Somebody who has the link from the mail to the earlier address, in any browser. */
type LinkGuest = Guest & { emailToken: EmailToken };

/** Undoing a change of address, by the link in the mail to the earlier one. */
export function createRestorePages(deps: {
  hosted: Hosted;
  browsers: Browsers;
  addressRestoration: AddressRestoration;
  baseUrl: string;
}) {
  const { hosted, browsers, addressRestoration, baseUrl } = deps;

  async function linkGuest(request: HttpRequest): Promise<LinkGuest | Answer> {
    const secret = request.parameter("token");
    const found = await addressRestoration.find(secret);
    if (!found) return hosted.message(hosted.frameFor(request), { kind: "link-over" });
    const { token: emailToken, user, application } = found;
    const browser = browsers.meet(request, { kind: "sign-in", key: secret });
    const frame = hosted.frameFor(request, { application, locale: user.locale });
    return { request, application, browser, frame, emailToken };
  }

  return {
    /** GET /restore/:token. Changes nothing: mail scanners open links too. */
    async link(request: HttpRequest): Promise<Answer> {
      const guest = await linkGuest(request);
      if (isAnswer(guest)) return guest;
      const { frame, browser, emailToken } = guest;
      const path = `/restore/${request.parameter("token")}`;
      const body = restoreAddressPage(frame, { path, token: browser.formToken, email: emailToken.email });
      return hosted.page(frame, body, { cookies: [browser.setCookie] });
    },

    /** POST /restore/:token */
    async restore(request: HttpRequest): Promise<Answer> {
      const posted = await hosted.post(request, () => linkGuest(request));
      if (isAnswer(posted)) return posted;
      const { application, frame, emailToken, clientInfo } = posted;
      const restored = await addressRestoration.restore(emailToken, application, clientInfo);
      if (restored === "over") return hosted.message(frame, { kind: "link-over" });
      if (restored === "taken") return hosted.message(frame, { kind: "address-taken" });
      const { resetLink } = restored;
      const backUrl = resetLink ?? `${baseUrl}${accountPath(application.id)}`;
      return hosted.message({ ...frame, backUrl }, { kind: "address-restored", resets: resetLink !== null });
    },
  };
}
