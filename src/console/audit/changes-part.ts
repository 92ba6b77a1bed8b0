/** The end of a page about something that can be changed: its last entries in the audit log. */
import { html, type Html } from "../../lib/html.ts";
import { escapeUnseen } from "../../lib/text.ts";
import * as audit from "../../records/audit/audit.ts";
import type { Context } from "../../runtime/context.ts";
import { actionWords } from "../parts/action-words.ts";
import { commandLine } from "../parts/command-line.ts";
import { instant, part, shown } from "../parts/data.ts";
import { table } from "../parts/table.ts";
import type { Visit } from "../route.ts";
import { hiddenFrom, moreWords, namesIn, personLink, whoWords } from "./entry-words.ts";

const maxShown = 10;

export async function changesPart(ctx: Context, visit: Visit, target: string): Promise<Html> {
  return part("Changes", await changesOf(ctx, visit, target));
}

/** The same below the row of a table that is open, if one is. `targetOf`: by the row's id. */
export async function changesOfOpened(
  ctx: Context,
  visit: Visit,
  targetOf: (id: string) => string | undefined | Promise<string | undefined>,
): Promise<Html | undefined> {
  const open = visit.request.method === "GET" ? visit.request.query().get("open") : undefined;
  const target = open === undefined ? undefined : await targetOf(open);
  return target === undefined
    ? undefined
    : html`<h3>Changes</h3>
        ${await changesOf(ctx, visit, target)}`;
}

async function changesOf(ctx: Context, visit: Visit, target: string): Promise<Html> {
  const filter = { appId: visit.operator.appId, ...hiddenFrom(visit), target };
  const events = (await audit.list(ctx, { ...filter, limit: maxShown })).toReversed();
  const names = await namesIn(ctx, visit, events);
  const all = `/console/audit?${new URLSearchParams({ target }).toString()}`;
  return html`${table(
    "Changes, newest first",
    events,
    [
      { heading: "When", fit: "time", cell: ({ at }) => instant(at) },
      { heading: "Who", fit: "id", cell: (event) => shown(whoWords(event, names)) },
      {
        heading: "What",
        cell: (event) =>
          html`<a href="${all}&open=${event.id}#open">${actionWords(event)}</a>
            ${event.userId !== null && personLink(visit, event.appId, event.userId, names)}
            <span class="quiet">${escapeUnseen(moreWords(event))}</span>`,
      },
    ],
    `Nothing in the audit log, which keeps ${ctx.config.audit.retentionDays} days.`,
  )}
  ${events.length > 0 && html`<p><a href="${all}">All changes</a></p>`}
  ${commandLine(["audit", "list", "--target", target])}`;
}
