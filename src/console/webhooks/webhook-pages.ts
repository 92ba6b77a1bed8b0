import { html, type Html } from "../../lib/html.ts";
import { durationText, parseDuration } from "../../lib/durations.ts";
import { momentRule, parseMoment } from "../../lib/moments.ts";
import { invalidRequest } from "../../lib/errors.ts";
import { escapeUnseen } from "../../lib/text.ts";
import { day } from "../../lib/clock.ts";
import * as deliveries from "../../records/webhooks/deliveries.ts";
import type { EndpointAnswer } from "../../records/webhooks/endpoint.ts";
import * as inspection from "../../records/webhooks/inspection.ts";
import type { EndpointHealth } from "../../records/webhooks/inspection.ts";
import * as webhooks from "../../records/webhooks/service.ts";
import type { TestAnswer } from "../../records/webhooks/service.ts";
import { newWebhookSecret } from "../../records/webhooks/signature.ts";
import type { Context } from "../../runtime/context.ts";
import type { Answer } from "../../http/answer.ts";
import type { DeliveryAttempt, DeliveryStatus } from "../../storage/column-types.ts";
import { changesPart } from "../audit/changes-part.ts";
import { actForm, checkButton, isAllowed, openForm, type ActButton } from "../parts/act-form.ts";
import { actColumn, type PageActs } from "../parts/act-list.ts";
import { applicationChoice } from "../parts/application-choice.ts";
import { commandLine, copyable } from "../parts/command-line.ts";
import { changedSettings, changeOnto, type Edited } from "../parts/edit.ts";
import { listOf } from "../parts/fields.ts";
import { amount, facts, instant, part, problem, shown, state, tile } from "../parts/data.ts";
import { filterForm } from "../parts/filter-form.ts";
import { consolePage } from "../parts/frame.ts";
import { done } from "../parts/notice.ts";
import { cursorOf, pageLinks, pageOf, pageSize, placeIn } from "../parts/paging.ts";
import { attempt, type Refusal } from "../parts/refusal.ts";
import { act, pathOf, view, type Post, type Visit } from "../route.ts";
import { applicationIn, applicationsOf, chosenApplication, sees } from "../scope.ts";
import { answerWords, delivery, deliveryState, lastAnswer } from "./delivery-pages.ts";
import {
  draftFields,
  draftIn,
  editedIn,
  editFields,
  endpointIn,
  endpointSettings,
  endpointState,
  healthStrip,
  shownUrl,
  waitingText,
  type EndpointDraft,
} from "./endpoint-parts.ts";
import { table } from "../parts/table.ts";

const section = "Webhooks";
const home = { path: "/console/webhooks", label: "Webhooks" };

export const all = view("/webhooks", "viewer", async (ctx, visit) => {
  const { value: asked, refusal } = await attempt(async () => ({
    appId: (await chosenApplication(ctx, visit))?.id,
    after: placeIn(visit),
  }));
  const found = asked ? await webhooks.listPage(ctx, asked.appId, { after: asked.after, limit: pageSize + 1 }) : [];
  const { rows, next } = pageOf(found, ({ createdAt, id }) => cursorOf({ at: Date.parse(createdAt), id }));
  const appId = asked?.appId;
  const seen = await Promise.all(
    rows
      .filter((endpoint) => sees(visit, endpoint.appId))
      .map(async (endpoint) => ({ ...endpoint, health: await inspection.health(ctx, endpoint.id) })),
  );
  const choice = applicationChoice(visit, await applicationsOf(ctx, visit), appId);
  return consolePage(ctx, visit, {
    title: "Webhooks",
    section,
    status: refusal?.status ?? 200,
    beside: isAllowed(visit, create) ? html`<a class="button" href="${newPath(appId)}">New endpoint</a>` : undefined,
    isLive: true,
    body: html`${refusal && problem(refusal.text)}
      ${choice && filterForm(visit, "/console/webhooks", html`${choice} <button class="button second">Show</button>`)}
      <div class="part" data-live="endpoints">
        ${table(
          "Webhook endpoints",
          seen,
          [
            { heading: "URL", cell: ({ id, url }) => html`<a href="${pathOf(one, { id })}">${shownUrl(url)}</a>` },
            { heading: "State", cell: endpointState },
            { heading: "Newest deliveries", leaves: 3, cell: ({ health }) => healthStrip(health) },
            { heading: "Waiting", isNumber: true, leaves: 3, cell: waitingText },
            {
              heading: "Application",
              fit: "id",
              leaves: 1,
              cell: ({ appId }) => html`<a href="/console/applications/${appId}">${shown(appId)}</a>`,
            },
            ...actColumn(seen, (endpoint) => [fails(endpoint.health) ? failedAgainForm(visit, endpoint) : undefined]),
          ],
          "There are no webhook endpoints yet.",
        )}
      </div>
      ${pageLinks(visit, next, "More")}
      ${commandLine(["webhook", "list", ...(appId === undefined ? [] : ["--app", appId])])}`,
  });
});

