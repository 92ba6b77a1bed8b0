import { isIP } from "node:net";
import { consoleAppId } from "../../applications/console-app.ts";
import { html, type Html } from "../../lib/html.ts";
import { momentRule, parseMoment } from "../../lib/moments.ts";
import { mayDo } from "../operator.ts";
import * as audit from "../../records/audit/audit.ts";
import type { AuditEventAnswer } from "../../records/audit/audit.ts";
import type { AuditFilter } from "../../records/audit/store.ts";
import type { Context } from "../../runtime/context.ts";
import * as operators from "../../operators/service.ts";
import * as operatorPages from "../operators/operator-pages.ts";
import { isAllowed } from "../parts/act-form.ts";
import { commandLine } from "../parts/command-line.ts";
import { instant, problem, shown, state, table } from "../parts/data.ts";
import { consolePage } from "../parts/frame.ts";
import { cursorOf, pageLinks, pageOf, pageSize, placeIn } from "../parts/paging.ts";
import { attempt } from "../parts/refusal.ts";
import { view, type Visit } from "../route.ts";
import { sees } from "../scope.ts";

const idForm = /^[\w-]{1,64}$/u;
const actorForm = /^(?:user|app|client|cli|operator|service):./u;
const actionForm = /^[a-z]+(?:[.-][a-z]+)*$/u;

/** The filter of each field; each is also a flag of `audit list`. */
const fields = [
  { name: "app", label: "Application", example: "app_shop", rule: "an App ID, such as app_shop", takes: idForm },
  { name: "user", label: "Person", example: "usr_01k…", rule: "a user ID, such as usr_01k…", takes: idForm },
  { name: "action", label: "Action", example: "user.login", rule: "an action, such as user.login", takes: actionForm },
  { name: "result", label: "Result", example: "", rule: "success or failure", takes: /^(?:success|failure)$/u },
  { name: "actor", label: "Actor", example: "cli:root", rule: "such as cli:root or app:app_shop", takes: actorForm },
  { name: "address", label: "IP address", example: "192.0.2.1", rule: "an IP address", takes: undefined },
  { name: "since", label: "Since", example: "24h", rule: momentRule, takes: undefined },
  { name: "before", label: "Before", example: "2026-11-20", rule: momentRule, takes: undefined },
] as const;

type Name = (typeof fields)[number]["name"];
type Given = Partial<Record<Name, string>>;

export const page = view("/audit", "viewer", async (ctx, visit) => {
  const given = givenIn(visit);
  const now = ctx.clock();
  const problems = fields.filter(({ name }) => given[name] !== undefined && !isRight(name, given[name], now));
  const place = await attempt(async () => placeIn(visit));
  const refused = [
    ...problems.map(({ label, rule }) => `${label}: ${rule}.`),
    ...(place.refusal ? [place.refusal.text] : []),
  ];
  const filter = { ...filterOf(given, now), ...hiddenFrom(visit), after: place.value, limit: pageSize + 1 };
  const found = refused.length === 0 ? (await audit.list(ctx, filter)).toReversed() : [];
  const { rows, next } = pageOf(found, ({ at, id }) => cursorOf({ at: Date.parse(at), id }));
  const names = await operatorNames(ctx, visit, rows);
  return consolePage(ctx, visit, {
    title: "Audit",
    section: "Audit",
    status: refused.length === 0 ? 200 : 400,
    isLive: !visit.request.query().has("after"),
    body: html`${filterForm(visit, given)} ${refused.map(problem)}
      <div class="part" data-live="entries">${entries(visit, rows, names)}</div>
      ${pageLinks(visit, next)} ${refused.length === 0 && commandLine(commandOf(given))}`,
  });
});

/** Only owners see the sign-ins of operators. */
function hiddenFrom({ operator }: Visit): AuditFilter {
  return mayDo(operator, "owner") ? {} : { exceptAppId: consoleAppId };
}

/** The query's filter. An operator of one application is limited to that one. */
function givenIn({ operator, request }: Visit): Given {
  const query = request.query();
  const given = fields.flatMap(({ name }) => {
    const value = name === "app" && operator.appId !== undefined ? operator.appId : query.get(name)?.trim();
    return value === undefined || value === "" ? [] : [[name, value]];
  });
  return Object.fromEntries(given) as Given;
}

function isRight(name: Name, value: string | undefined, now: number): boolean {
  if (value === undefined) return true;
  if (name === "address") return isIP(value) !== 0;
  if (name === "since" || name === "before") return parseMoment(value, now) !== undefined;
  return fields.some((field) => field.name === name && field.takes?.test(value));
}

