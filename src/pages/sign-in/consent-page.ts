import { html, type Html } from "../../lib/html.ts";
import { submitButton, tokenField } from "../parts/form-parts.ts";
import { framePage, type Frame } from "../parts/frame.ts";
import { scopeWords } from "../parts/scope-words.ts";

export type ConsentData = {
  /** "/sign-in/sis_…", without a trailing slash. */
  sessionPath: string;
  token: string;
  /** The address of the account, or else its name. */
  account: string;
  /** The name of the client that asks; of one that nobody registered the host of its document. */
  client: string;
  /** What such a client calls itself. */
  claimedName: string | undefined;
  /** Where the person goes next: the host of the client's redirect URI. */
  returnsTo: string;
  /** Whether any program on the person's device could be the one that asks. */
  staysHere: boolean;
  scopes: string[];
  /** The API that it gets a token for, and what its scopes allow there. */
  resource: { name: string; identifier: string; allows: string[] } | null;
};

/** Asks a user for consent to what an OpenID Connect client requests. */
export function consentPage(
  frame: Frame,
  { sessionPath, token, account, client, claimedName, returnsTo, staysHere, scopes, resource }: ConsentData,
): Html {
  const { texts, look } = frame;
  const title = texts.consentTitle(client);
  const body = html`<h1>${title}</h1>
    ${claimedName !== undefined && html`<p class="hint">${texts.callsItself(claimedName)} ${texts.nobodyChecked}</p>`}
    <p>
      ${texts.consentQuestion(client, look.name)} <strong><bdi>${account}</bdi></strong>
    </p>
    ${
      scopes.length > 0 &&
      html`<p>${texts.consentGets}</p>
        <ul>
          ${scopes.map((scope) => html`<li>${scopeWords(frame, scope)}</li>`)}
        </ul>`
    }
    ${
      resource &&
      html`<p>${texts.consentAt(resource.name)} <bdi>${resource.identifier}</bdi></p>
        <ul>
          ${resource.allows.map((sentence) => html`<li>${sentence}</li>`)}
        </ul>`
    }
    <p ${claimedName === undefined && html`class="hint"`}>
      ${texts.consentReturnsTo} <strong><bdi>${returnsTo}</bdi></strong>
    </p>
    ${staysHere && html`<p class="notice">${texts.consentStaysHere}</p>`}
    <form method="post" action="${sessionPath}/step/consent">
      ${tokenField(token)} ${submitButton({ label: texts.consentAgree, busy: texts.continuing, look: "main" })}
    </form>
    <form method="post" action="${sessionPath}/step/deny">
      ${tokenField(token)} ${submitButton({ label: texts.consentDeny, busy: texts.continuing, look: "plain" })}
    </form>`;
  return framePage(frame, { title, body, script: true, sessionPath });
}
