import type { Answer } from "../http/answer.ts";
import { consentPage } from "../pages/consent-page.ts";
import { pathOf } from "./choose-pages.ts";
import type { ConsentSignIn } from "./consent-sign-in.ts";
import type { Visit, Visits } from "./visits.ts";

export type ConsentPages = ReturnType<typeof createConsentPages>;

/** The page that asks for consent. Its answer comes to `continue-pages.ts`. */
export function createConsentPages(deps: { visits: Visits; consentSignIn: ConsentSignIn }) {
  const { visits, consentSignIn } = deps;

  return {
    async show(visit: Visit): Promise<Answer> {
      const { session, frame, browser } = visit;
      const client = await consentSignIn.clientOf(session);
      if (!client) return await visits.over(visit);
      const { host, protocol } = new URL(session.redirectUri);
      const shown = { client: client.name, returnsTo: host === "" ? protocol : host, scopes: session.scopes };
      return visits.page(visit, consentPage(frame, { sessionPath: pathOf(visit), token: browser.formToken, ...shown }));
    },
  };
}
