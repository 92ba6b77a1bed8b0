/** Undoing a change of address, by the link in the mail to the earlier one. */
import * as addressUndo from "../../credentials/mailed/address-undo.ts";
import type { SinceChange } from "../../credentials/mailed/address-undo.ts";
import type { EmailToken } from "../../credentials/mailed/email-token.ts";
import * as undoLinks from "../../credentials/mailed/undo-links.ts";
import type { Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { html, type Html } from "../../lib/html.ts";
import type { Context } from "../../runtime/context.ts";
import type { User } from "../../users/user.ts";
import * as browsers from "../hosted/browser.ts";
import * as hosted from "../hosted/hosted.ts";
import { isAnswer, type PageVisit } from "../hosted/hosted.ts";
import { submitButton, tokenField } from "../parts/form-parts.ts";
import { framePage, type Frame } from "../parts/frame.ts";
import { methodSince, methodTitle, type AccountMethod } from "./methods.ts";
import * as overviewPages from "./overview-pages.ts";
import { accountPath, factsIn } from "./parts.ts";

/** The holder of the link that was mailed to an earlier address, in any browser. */
type LinkVisit = PageVisit & { user: User; emailToken: EmailToken };

/** A form names the methods to remove: "remove_mth_…". */
const removePrefix = "remove_";

async function openLink(ctx: Context, request: HttpRequest): Promise<LinkVisit | Answer> {
  const secret = request.parameter("token");
  const link = await undoLinks.find(ctx, secret);
  if (!link) return await hosted.linkOver(ctx, request);
  const { token: emailToken, user, application } = link;
  const browser = browsers.meet(ctx, request, { kind: "sign-in", key: secret });
  const frame = hosted.frameFor(ctx, request, { application, locale: user.locale });
  return { request, application, browser, frame, user, emailToken };
}

/** GET /restore/:token. Changes nothing: mail scanners open links too. */
export async function link(ctx: Context, request: HttpRequest): Promise<Answer> {
  const visit = await openLink(ctx, request);
  if (isAnswer(visit)) return visit;
  const { frame, browser, user, emailToken } = visit;
  const methods = await overviewPages.methodsOf(ctx, user);
  const body = restoreAddressPage(frame, {
    path: request.path,
    token: browser.formToken,
    email: emailToken.email,
    removed: methods.filter((method) => addressUndo.removes(emailToken, method)),
    removedToo: await addressUndo.sinceChange(ctx.storage.reader, emailToken),
    others: methods.filter((method) => !addressUndo.removes(emailToken, method)),
    removePrefix,
  });
  return hosted.page(frame, body, { cookies: [browser.setCookie] });
}

/** POST /restore/:token */
export async function restore(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await hosted.post(ctx, request, () => openLink(ctx, request));
  if (isAnswer(posted)) return posted;
  const { application, frame, emailToken, source, form } = posted;
  const ticked = [...form.keys()].filter((name) => name.startsWith(removePrefix));
  const also = new Set(ticked.map((name) => name.slice(removePrefix.length)));
  const restored = await addressUndo.use(ctx, emailToken, application, also, source);
  if (restored === "over") return await hosted.linkOver(ctx, posted.request);
  if (restored === "taken") return hosted.message(frame, { kind: "address-taken" });
  const backUrl = restored.next === "account" ? `${ctx.baseUrl}${accountPath(application.id)}` : restored.link;
  return hosted.message({ ...frame, backUrl }, { kind: "address-restored", next: restored.next });
}

export type RestoreAddressData = {
  /** "/restore/…": the link itself, which only a POST consumes. */
  path: string;
  token: string;
  /** The earlier address. */
  email: string;
  /** Always removed. */
  removed: AccountMethod[];
  removedToo: SinceChange;
  /** What the reader may remove too; a field's name is this prefix and the id. */
  others: AccountMethod[];
  removePrefix: string;
};

/** Opened by the link that was mailed to an account's earlier address. Works in any browser. */
export function restoreAddressPage(frame: Frame, data: RestoreAddressData): Html {
  const { texts, look } = frame;
  const { path, token, email, others, removePrefix } = data;
  const removed = [...data.removed.map((method) => named(frame, method)), ...besides(frame, data)];
  const title = texts.restoreTitle;
  const body = html`<h1>${title}</h1>
    <p>
      ${texts.restoreNext(look.name)} <strong><bdi>${email}</bdi></strong>
    </p>
    <p>${texts.restoreEnds}</p>
    ${
      removed.length > 0 &&
      html`<p>${texts.restoreRemoves}</p>
        <ul>
          ${removed.map((item) => html`<li>${item}</li>`)}
        </ul>`
    }
    <form method="post" action="${path}">
      ${tokenField(token)}
      ${
        others.length > 0 &&
        html`<fieldset class="checks">
          <legend>${texts.restoreAlso}</legend>
          ${others.map(
            (method) =>
              html`<label class="check">
                <input type="checkbox" name="${removePrefix}${method.id}" /><span>${named(frame, method)}</span>
              </label>`,
          )}
        </fieldset>`
      }
      ${submitButton({ label: texts.restore, busy: texts.restoring, look: "main" })}
    </form>`;
  return framePage(frame, { title, body, script: true });
}

/** Other additions since the change. */
function besides({ texts, lang }: Frame, { removedToo }: RestoreAddressData): string[] {
  const { app, codes, programs, companies } = removedToo;
  return [
    ...(app ? [texts.authenticatorApp] : []),
    ...(codes ? [texts.recoveryCodes] : []),
    ...(programs > 0 ? [texts.unprovenPrograms(new Intl.NumberFormat(lang).format(programs))] : []),
    ...companies.map((host) => texts.unprovenProvider(host)),
  ];
}

/** With a name that the owner recognises. */
function named(frame: Frame, method: AccountMethod): Html {
  const { type } = method;
  const facts = [
    ...(type === "passkey" ? [frame.texts.passkey] : []),
    ...(type === "oauth" && method.email !== null ? [method.email] : []),
    methodSince(frame, method),
  ];
  return html`<bdi>${methodTitle(frame, method)}</bdi><br /><span class="hint">${factsIn(facts)}</span>`;
}