function newPath(appId: string | undefined): string {
  return `/console/webhooks/new${appId === undefined ? "" : `?app=${appId}`}`;
}

// Creating

type NewDraft = EndpointDraft & { app: string };

export const blank = view("/webhooks/new", "owner", async (ctx, visit) => {
  const app = (await chosenApplication(ctx, visit))?.id ?? "";
  return await newPage(ctx, visit, { app, url: "", events: ["user.created", "user.deleted"] });
});

export const create = act("/webhooks", "owner", "passkey", async (ctx, post) => {
  const { form, by } = post;
  const draft = { ...draftIn(form), app: post.operator.appId ?? form.get("app") ?? "" };
  const isCheck = form.has("check");
  const secret = newWebhookSecret(ctx.random);
  const { app, url } = draft;
  const created = await attempt(async () => {
    await applicationIn(ctx, post, app);
    return await webhooks.create(ctx, app, { url, events: [...draft.events], secret }, { ...by, dryRun: isCheck });
  });
  if (created.refusal || isCheck) return await newPage(ctx, post, draft, created.refusal, isCheck);
  return consolePage(ctx, post, {
    title: "The endpoint was created",
    section,
    trail: [home],
    body: html`${secretPart(secret)} ${commandLine(["webhook", "test", created.value.id])}
      <p><a class="button" href="${pathOf(one, { id: created.value.id })}">To the endpoint</a></p>`,
  });
});

async function newPage(
  ctx: Context,
  visit: Visit,
  draft: NewDraft,
  refusal?: Refusal,
  isChecked = false,
): Promise<Answer> {
  const { app, url, events } = draft;
  const isRight = isChecked && !refusal;
  const words = isRight ? [app, url, events.join(",")] : ["APP_ID", "URL", "EVENTS"];
  const command = [
    "webhook",
    "create",
    ...["--app", "--url", "--events"].flatMap((flag, at) => [flag, words[at] ?? ""]),
  ];
  return consolePage(ctx, visit, {
    title: "New endpoint",
    section,
    trail: [home],
    status: refusal?.status ?? 200,
    body: html`${refusal && problem(refusal.text)}
      ${isRight && html`<p class="notice" role="status">This can be created.</p>`}
      <section class="part">
        ${openForm(visit, create, {
          label: "Create",
          about: "Sends signed events to a server of the application. The signing secret is shown once.",
          command,
          beside: checkButton,
          fields: html`${applicationChoice(visit, await applicationsOf(ctx, visit), app, { all: false })}
          ${draftFields(draft)}`,
        })}
      </section>`,
  });
}

function secretPart(secret: string): Html {
  return part(
    "The signing secret",
    html`<p>It is shown only now. The receiver needs it to verify signatures.</p>
      ${copyable(secret)}`,
  );
}

// One endpoint

const statuses = ["waiting", "delivered", "failed"] as const satisfies DeliveryStatus[];
const statusLabels: Record<DeliveryStatus, string> = { waiting: "Waiting", delivered: "Delivered", failed: "Failed" };

/** What an act adds to the page that follows it. */
type Added = {
  refusal?: Refusal | undefined;
  /** The form that changes its settings. */
  form?: Edited;
  isChecked?: boolean;
  secret?: string;
  tested?: TestAnswer;
};

export const one = view("/webhooks/:id", "viewer", async (ctx, visit) => await onePage(ctx, visit));

