/** Parts about an endpoint that several pages show. */
import { minute } from "../../lib/clock.ts";
import { html, type Html } from "../../lib/html.ts";
import type { DeliveryState } from "../../records/webhooks/delivery-list-store.ts";
import { endpointNotFound, type EndpointAnswer } from "../../records/webhooks/endpoint.ts";
import type { EndpointHealth } from "../../records/webhooks/inspection.ts";
import * as webhooks from "../../records/webhooks/service.ts";
import type { EndpointBacklog } from "../../records/webhooks/service.ts";
import type { Context } from "../../runtime/context.ts";
import { eventKinds } from "../../storage/column-types.ts";
import type { EndpointChange } from "../../records/webhooks/service.ts";
import { amount, instant, shown, state } from "../parts/data.ts";
import type { Edit, Edited } from "../parts/edit.ts";
import { listOf, presentValue, sentBack, wasField } from "../parts/fields.ts";
import type { Visit } from "../route.ts";
import { sees } from "../scope.ts";

/** Deliveries are attempted within a second; after this time, something prevents it. */
const isOverdueAfter = minute;

/** Throws WEBHOOK_NOT_FOUND, also for an endpoint that this operator may not see. */
export async function endpointIn(ctx: Context, visit: Visit): Promise<EndpointAnswer> {
  const endpoint = await webhooks.get(ctx, visit.request.parameter("id"));
  if (!sees(visit, endpoint.appId)) throw endpointNotFound();
  return endpoint;
}

const reasons = {
  operator: "switched off",
  gone: "the receiver answered 410 Gone",
  failing: "only failures for five days",
};

export function endpointState({
  enabled,
  disabledReason,
  failingSince,
  overdue,
}: EndpointAnswer & EndpointBacklog): Html {
  if (!enabled)
    return html`${state("disabled", "bad")}
    ${disabledReason !== null && html`<span class="quiet">${reasons[disabledReason]}</span>`}`;
  if (failingSince !== null)
    return html`${state("failing", "bad")} <span class="quiet">since ${instant(failingSince)}</span>`;
  return overdue > isOverdueAfter ? state("overdue", "bad") : state("working", "good");
}

const healthShown = 20;

/** The newest deliveries as marks, the newest last. */
export function healthStrip({ newest }: EndpointHealth): Html {
  const marks = newest.slice(0, healthShown).toReversed();
  if (marks.length === 0) return html`<span class="quiet">none yet</span>`;
  const arrived = marks.filter((mark) => mark === "delivered").length;
  const kind = (mark: DeliveryState): string => (mark === "delivered" ? "good" : mark === "waiting" ? "" : "bad");
  return html`<span class="strip" aria-hidden="true">${marks.map((mark) => html`<i class="${kind(mark)}"></i>`)}</span>
    <span class="unseen">${arrived} of ${marks.length} arrived</span>`;
}

/** Nearly all begin alike, and a column is narrow. */
export function shownUrl(url: string): Html {
  return shown(url.replace(/^https:\/\//u, ""));
}

/** How many wait: counted up to 1,000. */
export function waitingText({ waiting }: EndpointBacklog): string {
  return waiting >= 1000 ? `${amount(waiting)} or more` : amount(waiting);
}

/** The fields of an endpoint. */
export type EndpointDraft = { url: string; events: readonly string[] };

/** One box for each kind of event, whose names begin with `event:`. */
export function draftIn(form: ReadonlyMap<string, string>): EndpointDraft {
  return { url: form.get("url") ?? "", events: eventKinds.filter((kind) => form.has(`event:${kind}`)) };
}

/** What its form edits, in the order of `draftIn`. */
export const endpointSettings: Edit<EndpointAnswer, EndpointChange>[] = [
  { name: "url", label: "URL", of: ({ url }) => url, change: (url) => ({ url }) },
  {
    name: "events",
    label: "Events",
    kind: "some-of",
    options: eventKinds.map((kind) => [kind, kind] as const),
    of: ({ events }) => events.join(","),
    change: (value) => ({ events: listOf(value) }),
  },
];

export function editedIn(form: ReadonlyMap<string, string>): Edited {
  const { url, events } = draftIn(form);
  const was = { url: form.get("was.url") ?? "", events: form.get("was.events") ?? "" };
  return { values: { url, events: events.join(",") }, was };
}

/** The fields of an endpoint that exists; `form`: as they were sent. */
export function editFields(endpoint: EndpointAnswer, form?: Edited): Html {
  const present = { url: endpoint.url, events: endpoint.events.join(",") };
  const fields = endpointSettings.map((setting) => ({ setting, ...sentBack(setting, present, form) }));
  const [url = "", events = ""] = fields.map(({ value }) => value);
  return html`${wasField("url", present.url)} ${wasField("events", present.events)}
  ${fields.map(({ setting, isContested }) => isContested && presentValue(setting, setting.of(endpoint)))}
  ${draftFields({ url, events: listOf(events) })}`;
}

export function draftFields({ url, events }: EndpointDraft): Html {
  return html`<label
      >URL <span class="hint">An https URL, at a public address</span>
      <input name="url" type="url" value="${url}" required autocomplete="off"
    /></label>
    <fieldset>
      <legend>Events</legend>
      <div class="boxes">
        ${eventKinds.map((kind) => html`<label><input type="checkbox" name="event:${kind}" ${events.includes(kind) && html`checked`} /> ${kind}</label>`)}
      </div>
    </fieldset>`;
}
