/**
 * The step after a provider that does not confirm a recent sign-in: another proof, or why there is
 * none.
 */
import { providerDisplayName } from "../../applications/providers/providers.ts";
import type { Answer } from "../../http/answer.ts";
import { html, type Html } from "../../lib/html.ts";
import { mustProve } from "../../applications/sign-up/rules.ts";
import type { Context } from "../../runtime/context.ts";
import * as proveAnew from "../../sign-in/providers/prove-anew.ts";
import type { Ways } from "../../sign-in/providers/prove-anew.ts";
import type { User } from "../../users/user.ts";
import { withRetryAfter } from "../hosted/hosted.ts";
import {
  divider,
  field,
  notice,
  pageEnd,
  passkeyButton,
  problemSummary,
  providerForms,
  submitButton,
  tokenField,
} from "../parts/form-parts.ts";
import { framePage, type Frame } from "../parts/frame.ts";
import { passkeyForm, passkeyHelp } from "../parts/passkey-form.ts";
import { signInProblemWords, type SignInProblem } from "../parts/problems.ts";
import { pathOf } from "./choose-pages.ts";
import * as visits from "./visits.ts";
import type { Visit } from "./visits.ts";

/** As on the sign-in page. */
const statusOf: Partial<Record<SignInProblem["kind"], number>> = {
  "wrong-credentials": 401,
  "too-many-tries": 429,
  busy: 429,
};

export async function show(ctx: Context, visit: Visit, user: User, problem?: SignInProblem): Promise<Answer> {
  const ways = await proveAnew.waysOf(ctx, visit, user);
  const body = proveAnewPage(visit.frame, {
    sessionPath: pathOf(visit),
    token: visit.browser.formToken,
    provider: providerDisplayName(visit.session.provenProvider ?? ""),
    ways,
    email: user.email ?? "",
    provesAddress: mustProve(visit.application.settings, user),
    problem,
  });
  const status = problem === undefined ? 200 : (statusOf[problem.kind] ?? 422);
  const targets = ways.providers.flatMap(({ formTargets }) => formTargets);
  return withRetryAfter(visits.page(ctx, visit, body, status, targets), problem);
}

export type ProveAnewData = {
  /** "/sign-in/sis_…", without a trailing slash. */
  sessionPath: string;
  token: string;
  /** The provider whose sign-in is not enough. */
  provider: string;
  ways: Ways;
  /** The address that a code would be sent to; the address of the password. */
  email: string;
  /** The first proof of the address, without which nothing is issued. */
  provesAddress?: boolean;
  problem?: SignInProblem | undefined;
};

/** Asks for one more proof, given now, or says why there can be none. */
export function proveAnewPage(frame: Frame, data: ProveAnewData): Html {
  const { texts, look } = frame;
  const { sessionPath, provider, ways, problem } = data;
  const words = problem && signInProblemWords(frame, problem, ways.passkey);
  const others = [
    ways.emailCode && codePart(frame, data),
    ways.providers.length > 0 &&
      providerForms(frame, {
        ...data,
        methods: { passkey: false, password: false, emailCode: false, oauth: ways.providers },
      }),
  ];
  const hasOthers = ways.emailCode || ways.providers.length > 0;
  const why = data.provesAddress
    ? texts.proveAddressWhy(look.name)
    : ways.passkey || ways.password || hasOthers
      ? texts.proveAnewWhy(provider, look.name)
      : texts.proveAnewNoWay(provider, look.name);
  const title = data.provesAddress ? texts.confirmAddress : texts.confirmItsYou;
  const body = html`<h1>${title}</h1>
    ${problemSummary(words)}
    <p>${why}</p>
    ${ways.passkey && passkeyPart(frame, data)} ${ways.password && passwordPart(frame, data)}
    ${ways.password && hasOthers && divider(texts.or)} ${others} ${pageEnd(frame, sessionPath)}`;
  return framePage(frame, { title, body, script: true, problem: words !== undefined, sessionPath });
}

function passkeyPart(frame: Frame, { sessionPath, token, ways }: ProveAnewData): Html {
  const { texts } = frame;
  const alone = !ways.password && !ways.emailCode && ways.providers.length === 0;
  return html`<div class="passkeys" data-passkeys hidden>
      ${passkeyForm(frame, {
        ceremony: "get",
        action: `${sessionPath}/step/passkey`,
        token,
        alone,
        inside: html`${passkeyButton(texts.usePasskey, texts.usingPasskey)} ${notice}`,
      })}
      ${!alone && divider(texts.or)}
    </div>
    ${alone && passkeyHelp(frame)}`;
}

function passwordPart(frame: Frame, { sessionPath, token, email, problem, ways }: ProveAnewData): Html {
  const { texts } = frame;
  const words = problem && signInProblemWords(frame, problem, ways.passkey);
  return html`<form method="post" action="${sessionPath}/step/password" novalidate>
    ${tokenField(token)}
    <input type="email" name="email" value="${email}" autocomplete="username" hidden />
    ${field(
      frame,
      {
        name: "password",
        label: texts.password,
        type: "password",
        autocomplete: "current-password",
        checks: { missing: texts.passwordMissing },
      },
      words,
    )}
    ${submitButton({ label: texts.confirmCode, busy: texts.confirming, look: "main" })}
  </form>`;
}

function codePart({ texts }: Frame, { sessionPath, token, email, ways }: ProveAnewData): Html {
  return html`<form method="post" action="${sessionPath}/email-code">
    ${tokenField(token)}
    <p><bdi>${email}</bdi></p>
    ${submitButton({
      label: texts.emailMeCode,
      busy: texts.sending,
      look: ways.password || ways.passkey ? "plain" : "main",
    })}
  </form>`;
}
