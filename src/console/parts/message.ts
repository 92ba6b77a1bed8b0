import type { Answer } from "../../http/answer.ts";
import { html, type Html } from "../../lib/html.ts";
import { pageAnswer } from "../../pages/page-answer.ts";
import type { Context } from "../../runtime/context.ts";
import { documentOf } from "./frame.ts";

export type Message = {
  title: string;
  text: string;
  /** A whole command line. */
  command?: string;
  back?: { path: string; label: string };
  status?: number;
};

/** A page for a visitor who is not a known operator, or whose request failed. */
export function messageAnswer(ctx: Context, { title, text, command, back, status = 200 }: Message): Answer {
  const content: Html = html`<div class="message">
    <h1>${title}</h1>
    <p>${text}</p>
    ${command !== undefined && html`<div class="command"><code>${command}</code></div>`}
    ${back && html`<p><a href="${back.path}">${back.label}</a></p>`}
  </div>`;
  return pageAnswer(documentOf(ctx, { title, content }), { status });
}
