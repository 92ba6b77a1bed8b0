import type { Answer } from "../../http/answer.ts";
import { html } from "../../lib/html.ts";
import type { Context } from "../../runtime/context.ts";
import { copyable } from "../parts/command-line.ts";
import { instant } from "../parts/data.ts";
import { consolePage } from "../parts/frame.ts";
import type { Visit } from "../route.ts";

/** The response to an act that opens access: a link, shown once. */
export async function shownLink(
  ctx: Context,
  visit: Visit,
  shown: { title: string; about: string; link: string; expiresAt: string; userId: string },
): Promise<Answer> {
  const { title, about, link, expiresAt, userId } = shown;
  const back = `/console/people/${userId}`;
  return await consolePage(ctx, visit, {
    title,
    section: "People",
    trail: [
      { path: "/console/people", label: "People" },
      { path: back, label: "The person" },
    ],
    body: html`<section class="part">
      <p>${about}</p>
      ${copyable(link)}
      <p>It works once, and expires ${instant(expiresAt)}. This page shows it only now.</p>
      <p><a href="${back}">Back to the person</a></p>
    </section>`,
  });
}
