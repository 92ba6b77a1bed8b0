import { html, type Html } from "../../lib/html.ts";
import type { DeliveryStatus } from "../../storage/column-types.ts";
import { actionWords, actorWords, eventWords, mailWords } from "../parts/action-words.ts";
import { instant, part, shown } from "../parts/data.ts";
import type { Entry } from "./time-line.ts";
import { table } from "../parts/table.ts";

type Line = { href: string; what: string; details: string; who: string; ipAddress: string | null };

const deliveryWords: Record<DeliveryStatus, string> = {
  waiting: "is waiting",
  delivered: "was delivered",
  failed: "was given up",
};

/** `older`: the address of the following page. */
export function timeLinePart(
  userId: string,
  { entries, next, isFirst }: { entries: Entry[]; next: string | undefined; isFirst: boolean },
): Html {
  const here = `/console/people/${userId}`;
  const lines = entries.map((entry) => ({ at: entry.at, ...lineOf(entry, userId) }));
  const pages = [
    !isFirst && html`<a href="${here}#time-line">Newest</a>`,
    next !== undefined && html`<a href="${here}?before=${encodeURIComponent(next)}#time-line">Older</a>`,
  ].filter((link) => link !== false);
  return html`<div id="time-line" tabindex="-1">
    ${part(
      "Time line",
      html`${table(
        "What happened, newest first",
        lines,
        [
          { heading: "When", fit: "time", cell: ({ at }) => instant(at) },
          {
            heading: "What",
            cell: ({ href, what, details }) =>
              html`<a href="${href}">${shown(what)}</a
                >${details !== "" && html` <span class="quiet">${shown(details)}</span>`}`,
          },
          { heading: "Who", leaves: 3, cell: ({ who }) => shown(who) },
          { heading: "IP address", leaves: 2, cell: ({ ipAddress }) => (ipAddress === null ? "" : shown(ipAddress)) },
        ],
        isFirst ? "Nothing yet." : "Nothing older.",
      )}
      ${pages.length > 0 && html`<p class="pages">${pages}</p>`}`,
    )}
  </div>`;
}

function lineOf(entry: Entry, userId: string): Line {
  if (entry.source === "audit") {
    const { event } = entry;
    const query = new URLSearchParams({ user: userId, action: event.action });
    return {
      href: `/console/audit?${query.toString()}`,
      what: actionWords(event),
      details: detailWords(event.details),
      who: actorWords(event.actor, userId),
      ipAddress: event.ipAddress,
    };
  }
  if (entry.source === "mail") {
    const { kind, attempts, lastError } = entry.mail;
    return {
      href: "/console/mail",
      what: `Mail waiting to be sent: ${mailWords(kind)}`,
      details: [attempts > 0 ? `attempts: ${attempts}` : "", lastError ?? ""].filter((text) => text !== "").join(" · "),
      who: "the service",
      ipAddress: null,
    };
  }
  const { kind, status, endpointId, url, clientId } = entry.delivery;
  const isWebhook = clientId === null;
  return {
    href: isWebhook
      ? `/console/webhooks/${endpointId}`
      : `/console/audit?${new URLSearchParams({ user: userId }).toString()}`,
    what: `${isWebhook ? `Webhook “${eventWords(kind)}”` : "Logout sent to a program"} ${deliveryWords[status]}`,
    details: isWebhook ? new URL(url).host : clientId,
    who: "the service",
    ipAddress: null,
  };
}

/** `method: password · loginId: lgn_…` */
function detailWords(details: Record<string, string | number | boolean | null>): string {
  return Object.entries(details)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${value}`)
    .join(" · ");
}
