import { html, type Html } from "../../lib/html.ts";
import { framePage, type Frame } from "../parts/frame.ts";
import { answerForms, grantedParts, type Granted } from "../parts/grants.ts";

export type ConsentData = Granted & {
  /** "/sign-in/sis_…", without a trailing slash. */
  sessionPath: string;
  token: string;
  /** The address of the account, or else its name. */
  account: string;
  /** The client's name; for an unregistered one, the host of its document. */
  client: string;
  /** The name in such a client's document. */
  claimedName: string | undefined;
  /** The next place: the host of the client's redirect URI. */
  returnsTo: string;
  /** Whether any program on the person's device could be the one that asks. */
  staysHere: boolean;
};

/** Asks a user for consent to what an OpenID Connect client requests. */
export function consentPage(frame: Frame, data: ConsentData): Html {
  const { sessionPath, account, client, claimedName, returnsTo, staysHere } = data;
  const { texts, look } = frame;
  const title = texts.consentTitle(client);
  const body = html`<h1>${title}</h1>
    ${claimedName !== undefined && html`<p class="hint">${texts.callsItself(claimedName)} ${texts.nobodyChecked}</p>`}
    <p>
      ${texts.consentQuestion(client, look.name)} <strong><bdi>${account}</bdi></strong>
    </p>
    ${grantedParts(frame, data)}
    <p ${claimedName === undefined && html`class="hint"`}>
      ${texts.consentReturnsTo} <strong><bdi>${returnsTo}</bdi></strong>
    </p>
    ${staysHere && html`<p class="notice">${texts.consentStaysHere}</p>`} ${answerForms(frame, data)}`;
  return framePage(frame, { title, body, script: true, sessionPath });
}