async function onePage(ctx: Context, visit: Visit, added: Added = {}): Promise<Answer> {
  const endpoint = await endpointIn(ctx, visit);
  const { id } = endpoint;
  const [backlog, health] = [await webhooks.backlogOf(ctx, id), await inspection.health(ctx, id)];
  const { refusal, secret, tested } = added;
  const listed = await deliveriesPart(ctx, visit, id);
  return consolePage(ctx, visit, {
    title: escapeUnseen(endpoint.url),
    section,
    trail: [home],
    isLive: visit.request.method === "GET",
    acts: acts(visit, endpoint, health, added),
    status: refusal?.status ?? listed.refusal?.status ?? 200,
    body: html`${refusal && !added.form && problem(refusal.text)} ${secret !== undefined && secretPart(secret)}
      ${tested && testedPart(tested)} ${healthNumbers(health, backlog, await inspection.lastAttempt(ctx, id))}
      <div class="columns">
        <div>
          <section class="part" data-live="endpoint">${endpointFacts({ ...endpoint, ...backlog })}</section>
          ${commandLine(["webhook", "show", id])}
        </div>
        <div>${listed.content}</div>
      </div>
      ${await changesPart(ctx, visit, id)}`,
  });
}

function endpointFacts(endpoint: EndpointAnswer & webhooks.EndpointBacklog): Html {
  const { id, appId, url, events, oldSecretUntil, createdAt, updatedAt } = endpoint;
  return facts([
    ["State", endpointState(endpoint)],
    ["URL", shown(url)],
    ["Events", events.join(", ")],
    ["Application", html`<a href="/console/applications/${appId}">${shown(appId)}</a>`],
    ["Webhook ID", html`<code>${id}</code>`],
    ["Old secret", oldSecretUntil === null ? undefined : html`also signs until ${instant(oldSecretUntil)}`],
    ["Created", instant(createdAt)],
    ["Changed", updatedAt === createdAt ? undefined : instant(updatedAt)],
  ]);
}

function acts(
  visit: Visit,
  endpoint: EndpointAnswer,
  health: EndpointHealth,
  { form, isChecked = false, refusal }: Added,
): PageActs {
  const { id, events, enabled } = endpoint;
  const parameters = { id };
  const isRight = isChecked && !refusal;
  const { url: urlWord = "URL", events: eventsWord = "EVENTS" } = isRight && form ? form.values : {};
  const overlaps = ["24h", "7d", "0s"];
  const again = failedAgainForm(visit, endpoint);
  const testing = actForm(visit, test, {
    parameters,
    label: "Send a test event",
    about: "Sends a signed sample immediately, even to a disabled endpoint, and shows the response.",
    fields: html`<label
      >Event
      <select name="event">
        ${events.map((kind) => html`<option>${kind}</option>`)}
      </select></label
    >`,
    command: ["webhook", "test", id, "--event", events[0] ?? "EVENT"],
  });
  const [primary, other] = fails(health) ? [again, testing] : [testing, again];
  const more = [
    other,
    actForm(visit, change, {
      parameters,
      label: "Change settings",
      about: "From now on, exactly these events are sent to this address, including waiting deliveries.",
      isOpen: form !== undefined,
      press: "Save",
      beside: checkButton,
      fields: html`${isRight && html`<p class="notice" role="status">This can be saved.</p>`}
      ${form && refusal && problem(refusal.text)} ${editFields(endpoint, form)}`,
      command: ["webhook", "update", id, "--url", urlWord, "--events", eventsWord],
    }),
    actForm(visit, enable, {
      parameters,
      label: enabled ? "Disable" : "Enable",
      about: enabled
        ? "Events are neither sent nor kept for later, until it is enabled again."
        : "Events are sent from now on, beginning with those that still wait.",
      fields: html`<input type="hidden" name="enabled" value="${enabled ? "off" : "on"}" />`,
      isGrave: enabled,
      command: ["webhook", "update", id, "--enabled", enabled ? "off" : "on"],
    }),
    actForm(visit, rotateSecret, {
      parameters,
      label: "Rotate the secret",
      about: "Signs with a new secret, which is shown once, and for a while also with the previous one.",
      fields: html`<label
        >The previous secret also signs for
        <select name="overlap">
          ${overlaps.map((overlap) => html`<option value="${overlap}">${overlap === "0s" ? "0s: it leaked" : overlap}</option>`)}
        </select></label
      >`,
      command: ["webhook", "rotate-secret", id, "--overlap", durationText(day)],
    }),
    actForm(visit, remove, {
      parameters,
      label: "Delete",
      about: "Deletes the endpoint and its waiting deliveries. The receiver gets no more events.",
      isGrave: true,
      command: ["webhook", "delete", id],
    }),
  ];
  return { primary, more };
}