function filterOf({ app, user, action, result, actor, address, since, before }: Given, now: number): AuditFilter {
  return {
    appId: app,
    userId: user,
    action,
    result: result as AuditFilter["result"],
    actor,
    ipAddress: address,
    since: since === undefined ? undefined : parseMoment(since, now),
    before: before === undefined ? undefined : parseMoment(before, now),
  };
}

function commandOf(given: Given): string[] {
  const flags = fields.flatMap(({ name }) => {
    const value = given[name];
    return value === undefined ? [] : [`--${name}`, value];
  });
  return ["audit", "list", ...flags, "--limit", String(pageSize), "--sort", "-at"];
}

function filterForm({ operator }: Visit, given: Given): Html {
  const asked = fields.filter(({ name }) => name !== "app" || operator.appId === undefined);
  return html`<form class="filter" action="/console/audit">
    ${asked.map(({ name, label, example }) =>
      name === "result"
        ? html`<label>${label} ${resultChoice(given.result)}</label>`
        : html`<label
            >${label}
            <input
              name="${name}"
              value="${given[name] ?? ""}"
              placeholder="${example}"
              autocomplete="off"
              spellcheck="false"
          /></label>`,
    )}
    <button class="button second">Show</button> <a href="/console/audit">All</a>
  </form>`;
}

function resultChoice(chosen: string | undefined): Html {
  const option = (value: string, label: string): Html =>
    html`<option value="${value}" ${value === (chosen ?? "") && html`selected`}>${label}</option>`;
  return html`<select name="result">
    ${option("", "Any")} ${option("success", "success")} ${option("failure", "failure")}
  </select>`;
}

function entries(visit: Visit, events: AuditEventAnswer[], names: Map<string, string>): Html {
  return table(
    "Entries, newest first",
    events,
    [
      { heading: "Time", cell: ({ at }) => instant(at) },
      {
        heading: "Action",
        cell: ({ action, result }) =>
          html`<span class="word">${link({ action }, action)}</span>
            ${result === "failure" && state("failure", "bad")}`,
      },
      {
        heading: "Actor",
        cell: ({ actor, userId, ipAddress }) =>
          html`${link({ actor }, names.get(actor) ?? actorText(actor, userId))}
          ${ipAddress !== null && html`<span class="hint">from ${link({ address: ipAddress }, ipAddress)}</span>`}`,
      },
      { heading: "About", cell: (event) => about(visit, event) },
      { heading: "Details", cell: details },
    ],
    "No matching entries.",
  );
}

/** People act mostly on themselves, and the column "About" names them. */
function actorText(actor: string, userId: string | null): string {
  return actor === `user:${userId}` ? "the person" : actor;
}

/** A link to the entries with the same value. */
function link(filter: Given, text: string): Html {
  return html`<a href="/console/audit?${new URLSearchParams(filter).toString()}">${shown(text)}</a>`;
}

function about(visit: Visit, { appId, userId }: AuditEventAnswer): Html | undefined {
  if (appId === null && userId === null) return undefined;
  const isSeen = appId !== null && sees(visit, appId);
  return html`${userId !== null && html`<div>${isSeen ? html`<a href="/console/people/${userId}">${shown(userId)}</a>` : shown(userId)}</div>`}
  ${appId !== null && html`<div>${isSeen ? html`<a href="/console/applications/${appId}">${shown(appId)}</a>` : shown(appId)}</div>`}`;
}

function details({ details, requestId }: AuditEventAnswer): Html {
  const all = Object.entries({ ...details, request: requestId }).filter(([, value]) => value !== null);
  return html`${all.map(
    ([name, value]) => html`<div class="details hint">${shown(name)}: ${detail(name, String(value))}</div>`,
  )}`;
}

function detail(name: string, value: string): Html {
  if (name === "endpointId") return html`<a href="/console/webhooks/${value}">${shown(value)}</a>`;
  return shown(value);
}

/** Operators by their address, for those who may see them. */
async function operatorNames(ctx: Context, visit: Visit, events: AuditEventAnswer[]): Promise<Map<string, string>> {
  if (!isAllowed(visit, operatorPages.all) || !events.some(({ actor }) => actor.startsWith("operator:")))
    return new Map();
  return new Map((await operators.list(ctx)).map(({ id, email }) => [`operator:${id}`, email ?? id]));
}
