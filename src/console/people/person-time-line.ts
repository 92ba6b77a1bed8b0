import { html, type Html } from "../../lib/html.ts";
import type { AuditRow } from "../../records/audit/store.ts";
import type { DeliveryStatus } from "../../storage/column-types.ts";
import { actionWords, actorWords, eventWords, mailWords } from "../parts/action-words.ts";
import { instant, part, shown } from "../parts/data.ts";
import { selectField } from "../parts/fields.ts";
import { filterForm } from "../parts/filter-form.ts";
import { pageWith } from "../parts/page-address.ts";
import { table } from "../parts/table.ts";
import type { Visit } from "../route.ts";
import type { TimeLineKind } from "./time-line-store.ts";
import { howWords, whyRefused } from "./time-line-words.ts";
import type { Entry } from "./time-line.ts";

type Line = { href: string; what: string; details: string; who: string; ipAddress: string | null };

const deliveryWords: Record<DeliveryStatus, string> = {
  waiting: "is waiting",
  delivered: "was delivered",
  failed: "was given up",
};

const kinds: Record<TimeLineKind, string> = {
  "sign-in": "Sign-ins",
  refused: "Refusals",
  change: "Changes",
  mail: "Mails",
  webhook: "Webhooks",
};

export function kindIn({ request }: Visit): TimeLineKind | undefined {
  const asked = request.query().get("kind") ?? "";
  return Object.hasOwn(kinds, asked) ? (asked as TimeLineKind) : undefined;
}

/** `next`: where the following page begins. */
export function timeLinePart(
  visit: Visit,
  userId: string,
  { entries, next, isFirst }: { entries: Entry[]; next: string | undefined; isFirst: boolean },
): Html {
  const here = `/console/people/${userId}`;
  const chosen = kindIn(visit);
  const lines = entries.map((entry) => ({ at: entry.at, ...lineOf(entry, userId) }));
  const pages = [
    !isFirst && html`<a href="${pageWith(visit, { before: undefined })}#time-line">Newest</a>`,
    next !== undefined && html`<a href="${pageWith(visit, { before: next })}#time-line">Older</a>`,
  ].filter((link) => link !== false);
  const filter = html`${selectField("Show", "kind", [["", "Everything"], ...Object.entries(kinds)], chosen)}
    <button class="button second">Show</button>`;
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
          { heading: "Who", fit: "id", leaves: 3, cell: ({ who }) => shown(who) },
          {
            heading: "IP address",
            fit: "id",
            leaves: 2,
            cell: ({ ipAddress }) => (ipAddress === null ? "" : shown(ipAddress)),
          },
        ],
        !isFirst ? "Nothing older." : chosen === undefined ? "Nothing yet." : "Nothing of this kind.",
      )}
      ${pages.length > 0 && html`<p class="pages">${pages}</p>`}`,
      filterForm(visit, `${here}#time-line`, filter),
    )}
  </div>`;
}

function lineOf(entry: Entry, userId: string): Line {
  if (entry.source === "audit") {
    const { event, signIn } = entry;
    const { action, result, details } = event;
    const query = new URLSearchParams({ user: userId, action });
    const isLogin = action === "user.login" && result === "success";
    return {
      href: isLogin
        ? `/console/people/${userId}?open=${String(details["loginId"])}#open`
        : `/console/audit?${query.toString()}`,
      what: isLogin ? "Signed in" : actionWords(event),
      details: isLogin
        ? howWords({ ...signIn?.details, ...details })
        : action === "sign-in" || action === "email-code"
          ? signInWords(event)
          : detailWords(details),
      who: actorWords(event.actor, userId),
      // The code comes from the application's server.
      ipAddress: (signIn ?? event).ipAddress,
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

/** One without a login began nothing but the account page, or its code was never redeemed. */
function signInWords({ action, result, details }: AuditRow): string {
  return result === "failure" ? whyRefused(action, details) : `${howWords(details)}, without a login`;
}

/** `fields: name, email · sent`. */
function detailWords(details: AuditRow["details"]): string {
  return Object.entries(details)
    .filter(([, value]) => value !== null && value !== false)
    .map(([name, value]) => {
      const label = name.replaceAll(/[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`);
      return value === true ? label : `${label}: ${value}`;
    })
    .join(" · ");
}
