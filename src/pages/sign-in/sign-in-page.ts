import { html, type Html } from "../../lib/html.ts";
import { emailField } from "../parts/email-field.ts";
import { face, type Person } from "../parts/face.ts";
import { forwardGlyph, passkeyGlyph } from "../../look/glyphs.ts";
import { framePage, ownWords, type Frame } from "../parts/frame.ts";
import type { PageMethods } from "../parts/methods.ts";
import {
  counterpart,
  divider,
  field,
  notice,
  pageEnd,
  problemSummary,
  providerForms,
  submitButton,
  tokenField,
  type ButtonOptions,
} from "../parts/form-parts.ts";
import { passkeySignal } from "../../credentials/passkeys/passkey-signal.ts";
import { passkeyForm, passkeyHelp } from "../parts/passkey-form.ts";
import { signInProblemWords, type ProblemWords, type SignInProblem } from "../parts/problems.ts";

export type SignInData = {
  /** "/sign-in/sis_…", without a trailing slash. */
  sessionPath: string;
  /** Anti-forgery token, the hidden field `token` of every form. */
  token: string;
  /** The entered text, or the app's login hint, or "". */
  email: string;
  methods: PageMethods;
  signUpOpen: boolean;
  /**
   * The purpose of the proof, if not an app's sign-in. `account` is the only one that may give it.
   */
  purpose?: { kind: "account" | "add-method"; account: string | undefined };
  /** The display name of the provider to link after another sign-in. */
  links?: string;
  problem?: SignInProblem;
  /** Whether it may end at a company's provider; `own`: the person wants a method of their own. */
  company?: boolean;
  own?: boolean;
  /** Offers one to people whose company alone signs them in. */
  firstMethod?: boolean;
  /** Of a mailed link that opens the form without a puzzle. */
  pass?: string;
  /** The people who are signed in to this browser, and may continue without a proof. */
  continueAs?: Person | undefined;
  /** The last method used in this browser, or "oauth.PROVIDER". */
  usedLast?: string | undefined;
  /** Without a script; the script shows the passkey's part if the browser has passkeys. */
  isPreview?: true;
};

/** Offers the sign-in methods. */
export function signInPage(frame: Frame, data: SignInData): Html {
  const { texts, look } = frame;
  const { methods, sessionPath } = data;
  const words = data.problem && signInProblemWords(frame, data.problem, methods.passkey);
  const own = data.purpose === undefined ? ownWords(frame, "sign-in") : undefined;
  const title = own?.title ?? titleFor(frame, data);
  const { password, emailCode, oauth } = methods;
  // A code creates an account by itself.
  const createsApart = data.signUpOpen && (methods.passkey || password || oauth.length > 0);
  const others = html`${createsApart && counterpart(texts.newTo(look.name), `${sessionPath}/create-account`, texts.createAccount)}
  ${passkeySignal(data.problem?.kind === "passkey-unknown" ? data.problem.signal : undefined)}
  ${methods.passkey && passkeyPart(frame, data)} ${password && passwordForm(frame, data, words)}
  ${!password && emailCode && codePart(frame, data, words)}
  ${(password || emailCode) && (oauth.length > 0 || (password && emailCode)) && divider(texts.or)}
  ${password && emailCode && emailCodeLink(frame, data, usedLastOf(frame, data, "emailCode"))}
  ${providerForms(frame, data)}${companyParts(frame, data)}`;
  const body = html`<h1>${title}</h1>
    ${problemSummary(words)} ${own?.intro ?? whose(frame, data)}
    ${data.links !== undefined && html`<p>${texts.providerLinksAfter(data.links, look.name)}</p>`}
    ${data.continueAs ? continuePart(frame, data, data.continueAs, others) : others} ${pageEnd(frame, sessionPath)}`;
  const script = data.isPreview !== true;
  return framePage(frame, { title, body, script, problem: words !== undefined, sessionPath });
}

/**
 * The page's primary button: of the method used last in this browser, else of passkeys. If the
 * browser has no passkeys, the stylesheet makes the password's primary.
 */
function primaryOf({ methods, usedLast = "passkey", continueAs }: SignInData): string {
  if (continueAs) return "continue";
  if (usedLast === "password" || usedLast === "emailCode") return methods[usedLast] ? usedLast : "passkey";
  return methods.oauth.some(({ name }) => usedLast === `oauth.${name}`) ? usedLast : "passkey";
}

function usedLastOf({ texts }: Frame, { usedLast }: SignInData, way: string): string | undefined {
  return usedLast === way ? texts.usedLast : undefined;
}

function titleFor({ texts, look, program }: Frame, { purpose }: SignInData): string {
  if (purpose === undefined) return texts.signInTo(program ?? look.name);
  return purpose.account === undefined ? texts.signInToAccount(look.name) : texts.confirmItsYou;
}

/** Single sign-on, if the person wants it. `others`: the ways for somebody else, folded. */
function continuePart(frame: Frame, data: SignInData, person: Person, others: Html): Html {
  const { texts } = frame;
  const { id, name, email } = person;
  return html`<form method="post" action="${data.sessionPath}/continue">
      ${tokenField(data.token)}
      <button class="button main second who" data-busy="${texts.continuing}" ${!data.problem && html`autofocus`}>
        ${face(frame.look, person)}
        <b>
          <span>${texts.continueAs(name ?? email ?? id)}</span>
          ${name !== null && email !== null && html`<small><bdi>${email}</bdi></small>`}
        </b>
        ${forwardGlyph}
      </button>
    </form>
    <details ${data.problem && html`open`}>
      <summary class="button plain">${texts.useAnotherAccount}</summary>
      ${others}
    </details>`;
}

