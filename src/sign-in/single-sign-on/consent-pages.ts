import type { Answer } from "../../http/answer.ts";
import { consentPage } from "../../pages/sign-in/consent-page.ts";
import type { User } from "../../users/user.ts";
import type { AccountNames } from "../account-names.ts";
import { pathOf } from "../choose-pages.ts";
import type { ConsentSignIn } from "./consent-sign-in.ts";
import type { Visit, Visits } from "../visits.ts";

export type ConsentPages = ReturnType<typeof createConsentPages>;

/** The page that asks for consent. Its answer comes to `continue-pages.ts`. */
export function createConsentPages(deps: { visits: Visits; accountNames: AccountNames; consentSignIn: ConsentSignIn }) {
  const { visits, accountNames, consentSignIn } = deps;

  return {
    /** `user`: who was proven, and is asked. */
    async show(visit: Visit, user: User): Promise<Answer> {
      const { session, frame, browser } = visit;
      const client = await consentSignIn.clientOf(session);
      if (!client) return await visits.over(visit);
      const { host, protocol } = new URL(session.redirectUri);
      const account = await accountNames.nameOf(visit, user);
      const shown = { account, client: client.name, returnsTo: host === "" ? protocol : host, scopes: session.scopes };
      return visits.page(visit, consentPage(frame, { sessionPath: pathOf(visit), token: browser.formToken, ...shown }));
    },
  };
}
