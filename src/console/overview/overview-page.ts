import type { Application } from "../../applications/application.ts";
import { html, type Html } from "../../lib/html.ts";
import { unfinished } from "../../upkeep/doctor/unfinished.ts";
import type { Context } from "../../runtime/context.ts";
import { applicationChoice } from "../parts/application-choice.ts";
import { problem } from "../parts/data.ts";
import { filterForm } from "../parts/filter-form.ts";
import { consolePage } from "../parts/frame.ts";
import { keptIfExpensive } from "../parts/kept.ts";
import { view, type Visit } from "../route.ts";
import { applicationsOf, chosenApplication } from "../scope.ts";
import * as activity from "./activity.ts";
import { byApplication, byMethod, byProvider } from "./breakdown.ts";
import { activityCharts } from "./charts.ts";
import { numbers } from "./numbers.ts";
import { servicePart, serviceState } from "./service-part.ts";
import { dailyRange, rangeLabel, rangeNames, timeRange, type RangeName } from "./time-range.ts";
import { unfinishedLine, unfinishedPart } from "./unfinished-part.ts";

export const page = view("/overview", "viewer", async (ctx, visit) => {
  const application = await chosenApplication(ctx, visit);
  const applications = await applicationsOf(ctx, visit);
  const wanted = visit.request.query().get("range") ?? "day";
  const name = rangeNames.find((each) => each === wanted);
  const seesAll = visit.operator.appId === undefined;
  return consolePage(ctx, visit, {
    title: "Overview",
    section: "Overview",
    beside: seesAll && applications.length > 0 ? filter(visit, applications, application, name) : undefined,
    isLive: true,
    status: name ? 200 : 400,
    body: name
      ? await body(ctx, { application, applications, name })
      : html`${problem("range: day, week, month or year")}${tabs(application, undefined)}`,
  });
});

async function body(
  ctx: Context,
  {
    application,
    applications,
    name,
  }: { application: Application | undefined; applications: Applications; name: RangeName },
): Promise<Html> {
  const now = ctx.clock();
  const scope = application ? { appId: application.id } : {};
  const [range, daily] = [timeRange(name, now), dailyRange(name, now)];
  const today = await activity.today(ctx, scope);
  const present = await activity.present(
    ctx,
    applications.filter(({ id }) => id === (application?.id ?? id)),
  );
  const counted = await activity.inRange(ctx, scope, range);
  const active = await activity.activeUsers(ctx, scope, daily);
  const sent = await activity.deliveries(ctx, scope, range);
  const ofService = application ? undefined : await ofWholeService(ctx);
  return html`${numbers(today, present)} ${ofService && unfinishedLine(ofService.findings)} ${tabs(application, name)}
    ${activityCharts({ range, counted, daily, active }, now)}
    <div class="halves">
      ${byMethod(counted)} ${byProvider(counted)}
      ${
        !application &&
        byApplication(applications, await activity.ofEachApplication(ctx, name, now), (id) => pathTo(id, name))
      }
      ${servicePart(ctx, sent, ofService?.state)}
    </div>
    ${ofService && unfinishedPart(ofService.findings)}`;
}

type Applications = Awaited<ReturnType<typeof applicationsOf>>;

async function ofWholeService(ctx: Context) {
  return {
    findings: await keptIfExpensive(ctx, "unfinished", () => unfinished(ctx)),
    state: await serviceState(ctx),
  };
}

function pathTo(appId: string | undefined, range: RangeName): string {
  const query = new URLSearchParams({ range, ...(appId !== undefined && { app: appId }) });
  return `/console/overview?${query.toString()}`;
}

function tabs(application: Application | undefined, current: RangeName | undefined): Html {
  return html`<nav class="tabs" aria-label="Time">
    ${rangeNames.map(
      (name) =>
        html`<a href="${pathTo(application?.id, name)}" ${name === current && html`aria-current="page"`}
          >${rangeLabel(name)}</a
        >`,
    )}
    <span class="hint">Hours and days of charts are in UTC.</span>
  </nav>`;
}

function filter(
  visit: Visit,
  applications: Applications,
  chosen: Application | undefined,
  range: RangeName | undefined,
): Html {
  return filterForm(
    visit,
    "/console/overview",
    html`<input type="hidden" name="range" value="${range ?? "day"}" />
      ${applicationChoice(visit, applications, chosen?.id)}
      <button class="button second">Show</button>`,
  );
}
