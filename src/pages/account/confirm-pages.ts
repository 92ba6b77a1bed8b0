import { html, type Html, type HtmlValue } from "../../lib/html.ts";
import { methodTitle, type AccountMethod } from "./methods.ts";
import {
  accountFrame,
  accountPath,
  actionForm,
  backLink,
  type AccountPlace,
  type ListedOrganization,
} from "./parts.ts";
import type { Frame } from "../parts/frame.ts";
import { caution, problemSummary, tokenField } from "../parts/form-parts.ts";

export type RemoveMethodData = AccountPlace & {
  method: AccountMethod;
  /** Why the method cannot be removed. */
  problem?: { kind: "last-method" | "last-passkey" } | undefined;
};

/** Explains what removing a method does, and asks for confirmation. */
export function removeMethodPage(frame: Frame, data: RemoveMethodData): Html {
  const { texts, look } = frame;
  const { method, problem } = data;
  const next = {
    passkey: texts.removePasskeyNext(look.name),
    password: texts.removePasswordNext(look.name),
    oauth: method.type === "oauth" ? texts.removeProviderNext(method.displayName) : "",
  }[method.type];
  const words = problem && {
    summary: problem.kind === "last-passkey" ? texts.lastPasskey(look.name) : texts.lastMethod,
  };
  const title = method.type === "password" ? texts.removePasswordTitle : texts.removeTitle(methodTitle(frame, method));
  return confirmPage(frame, data, {
    title,
    summary: problemSummary(words),
    content:
      words === undefined &&
      html`<p>${next}</p>
        <p>${texts.removeStaysSignedIn}</p>`,
    act:
      words === undefined &&
      actionForm(data, {
        page: `/methods/${encodeURIComponent(method.id)}/remove`,
        label: texts.remove,
        busy: texts.removing,
        look: "danger",
      }),
    back: words === undefined ? texts.cancel : texts.backToAccount,
  });
}

/** Explains what deleting an account does, and asks for confirmation. */
/** `ownerless`: the organizations that would have no owner. The person may choose one first. */
export function deleteAccountPage(
  frame: Frame,
  data: AccountPlace & { account: string; ownerless: ListedOrganization[] },
): Html {
  const { texts, look } = frame;
  return confirmPage(frame, data, {
    title: texts.deleteTitle(look.name),
    content: html`<p>
        <strong><bdi>${data.account}</bdi></strong>
      </p>
      <p>${texts.deleteNow}</p>
      <ul>
        <li>${texts.deleteProfile}</li>
        <li>${texts.deleteLogins(look.name)}</li>
      </ul>
      <p>${texts.deleteElsewhere(look.name)}</p>
      ${
        data.ownerless.length > 0 &&
        html`${caution(texts.organizationOwnerless)}
          <ul>
            ${data.ownerless.map(({ name, path }) => html`<li><a href="${path}">${texts.organizationHandOver(name)}</a></li>`)}
          </ul>`
      }`,
    act: actionForm(data, { page: "/delete", label: texts.deleteForGood, busy: texts.deleting, look: "danger" }),
    back: texts.cancel,
  });
}

/** The button is not disabled when pressed: it downloads a file, and the page stays. */
export function downloadPage(frame: Frame, data: AccountPlace): Html {
  const { texts, look } = frame;
  return confirmPage(frame, data, {
    title: texts.downloadTitle,
    content: html`<p>${texts.downloadNext(look.name)}</p>`,
    act: html`<form method="post" action="${accountPath(data.appId, "/data")}">
      ${tokenField(data.token)}
      <button class="button main">${texts.download}</button>
    </form>`,
    back: texts.backToAccount,
  });
}

export function confirmPage(
  frame: Frame,
  { appId }: AccountPlace,
  page: { title: string; summary?: Html | undefined; content: HtmlValue; act: HtmlValue; back: string },
): Html {
  const { title, summary, content, act, back } = page;
  const body = html`<h1>${title}</h1>
    ${summary} ${content} ${act} ${backLink(frame, appId, back)}`;
  return accountFrame(frame, { title, body, problem: summary !== undefined });
}
