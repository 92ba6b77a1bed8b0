/** What is wrong, at the head of the overview. */
import { isIP } from "node:net";
import { html, type Html } from "../../lib/html.ts";
import { hour } from "../../lib/clock.ts";
import type { Context } from "../../runtime/context.ts";
import { alarms, type Alarm } from "../../upkeep/doctor/alarms.ts";
import { allFindings } from "../../upkeep/doctor/findings.ts";
import type { Finding } from "../../upkeep/doctor/finding.ts";
import { hiddenFrom } from "../audit/entry-words.ts";
import { amount, instant, withInstants } from "../parts/data.ts";
import { keptIfExpensive } from "../parts/kept.ts";
import type { Visit } from "../route.ts";
import { inAddress } from "./time-range.ts";

/** Quick ones; none for an operator of one application. */
export async function quickFindings(ctx: Context, { operator }: Visit): Promise<Finding[]> {
  if (operator.appId !== undefined) return [];
  return await keptIfExpensive(ctx, "findings", async () => await allFindings(ctx, { isQuick: true }));
}

export async function alarmsPart(ctx: Context, visit: Visit): Promise<Html> {
  const { operator } = visit;
  const { exceptAppId } = hiddenFrom(visit);
  const findings = await quickFindings(ctx, visit);
  const found = await keptIfExpensive(
    ctx,
    `alarms ${operator.appId ?? ""} ${exceptAppId ?? ""}`,
    async () => await alarms(ctx, { appId: operator.appId, exceptAppId }, findings),
  );
  const open = findings.filter(({ status }) => status !== "ok").length;
  const more =
    open > 0 &&
    html`<a href="/console/service">${amount(open)} ${open === 1 ? "finding" : "findings"} about the set-up</a>`;
  return html`<div data-live="alarms">
    ${
      found.length === 0
        ? html`<p class="hint">Nothing is wrong. ${more}</p>`
        : html`<section class="alarms" aria-labelledby="alarms-title">
            <h2 id="alarms-title" class="unseen">What is wrong</h2>
            <ul>
              ${found.map((alarm) => line(alarm, ctx.clock()))}
            </ul>
          </section>`
    }
  </div>`;
}

function line(alarm: Alarm, now: number): Html {
  const { isGrave, since, message } = alarm;
  const [path, label] = whereToFix(alarm, now);
  return html`<li class="${isGrave && "bad"}">
    <p>
      <span class="unseen">${isGrave ? "Serious: " : "Warning: "}</span>${withInstants(message)}
      ${since !== undefined && html`<span class="quiet">Began ${instant(since)}.</span>`}
    </p>
    <a href="${path}">${label}</a>
  </li>`;
}

function whereToFix(alarm: Alarm, now: number): [path: string, label: string] {
  switch (alarm.about) {
    case "mail":
      return ["/console/mail", "See the mails"];
    case "webhook":
      return [`/console/webhooks/${encodeURIComponent(alarm.id)}`, "See the webhook"];
    case "sign-ins": {
      const ends = { from: inAddress((alarm.since ?? now) - 6 * hour), until: inAddress(now) };
      return [`/console/overview?${new URLSearchParams(ends).toString()}`, "See these hours"];
    }
    case "network": {
      const filter = new URLSearchParams({ action: "sign-in", result: "failure", since: "1h" });
      if (isIP(alarm.network) !== 0) filter.set("address", alarm.network);
      return [`/console/audit?${filter.toString()}`, "See who was tried"];
    }
    case "organizations":
      return [`/console/applications/${encodeURIComponent(alarm.appId)}/organizations?state=ownerless`, "See them"];
    case "finding":
      return [`/console/service#${alarm.check}`, "See how to fix it"];
  }
}