function whose({ texts, look }: Frame, { purpose }: SignInData): Html | undefined {
  if (purpose?.account === undefined) return undefined;
  return html`<p>
    ${texts.confirmBefore(look.name)} <strong><bdi>${purpose.account}</bdi></strong>
  </p>`;
}

function passkeyPart(frame: Frame, data: SignInData): Html {
  const { texts } = frame;
  const { sessionPath, token, methods } = data;
  const alone = !methods.password && !methods.emailCode && methods.oauth.length === 0;
  return html`<div class="passkeys" data-passkeys ${data.isPreview !== true && html`hidden`}>
      ${passkeyForm(frame, {
        ceremony: "get",
        action: `${sessionPath}/passkey`,
        token,
        alone,
        inside: html`${submitButton({
            label: texts.signInWithPasskey,
            busy: texts.usingPasskey,
            look: primaryOf(data) === "passkey" ? "main" : "second",
            before: passkeyGlyph,
            usedLast: usedLastOf(frame, data, "passkey"),
          })}
          <p class="hint">${texts.passkeyInOneLine}</p>
          ${notice}`,
      })}
      ${!alone && divider(texts.or)}
    </div>
    ${alone && passkeyHelp(frame)}`;
}

/** Nothing for an application without company sign-in. */
function companyParts({ texts }: Frame, { sessionPath, company, firstMethod }: SignInData): Html {
  const link = html`<a class="button plain" href="${sessionPath}/company">${texts.companySignIn}</a>`;
  const door = html`<p class="hint other"><a href="${sessionPath}/first-method">${texts.firstMethod}</a></p>`;
  return html`${company === true && link}${firstMethod === true && door}`;
}

function passwordForm(frame: Frame, data: SignInData, words: ProblemWords | undefined): Html {
  const { texts } = frame;
  const { sessionPath, token, email, methods, pass } = data;
  return html`<form method="post" action="${sessionPath}/password" novalidate>
    ${tokenField(token)} ${methods.passkey && html`<input type="hidden" name="passkeys" value="1" disabled />`}
    ${pass !== undefined && html`<input type="hidden" name="pass" value="${pass}" />`} ${ownField(data)}
    ${emailField(frame, email, words, methods.passkey ? "username webauthn" : "username")}
    ${field(
      frame,
      {
        name: "password",
        label: texts.password,
        type: "password",
        autocomplete: "current-password",
        link: { href: `${sessionPath}/forgot-password`, label: texts.forgotPassword },
        checks: { missing: texts.passwordMissing },
      },
      words,
    )}
    ${submitButton({
      label: texts.signIn,
      busy: texts.signingIn,
      // Not before the passkey's button: the stylesheet makes it the second one there.
      look: ["passkey", "password"].includes(primaryOf(data)) ? "main" : "second",
      usedLast: usedLastOf(frame, data, "password"),
    })}
  </form>`;
}

/** If the code is the only method that asks for an address. */
function codePart(frame: Frame, data: SignInData, words: ProblemWords | undefined): Html {
  return emailCodeForm(
    frame,
    {
      sessionPath: data.sessionPath,
      token: data.token,
      email: data.email,
      own: data.own === true,
      autocomplete: data.methods.passkey ? "username webauthn" : "username",
      look: ["passkey", "emailCode"].includes(primaryOf(data)) ? "main" : "second",
      usedLast: usedLastOf(frame, data, "emailCode"),
    },
    words,
  );
}

/** The form that asks for the address that a code is mailed to. */
export function emailCodeForm(
  frame: Frame,
  shown: Pick<SignInData, "sessionPath" | "token" | "own"> &
    Pick<ButtonOptions, "look" | "usedLast"> & { email: string; autocomplete?: string },
  words: ProblemWords | undefined,
): Html {
  const { texts } = frame;
  const { sessionPath, token, email, autocomplete, look, usedLast } = shown;
  return html`<form method="post" action="${sessionPath}/email-code" novalidate>
    ${tokenField(token)}${ownField(shown)} ${emailField(frame, email, words, autocomplete)}
    <p class="hint">${texts.emailCodeInOneLine}</p>
    ${submitButton({ label: texts.emailMeCode, busy: texts.sending, look, usedLast })}
  </form>`;
}

/** The address leads to no company: the person wants a method of their own. */
function ownField({ own }: Pick<SignInData, "own">): Html | undefined {
  return own === true ? html`<input type="hidden" name="own" value="1" />` : undefined;
}

/** A link to the page that asks for the address, which keeps the entered text. */
function emailCodeLink({ texts }: Frame, { sessionPath, own }: SignInData, usedLast: string | undefined): Html {
  const described = usedLast !== undefined && html`aria-describedby="used-last"`;
  const address = `${sessionPath}/email-code${own === true ? "?own=1" : ""}`;
  const link = html`<a class="button plain" href="${address}" ${described}>${texts.emailMeCode}</a>`;
  if (usedLast === undefined) return link;
  return html`<div class="marked">${link}<small id="used-last" aria-hidden="true">${usedLast}</small></div>`;
}
