import type { AddressUndo } from "../email-tokens/address-undo.ts";
import type { EmailToken } from "../email-tokens/email-token.ts";
import type { UndoLinks } from "../email-tokens/undo-links.ts";
import type { Browsers } from "../hosted/browser.ts";
import { isAnswer, type Guest, type Hosted } from "../hosted/hosted.ts";
import type { Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import { accountPath } from "../pages/account/parts.ts";
import { restoreAddressPage } from "../pages/account/restore-address-page.ts";
import type { User } from "../users/user.ts";
import type { OverviewPages } from "./overview-pages.ts";

/** The holder of the link that an earlier address got, in any browser. */
type LinkGuest = Guest & { user: User; emailToken: EmailToken };

/** A form names the methods to remove: "remove_mth_…". */
const removePrefix = "remove_";

/** Undoing a change of address, by the link in the mail to the earlier one. */
export function createRestorePages(deps: {
  hosted: Hosted;
  browsers: Browsers;
  undoLinks: UndoLinks;
  addressUndo: AddressUndo;
  overview: OverviewPages;
  baseUrl: string;
}) {
  const { hosted, browsers, undoLinks, addressUndo, overview, baseUrl } = deps;

  async function linkGuest(request: HttpRequest): Promise<LinkGuest | Answer> {
    const secret = request.parameter("token");
    const found = await undoLinks.find(secret);
    if (!found) return await hosted.linkOver(request);
    const { token: emailToken, user, application } = found;
    const browser = browsers.meet(request, { kind: "sign-in", key: secret });
    const frame = hosted.frameFor(request, { application, locale: user.locale });
    return { request, application, browser, frame, user, emailToken };
  }

  return {
    /** GET /restore/:token. Changes nothing: mail scanners open links too. */
    async link(request: HttpRequest): Promise<Answer> {
      const guest = await linkGuest(request);
      if (isAnswer(guest)) return guest;
      const { frame, browser, user, emailToken } = guest;
      const methods = await overview.methodsOf(user);
      const body = restoreAddressPage(frame, {
        path: request.path,
        token: browser.formToken,
        email: emailToken.email,
        removed: methods.filter((method) => addressUndo.removes(emailToken, method)),
        others: methods.filter((method) => !addressUndo.removes(emailToken, method)),
        removePrefix,
      });
      return hosted.page(frame, body, { cookies: [browser.setCookie] });
    },

    /** POST /restore/:token */
    async restore(request: HttpRequest): Promise<Answer> {
      const posted = await hosted.post(request, () => linkGuest(request));
      if (isAnswer(posted)) return posted;
      const { application, frame, emailToken, clientInfo, form } = posted;
      const ticked = [...form.keys()].filter((name) => name.startsWith(removePrefix));
      const also = new Set(ticked.map((name) => name.slice(removePrefix.length)));
      const restored = await addressUndo.use(emailToken, application, also, clientInfo);
      if (restored === "over") return await hosted.linkOver(posted.request);
      if (restored === "taken") return hosted.message(frame, { kind: "address-taken" });
      const backUrl = restored.next === "account" ? `${baseUrl}${accountPath(application.id)}` : restored.link;
      return hosted.message({ ...frame, backUrl }, { kind: "address-restored", next: restored.next });
    },
  };
}