/** Among the newest deliveries, some have not arrived though they were tried. */
function fails({ failed, retrying }: EndpointHealth): boolean {
  return failed + retrying > 0;
}

function failedAgainForm(visit: Visit, { id, failingSince }: EndpointAnswer): ActButton | undefined {
  return actForm(visit, sendFailedAgain, {
    parameters: { id },
    label: "Send failed again",
    about: "Sends again every event that failed or is waiting after a failure.",
    fields: html`<label
      >Since
      <select name="since">
        <option value="">Any time, as far as they are kept</option>
        ${failingSince !== null && html`<option value="${failingSince}">It began to fail</option>`}
        <option value="1h">The last hour</option>
        <option value="24h">The last 24 hours</option>
        <option value="7d">The last 7 days</option>
      </select></label
    >`,
    press: "Send again",
    command: ["webhook", "redeliver", id, "--failed"],
  });
}

/** How the endpoint does, in words and numbers. */
function healthNumbers(
  health: EndpointHealth,
  backlog: webhooks.EndpointBacklog,
  last: DeliveryAttempt | undefined,
): Html {
  const { newest, delivered, failed } = health;
  return html`<dl class="numbers" data-live="health">
    ${tile("Delivered", newest.length === 0 ? "–" : `${amount(delivered)} of ${amount(newest.length)}`, newest.length === 0 ? "no event yet" : healthStrip(health))}
    ${tile("Waiting", waitingText(backlog), health.retrying > 0 ? "after a failure" : undefined)}
    ${tile("Given up", failed, newest.length === 0 ? undefined : `of the newest ${amount(newest.length)}`)}
    ${last && tile("Last answer", last.status === null ? "none" : String(last.status), html`${answerWords(last).replace(/^\d+ /u, "")}, ${instant(last.at)}`)}
  </dl>`;
}

function testedPart({ delivered, event, status, durationMilliseconds, error, response }: TestAnswer): Html {
  return part(
    `The answer to ${event}`,
    html`${facts([
      ["Result", delivered ? state("accepted", "good") : state("not accepted", "bad")],
      ["Status", status ?? "no response"],
      ["Duration", `${amount(durationMilliseconds)} ms`],
      ["Reason", error ?? undefined],
    ])}
    ${response !== "" && html`<pre>${shown(response)}</pre>`}`,
  );
}

async function deliveriesPart(
  ctx: Context,
  visit: Visit,
  id: string,
): Promise<{ content: Html; refusal?: Refusal | undefined }> {
  const query = visit.request.query();
  const wanted = query.get("state") ?? "";
  const after = query.get("after");
  const status = statuses.find((each) => each === wanted);
  const found = await attempt(async () => {
    if (wanted !== "" && !status) throw invalidRequest("state", `one of ${statuses.join(", ")}`);
    if (after !== undefined && !/^evt_\w{1,64}$/u.test(after))
      throw invalidRequest("after", "a link of the previous page");
    return await deliveries.page(ctx, id, { status, after, limit: pageSize });
  });
  const { deliveries: rows, next } = found.value ?? { deliveries: [], next: null };
  const tab = (name: string, label: string): Html =>
    html`<a
      href="${pathOf(one, { id })}${name === "" ? "" : `?state=${name}`}"
      ${name === wanted && html`aria-current="page"`}
      >${label}</a
    >`;
  const content = html`<section class="part">
    <div class="heading">
      <h2>Deliveries</h2>
      <nav class="tabs" aria-label="State">
        ${tab("", "All")} ${statuses.map((each) => tab(each, statusLabels[each]))}
      </nav>
    </div>
    ${found.refusal && problem(found.refusal.text)}
    <div data-live="deliveries">
      ${table(
        "Deliveries, newest first",
        rows,
        [
          {
            heading: "Event",
            cell: ({ eventId, event }) => html`<a href="${pathOf(delivery, { id, event: eventId })}">${event}</a>`,
          },
          { heading: "Time", fit: "time", cell: ({ timestamp }) => instant(timestamp) },
          { heading: "State", fit: "state", cell: deliveryState },
          {
            heading: "Next attempt",
            fit: "time",
            leaves: 2,
            cell: ({ nextAttemptAt }) => nextAttemptAt !== null && instant(nextAttemptAt),
          },
          { heading: "Last answer", leaves: 3, cell: lastAnswer },
          { heading: "Attempts", isNumber: true, leaves: 1, cell: ({ attempts }) => amount(attempts.length) },
        ],
        next === null ? "No matching deliveries." : "None of the newest ones. There may be older ones.",
      )}
    </div>
    ${pageLinks(visit, next ?? undefined)}
    ${commandLine(["webhook", "deliveries", id, ...(status === "failed" ? ["--failed"] : [])])}
  </section>`;
  return { content, refusal: found.refusal };
}

