import { html, type Html } from "../../lib/html.ts";
import { submitButton, tokenField } from "../parts/form-parts.ts";
import { framePage, type Frame } from "../parts/frame.ts";
import { resourceGrant, scopeGrant, type GrantedResource } from "../parts/grants.ts";

export type ConsentData = {
  /** "/sign-in/sis_…", without a trailing slash. */
  sessionPath: string;
  token: string;
  /** The address of the account, or else its name. */
  account: string;
  /** The name of the client that asks. */
  client: string;
  /** Where the person goes next: the host of the client's redirect URI. */
  returnsTo: string;
  scopes: string[];
  resource: GrantedResource | null;
};

/** Asks a user for consent to what an OpenID Connect client requests. */
export function consentPage(
  frame: Frame,
  { sessionPath, token, account, client, returnsTo, scopes, resource }: ConsentData,
): Html {
  const { texts, look } = frame;
  const title = texts.consentTitle(client);
  const body = html`<h1>${title}</h1>
    <p>
      ${texts.consentQuestion(client, look.name)} <strong><bdi>${account}</bdi></strong>
    </p>
    ${scopeGrant(frame, scopes, texts.consentGets)} ${resource && resourceGrant(frame, resource, resource.identifier)}
    <p class="hint">
      ${texts.consentReturnsTo} <strong><bdi>${returnsTo}</bdi></strong>
    </p>
    <form method="post" action="${sessionPath}/step/consent">
      ${tokenField(token)} ${submitButton({ label: texts.consentAgree, busy: texts.continuing, look: "main" })}
    </form>
    <form method="post" action="${sessionPath}/step/deny">
      ${tokenField(token)} ${submitButton({ label: texts.consentDeny, busy: texts.continuing, look: "plain" })}
    </form>`;
  return framePage(frame, { title, body, script: true, sessionPath });
}
