import { html, type Html } from "../../lib/html.ts";
import { framePage, type Frame } from "../parts/frame.ts";
import { pageEnd, submitButton, tokenField } from "../parts/form-parts.ts";

/**
 * What was added to an account while its address was unverified. `providers`: display names.
 * `companies`: hosts of organizations' providers. `mark` is returned as `agreed`.
 */
export type UnprovenData = {
  password: boolean;
  passkeys: number;
  providers: string[];
  companies: string[];
  app: boolean;
  programs: number;
  logins: number;
  mark: string;
};

export type TakeOverData = {
  /** "/sign-in/sis_…", without a trailing slash. */
  sessionPath: string;
  token: string;
  email: string;
  unproven: UnprovenData;
  /** The form's target. */
  action: string;
  /** The code from a mail that proved the address, sent again with the agreement. */
  code?: string | undefined;
};

/**
 * Shows what the first proof of an address removes, and why. Nothing is removed before the button
 * is pressed.
 */
export function takeOverPage(frame: Frame, { sessionPath, token, email, unproven, action, code }: TakeOverData): Html {
  const { texts, look } = frame;
  const title = texts.takeOverTitle;
  const body = html`<h1>${title}</h1>
    <p>
      ${texts.takeOverFor(look.name)} <strong><bdi>${email}</bdi></strong>
    </p>
    ${unprovenPart(frame, unproven)}
    <p>${texts.takeOverStays}</p>
    <form method="post" action="${action}">
      ${tokenField(token)} <input type="hidden" name="email" value="${email}" />
      ${code !== undefined && html`<input type="hidden" name="code" value="${code}" />`}
      <input type="hidden" name="agreed" value="${unproven.mark}" />
      ${submitButton({ label: texts.takeOverAgree, busy: texts.continuing, look: "main" })}
    </form>
    ${pageEnd(frame, sessionPath)}`;
  return framePage(frame, { title, body, script: true, sessionPath });
}

/** Why something is removed, and what. */
export function unprovenPart({ texts, lang }: Frame, unproven: UnprovenData): Html {
  const { password, passkeys, providers, companies, app, programs, logins } = unproven;
  const number = (value: number): string => new Intl.NumberFormat(lang).format(value);
  const items = [
    ...(password ? [texts.unprovenPassword] : []),
    ...(passkeys > 0 ? [texts.unprovenPasskeys(number(passkeys))] : []),
    ...[...providers, ...companies].map((provider) => texts.unprovenProvider(provider)),
    ...(app ? [texts.unprovenApp] : []),
    ...(programs > 0 ? [texts.unprovenPrograms(number(programs))] : []),
    ...(logins > 0 ? [texts.unprovenLogins(number(logins))] : []),
  ];
  return html`<p>${texts.takeOverWhy}</p>
    <ul>
      ${items.map((item) => html`<li>${item}</li>`)}
    </ul>`;
}
