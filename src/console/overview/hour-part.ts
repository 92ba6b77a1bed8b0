/** What happened within the shortest time that is counted: an hour, or a day long ago. */
import { html, type Html } from "../../lib/html.ts";
import * as audit from "../../records/audit/audit.ts";
import * as mail from "../../records/mail/service.ts";
import * as deliveries from "../../records/webhooks/deliveries.ts";
import type { Context } from "../../runtime/context.ts";
import { about, hiddenFrom, namesIn, whoWords } from "../audit/entry-words.ts";
import { actionWords, eventWords, mailWords } from "../parts/action-words.ts";
import { amount, instant, part, shortId, shown } from "../parts/data.ts";
import { table } from "../parts/table.ts";
import type { Visit } from "../route.ts";
import { topics, type Counted, type Topic } from "./activity.ts";
import { methodName, reasonName } from "./kind-names.ts";
import type { TimeRange } from "./time-range.ts";

const most = 20;

type Happened = { range: TimeRange; counted: readonly Counted[]; appId: string | undefined };

/** Numbers by kind; of an hour also the audit entries, and what could not be sent. */
export async function hourPart(ctx: Context, visit: Visit, { range, counted, appId }: Happened): Promise<Html> {
  const period = { from: range.from, to: range.to, appId };
  const kinds = part("Numbers", html`<div data-live="kinds">${kindTable(counted)}</div>`);
  return html`${kinds} ${await auditPart(ctx, visit, period)}
    <div class="halves">${await mailPart(ctx, period)} ${await webhookPart(ctx, period)}</div>`;
}

const counters: [topic: Topic, title: string, nameOf: (each: Counted) => string][] = [
  ["signIns", "Sign-ins", ({ kind }) => methodName(kind)],
  ["signUps", "Sign-ups", ({ kind }) => methodName(kind)],
  ["failures", "Failed sign-ins", reasonName],
  ["refusals", "Refused calls", reasonName],
];

function kindTable(counted: readonly Counted[]): Html {
  const rows = counters.flatMap(([topic, title, nameOf]) =>
    [...Map.groupBy(counted.filter(topics[topic]), nameOf)].map(([kind, each]) => ({
      title,
      kind,
      value: each.reduce((sum, { value }) => sum + value, 0),
    })),
  );
  return table(
    "Numbers by kind",
    rows,
    [
      { heading: "What", cell: ({ title }) => title },
      { heading: "Kind", cell: ({ kind }) => shown(kind) },
      { heading: "How often", cell: ({ value }) => amount(value), isNumber: true },
    ],
    "Nothing was counted.",
  );
}

type Ends = { from: number; to: number; appId: string | undefined };

async function auditPart(ctx: Context, visit: Visit, { from, to, appId }: Ends): Promise<Html> {
  const found = await audit.list(ctx, { ...hiddenFrom(visit), appId, since: from, before: to, limit: most + 1 });
  const filter = new URLSearchParams({
    ...(appId !== undefined && { app: appId }),
    since: new Date(from).toISOString(),
    before: new Date(to).toISOString(),
  }).toString();
  const rows = found.toReversed().slice(0, most);
  const names = await namesIn(ctx, visit, rows);
  const list = table(
    "Audit entries",
    rows,
    [
      { heading: "When", fit: "time", cell: ({ at }) => instant(at) },
      {
        heading: "What",
        cell: (event) => html`<a href="/console/audit?${filter}&open=${event.id}#open">${actionWords(event)}</a>`,
      },
      { heading: "Who", leaves: 2, cell: (event) => shown(whoWords(event, names)) },
      { heading: "To whom", leaves: 3, cell: (event) => about(visit, event, names) },
      { heading: "Application", leaves: 1, cell: (event) => event.appId !== null && shown(event.appId) },
    ],
    "No audit entries in this time.",
  );
  const more = found.length > most ? `Newest ${most} of more` : "All in the audit log";
  return part(
    "Audit entries",
    html`<div data-live="entries">${list}</div>`,
    html`<a href="/console/audit?${filter}">${more}</a>`,
  );
}

async function mailPart(ctx: Context, ends: Ends): Promise<Html> {
  const list = table(
    "Mails not sent",
    await mail.unsent(ctx, { ...ends, limit: most }),
    [
      { heading: "Asked for", fit: "time", cell: ({ createdAt }) => instant(createdAt) },
      { heading: "Mail", cell: ({ kind }) => mailWords(kind) },
      { heading: "Why", cell: ({ lastError }) => (lastError === null ? "not tried yet" : shown(lastError)) },
    ],
    "Every mail that was asked for in this time is sent, or was given up.",
  );
  return part(
    "Mails that still wait",
    html`<div data-live="mails">${list}</div>`,
    html`<a href="/console/mail">All mails</a>`,
  );
}

async function webhookPart(ctx: Context, ends: Ends): Promise<Html> {
  const list = table(
    "Webhooks not delivered",
    await deliveries.undelivered(ctx, { ...ends, limit: most }),
    [
      {
        heading: "Event",
        cell: ({ endpointId, eventId, event }) =>
          html`<a href="/console/webhooks/${endpointId}/deliveries/${eventId}">${eventWords(event)}</a>`,
      },
      { heading: "Endpoint", fit: "id", leaves: 1, cell: ({ endpointId }) => shortId(endpointId) },
      { heading: "Why", cell: ({ attempts }) => shown(attempts.at(-1)?.error ?? "not tried yet") },
    ],
    "Of the first 2,000 deliveries of this time, none failed or waits.",
  );
  return part(
    "Webhooks not delivered",
    html`<div data-live="deliveries">${list}</div>`,
    html`<a href="/console/webhooks">All webhooks</a>`,
  );
}
