import type { Application } from "../../applications/application.ts";
import { html, type Html } from "../../lib/html.ts";
import { day } from "../../lib/clock.ts";
import type { Context } from "../../runtime/context.ts";
import { applicationChoice } from "../parts/application-choice.ts";
import { problem } from "../parts/data.ts";
import { filterForm } from "../parts/filter-form.ts";
import { consolePage } from "../parts/frame.ts";
import { pageWith } from "../parts/page-address.ts";
import { view, type Visit } from "../route.ts";
import { applicationsOf, chosenApplication } from "../scope.ts";
import * as activity from "./activity.ts";
import { alarmsPart } from "./alarms-part.ts";
import { byApplication, byMethod, byProvider } from "./breakdown.ts";
import { activityCharts, type ActivityShown } from "./charts.ts";
import { checklistPart } from "./checklist.ts";
import { hourPart } from "./hour-part.ts";
import { numbers } from "./numbers.ts";
import { servicePart, serviceState } from "./service-part.ts";
import {
  dateOf,
  inAddress,
  isSmallest,
  presetRange,
  rangeLabel,
  rangeNames,
  rangeOf,
  timeOf,
  weeksBack,
  type TimeRange,
} from "./time-range.ts";

export const page = view("/overview", "viewer", async (ctx, visit) => {
  const now = ctx.clock();
  const chosen = await chosenApplication(ctx, visit);
  const applications = await applicationsOf(ctx, visit);
  const range = rangeOf(visit.request.query(), now);
  const shown = typeof range === "string" ? undefined : range;
  // Before the first sign-in every chart is empty.
  const isNew = applications.every(({ stats }) => stats.totalLogins === 0);
  return consolePage(ctx, visit, {
    title: "Overview",
    section: "Overview",
    isLive: true,
    status: shown ? 200 : 400,
    body: html`${await alarmsPart(ctx, visit)} ${isNew && (await checklistPart(ctx, visit, applications))}
    ${
      !isNew &&
      html`${typeof range === "string" && problem(range)}
      ${rangePart(visit, { applications, chosen, range: shown, now })}
      ${shown && (await body(ctx, visit, { chosen, applications, range: shown }))}`
    }`,
  });
});

type Applications = Awaited<ReturnType<typeof applicationsOf>>;
type Shown = { chosen: Application | undefined; applications: Applications; range: TimeRange };

async function body(ctx: Context, visit: Visit, { chosen, applications, range }: Shown): Promise<Html> {
  const now = ctx.clock();
  const scope = chosen ? { appId: chosen.id } : {};
  const counted = await activity.inRange(ctx, scope, range);
  const head = numbers(
    {
      range,
      counted,
      before: await activity.before(ctx, scope, range),
      active: await activity.activeADay(ctx, scope, range),
      present: await activity.present(
        ctx,
        applications.filter(({ id }) => id === (chosen?.id ?? id)),
      ),
    },
    now,
  );
  const seesAll = !chosen && visit.operator.appId === undefined;
  const sent = await activity.deliveries(ctx, scope, range);
  const about = html`${byMethod(counted)} ${byProvider(counted)}
  ${
    !chosen &&
    byApplication(applications, await activity.ofEachApplication(ctx, range), (id) => pathTo(visit, range, id))
  }
  ${servicePart(ctx, sent, seesAll ? await serviceState(ctx) : undefined)}`;
  if (isSmallest(range)) {
    const happened = await hourPart(ctx, visit, { range, counted, appId: chosen?.id });
    return html`${head} ${happened}
      <div class="halves">${about}</div>`;
  }
  const shown = {
    range,
    counted,
    before: await activity.beforeUnfinished(ctx, scope, range),
    active: await activeDays(ctx, scope, range, counted),
    linkTo: (part: { from: number; to: number }) => pathTo(visit, { name: undefined, ...part }, chosen?.id),
  };
  return html`${head} ${activityCharts(shown, about, now)}`;
}

/** In whole days, of a range of some. */
async function activeDays(
  ctx: Context,
  scope: { appId?: string },
  { span, from, to, length }: TimeRange,
  counted: readonly activity.Counted[],
): Promise<ActivityShown["active"]> {
  if (to - from <= 2 * day) return undefined;
  const ends = { from: from - (from % day), to: Math.ceil(to / day) * day };
  const bar = Math.max(day, length);
  const range: TimeRange = {
    name: undefined,
    span: "day",
    ...ends,
    length: bar,
    count: Math.ceil((ends.to - ends.from) / bar),
  };
  const weeks = weeksBack(ends.to - ends.from);
  const back = weeks * 7 * day;
  const read = async (by: number) =>
    await activity.inRange(ctx, scope, { span: "day", from: ends.from - by, to: ends.to - by });
  const [now, earlier] = [span === "day" ? counted : await read(0), await read(back)];
  const isActive = activity.topics.active;
  return { range, weeks, counted: now.filter(isActive), earlier: earlier.filter(isActive) };
}

/** This page at another time, and perhaps of another application. */
function pathTo(
  visit: Visit,
  { name, from, to }: Pick<TimeRange, "name" | "from" | "to">,
  app: string | undefined,
): string {
  const ends =
    name === undefined ? { from: inAddress(from), until: inAddress(to) } : { from: undefined, until: undefined };
  return pageWith(visit, { range: name, ...ends, app });
}

type Filter = {
  applications: Applications;
  chosen: Application | undefined;
  range: TimeRange | undefined;
  now: number;
};

/** The time of the whole page: one of four, or any. */
function rangePart(visit: Visit, { applications, chosen, range, now }: Filter): Html {
  const own = range && range.name === undefined ? range : undefined;
  const field = (name: string, label: string, at: number | undefined): Html =>
    html`<label
      ><span>${label} <span data-utc>UTC</span></span
      ><input type="datetime-local" name="${name}" step="3600" value="${at === undefined ? "" : inAddress(at)}"
    /></label>`;
  return html`<div class="heading">
    <nav class="tabs" aria-label="Time">
      ${rangeNames.map(
        (name) =>
          html`<a
            href="${pathTo(visit, presetRange(name, now), chosen?.id)}"
            ${name === range?.name && html`aria-current="page"`}
            >${rangeLabel(name)}</a
          >`,
      )}
      ${range && html`<span class="hint">${rangeWords(range)}</span>`}
    </nav>
    ${filterForm(
      visit,
      "/console/overview",
      html`${range?.name !== undefined && range.name !== "day" && html`<input type="hidden" name="range" value="${range.name}" />`}
        ${applications.length > 0 && applicationChoice(visit, applications, chosen?.id)}
        ${field("from", "From", own?.from)} ${field("until", "Until", own?.to)}
        <button class="button second">Show</button>`,
    )}
  </div>`;
}

function rangeWords({ from, to, span }: TimeRange): Html {
  if (span === "day") {
    const last = to - day;
    return html`${dateOf(from)}${last > from && ` to ${dateOf(last)}`}, in UTC days`;
  }
  const end = (at: number): Html =>
    html`<span data-hour="${new Date(at).toISOString()}">${dateOf(at)}, ${timeOf(at)}</span>`;
  return html`${end(from)} to ${end(to)}`;
}
