import { html, type Html } from "../../lib/html.ts";
import { momentOf } from "../../look/dates.ts";
import { caution } from "../parts/form-parts.ts";
import { framePage, type Frame } from "../parts/frame.ts";
import { answerForms, grantedParts, type Granted } from "../parts/grants.ts";

export type DeviceDecisionData = Granted & {
  /** "/sign-in/sis_…", without a trailing slash. */
  sessionPath: string;
  token: string;
  /** The address of the account, or else its name. */
  account: string;
  /** The name of the program on the device. */
  client: string;
  /** The request of the device. */
  request: { createdAt: number; ipAddress: string };
};

/** Asks whether a device may sign in to the account. */
export function deviceDecisionPage(frame: Frame, data: DeviceDecisionData): Html {
  const { texts, look } = frame;
  const { sessionPath, account, client, request } = data;
  const title = texts.deviceAskTitle(client);
  const body = html`<h1>${title}</h1>
    <p>
      ${texts.deviceAccount(look.name)} <strong><bdi>${account}</bdi></strong>
    </p>
    ${grantedParts(frame, data)}
    <p class="hint">
      ${texts.deviceAskedAt(momentOf(request.createdAt, frame))} <strong><bdi>${request.ipAddress}</bdi></strong>
    </p>
    ${caution(texts.deviceInFront)} ${answerForms(frame, data)}`;
  return framePage(frame, { title, body, script: true, sessionPath, stylesheet: frame.assets.accountStylesheet });
}
