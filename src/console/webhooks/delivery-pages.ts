/** One delivery with its request and its attempts, and the deliveries of one event. */
import { STATUS_CODES } from "node:http";
import { html, type Html } from "../../lib/html.ts";
import { escapeUnseen } from "../../lib/text.ts";
import * as deliveries from "../../records/webhooks/deliveries.ts";
import { deliveryNotFound, type DeliveryAnswer } from "../../records/webhooks/deliveries.ts";
import * as inspection from "../../records/webhooks/inspection.ts";
import type { InspectedDelivery } from "../../records/webhooks/inspection.ts";
import type { Context } from "../../runtime/context.ts";
import { actForm } from "../parts/act-form.ts";
import { eventWords } from "../parts/action-words.ts";
import { commandLine, pasted } from "../parts/command-line.ts";
import { amount, facts, instant, part, shortId, shown, state } from "../parts/data.ts";
import { consolePage } from "../parts/frame.ts";
import { done } from "../parts/notice.ts";
import { table } from "../parts/table.ts";
import { act, pathOf, view } from "../route.ts";
import { sees } from "../scope.ts";
import * as users from "../../users/service.ts";
import { curlText } from "./curl.ts";
import { endpointIn, shownUrl } from "./endpoint-parts.ts";

const section = "Webhooks";
const home = { path: "/console/webhooks", label: "Webhooks" };

export function deliveryState({ status, attempts }: DeliveryAnswer): Html {
  if (status === "waiting") return attempts.length === 0 ? state("waiting") : state("retrying", "bad");
  return state(status, status === "delivered" ? "good" : "bad");
}

/** "503 Service Unavailable", or why there was no answer. */
export function answerWords({ status, error }: { status: number | null; error: string | null }): string {
  if (status === null) return error ?? "no answer";
  return [status, STATUS_CODES[status]].filter((word) => word !== undefined).join(" ");
}

export function lastAnswer({ attempts }: DeliveryAnswer): string {
  const last = attempts.at(-1);
  return last ? answerWords(last) : "";
}

export const delivery = view("/webhooks/:id/deliveries/:event", "viewer", async (ctx, visit) => {
  const { id, url } = await endpointIn(ctx, visit);
  const found = await inspection.inspect(ctx, id, visit.request.parameter("event"));
  const { eventId, event, timestamp, attempts, nextAttemptAt } = found;
  return consolePage(ctx, visit, {
    title: event,
    section,
    trail: [home, { path: `/console/webhooks/${encodeURIComponent(id)}`, label: escapeUnseen(url) }],
    isLive: true,
    acts: {
      primary: actForm(visit, sendAgain, {
        parameters: { id, event: eventId },
        label: "Send again",
        about: "Sends this event again, with the same ID and content. The receiver recognizes it by the ID.",
        command: ["webhook", "redeliver", id, eventId],
      }),
    },
    body: html`<div class="columns">
      <section class="part" data-live="delivery">
        ${facts([
          ["State", deliveryState(found)],
          ["Next attempt", nextAttemptAt === null ? undefined : instant(nextAttemptAt)],
          ["Event", eventWords(event)],
          ["Happened", instant(timestamp)],
          ["Person", await personLink(ctx, found)],
          ["Event ID", html`<a href="${pathOf(ofEvent, { event: eventId })}">${shortId(eventId)}</a>`],
          ["Receiver", shown(url)],
        ])}
      </section>
      <div>
        <section class="part" data-live="attempts">
          <h2>Attempts</h2>
          ${table(
            "Attempts, newest first",
            attempts.toReversed(),
            [
              { heading: "Time", fit: "time", cell: ({ at }) => instant(at) },
              {
                heading: "Status",
                cell: (tried) =>
                  html`${answerWords(tried)}
                  ${tried.status !== null && tried.error !== null && tried.error !== `status ${tried.status}` && html`<span class="quiet">${tried.error}</span>`}`,
              },
              {
                heading: "Duration",
                isNumber: true,
                leaves: 2,
                cell: ({ durationMilliseconds }) => `${amount(durationMilliseconds)} ms`,
              },
              { heading: "Answer", leaves: 3, cell: ({ response }) => response !== "" && shown(response) },
            ],
            "Not tried yet.",
            {
              visit,
              idOf: ({ at }) => at,
              of: ({ response }) =>
                response === ""
                  ? html`<p class="none">The answer had no body.</p>`
                  : html`<pre tabindex="0" aria-label="The answer">${shown(response)}</pre>`,
            },
          )}
        </section>
        ${part("Request", requestText(url, found))} ${part("As curl", curlOf(id, url, found))}
      </div>
    </div>`,
  });
});