// Acts

export const test = act("/webhooks/:id/test", "support", "nothing", async (ctx, post) => {
  const { id } = await endpointIn(ctx, post);
  const tested = await attempt(async () => await webhooks.test(ctx, id, post.by, post.form.get("event")));
  return await onePage(ctx, post, tested.refusal ? { refusal: tested.refusal } : { tested: tested.value });
});

export const sendFailedAgain = act("/webhooks/:id/send-failed-again", "support", "nothing", async (ctx, post) => {
  const { id } = await endpointIn(ctx, post);
  const sent = await attempt(async () => {
    const text = post.form.get("since") ?? "";
    const since = text === "" ? undefined : parseMoment(text, ctx.clock());
    if (text !== "" && since === undefined) throw invalidRequest("since", momentRule);
    return await deliveries.redeliver(ctx, id, { status: "failed", since }, post.by);
  });
  if (sent.refusal) return await onePage(ctx, post, { refusal: sent.refusal });
  const count = sent.value;
  return done(
    ctx,
    post,
    pathOf(one, { id }),
    `${amount(count)} ${count === 1 ? "event is" : "events are"} sent again.`,
  );
});

/** Another address, or more events for it. */
function sendsMore({ values, was }: Edited): boolean {
  const before = listOf(was["events"] ?? "");
  return values["url"] !== was["url"] || listOf(values["events"] ?? "").some((kind) => !before.includes(kind));
}

export const change = act(
  "/webhooks/:id/change",
  "owner",
  async (_ctx, { form }) => !form.has("check") && sendsMore(editedIn(form)),
  async (ctx, post) => {
    const { id } = await endpointIn(ctx, post);
    const form = editedIn(post.form);
    const isChecked = post.form.has("check");
    const call = { ...post.by, dryRun: isChecked };
    if (!isChecked && changedSettings(endpointSettings, form).length === 0)
      return done(ctx, post, pathOf(one, { id }), "You have not changed anything in this form.");
    const changed = await attempt(async () => await webhooks.update(ctx, id, changeOnto(endpointSettings, form), call));
    if (changed.refusal || isChecked) return await onePage(ctx, post, { refusal: changed.refusal, form, isChecked });
    return done(ctx, post, pathOf(one, { id }), "The settings were saved.");
  },
);

const enables = ({ form }: Post): boolean => form.get("enabled") === "on";

export const enable = act(
  "/webhooks/:id/enable",
  "owner",
  async (_ctx, post) => enables(post),
  async (ctx, post) => {
    const { id } = await endpointIn(ctx, post);
    const enabled = enables(post);
    await webhooks.update(ctx, id, { enabled }, post.by);
    return done(ctx, post, pathOf(one, { id }), enabled ? "The endpoint is enabled." : "The endpoint is disabled.");
  },
);

export const rotateSecret = act("/webhooks/:id/rotate-secret", "owner", "passkey", async (ctx, post) => {
  const { id } = await endpointIn(ctx, post);
  const secret = newWebhookSecret(ctx.random);
  const rotated = await attempt(async () => {
    const secretOverlap = parseDuration(post.form.get("overlap") ?? "");
    if (secretOverlap === undefined) throw invalidRequest("overlap", "such as 24h or 7d");
    return await webhooks.update(ctx, id, { secret, secretOverlap }, post.by);
  });
  return await onePage(ctx, post, rotated.refusal ? { refusal: rotated.refusal } : { secret });
});

export const remove = act("/webhooks/:id/delete", "owner", "nothing", async (ctx, post) => {
  const { id } = await endpointIn(ctx, post);
  await webhooks.remove(ctx, id, post.by);
  return done(ctx, post, home.path, "The endpoint was deleted.");
});