async function personLink(ctx: Context, { userId }: { userId: string | null }): Promise<Html> {
  if (userId === null) return html`<span class="quiet">nobody known</span>`;
  if (!(await users.find(ctx.storage.reader, userId)))
    return html`${shortId(userId)} <span class="quiet">was deleted; only the ID is kept</span>`;
  return html`<a href="/console/people/${encodeURIComponent(userId)}">${shortId(userId, { copies: false })}</a>`;
}

function requestText(url: string, { headers, body, attempts }: InspectedDelivery): Html {
  const last = attempts.at(-1);
  const lines = [
    `POST ${url}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `webhook-timestamp: ${last ? Math.floor(Date.parse(last.at) / 1000) : "the time of the attempt"}`,
    "webhook-signature: v1,…",
    "",
    JSON.stringify(JSON.parse(body), null, 2),
  ];
  return html`<pre tabindex="0" aria-label="The request">${escapeUnseen(lines.join("\n"), "\n")}</pre>
    <p class="hint">
      Each attempt sends the same body, in one line, and has a time and a signature of its own. The signature is not
      shown: it would admit anybody who copies it.
    </p>`;
}

function curlOf(id: string, url: string, { headers, body, eventId }: InspectedDelivery): Html {
  const { "user-agent": _ours, ...needed } = headers;
  const comment = `Without a signature, which receivers must refuse. With one: authsvc webhook redeliver ${id} ${eventId}`;
  return pasted("curl", curlText({ url, headers: needed, body }, comment));
}

export const sendAgain = act("/webhooks/:id/deliveries/:event/send-again", "support", "nothing", async (ctx, post) => {
  const { id } = await endpointIn(ctx, post);
  const event = post.request.parameter("event");
  const { eventId } = await deliveries.get(ctx, id, event);
  const count = await deliveries.redeliver(ctx, id, { eventId }, post.by);
  const notice = count === 0 ? "It is being delivered right now." : "The running service sends it again.";
  return done(ctx, post, pathOf(delivery, { id, event }), notice);
});

/** Where an event id leads. */
export const ofEvent = view("/webhooks/events/:event", "viewer", async (ctx, visit) => {
  const found = (await inspection.ofEvent(ctx, visit.request.parameter("event"))).filter(({ appId }) =>
    sees(visit, appId),
  );
  const [first] = found;
  if (!first) throw deliveryNotFound();
  const { eventId, event, timestamp } = first;
  return consolePage(ctx, visit, {
    title: event,
    section,
    trail: [home],
    isLive: true,
    body: html`<section class="part">
        ${facts([
          ["Event", eventWords(event)],
          ["Happened", instant(timestamp)],
          ["Person", await personLink(ctx, first)],
          ["Event ID", shortId(eventId)],
          ["Application", html`<a href="/console/applications/${first.appId}">${shown(first.appId)}</a>`],
        ])}
      </section>
      <section class="part" data-live="deliveries">
        <h2>Deliveries</h2>
        ${table(
          "Deliveries, one an endpoint",
          found,
          [
            {
              heading: "Receiver",
              cell: ({ endpointId: id, url }) =>
                html`<a href="${pathOf(delivery, { id, event: eventId })}">${shownUrl(url)}</a>`,
            },
            { heading: "State", fit: "state", cell: deliveryState },
            { heading: "Last answer", leaves: 2, cell: lastAnswer },
          ],
          "None.",
        )}
      </section>
      ${commandLine(["webhook", "deliveries", first.endpointId])}`,
  });
});
