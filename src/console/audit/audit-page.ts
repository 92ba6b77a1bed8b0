import { isIP } from "node:net";
import { consoleAppId } from "../../applications/console-app.ts";
import { html, type Html } from "../../lib/html.ts";
import { escapeUnseen } from "../../lib/text.ts";
import { momentRule, parseMoment } from "../../lib/moments.ts";
import { mayDo } from "../operator.ts";
import * as audit from "../../records/audit/audit.ts";
import type { AuditEventAnswer } from "../../records/audit/audit.ts";
import type { AuditFilter } from "../../records/audit/store.ts";
import type { Context } from "../../runtime/context.ts";
import * as operators from "../../operators/service.ts";
import * as operatorPages from "../operators/operator-pages.ts";
import { isAllowed } from "../parts/act-form.ts";
import { actionWords, actorWords, knownActions } from "../parts/action-words.ts";
import { applicationChoice } from "../parts/application-choice.ts";
import { commandLine, copyable } from "../parts/command-line.ts";
import { facts, instant, problem, shortId, shown, state } from "../parts/data.ts";
import { filterForm } from "../parts/filter-form.ts";
import { consolePage } from "../parts/frame.ts";
import { cursorOf, pageLinks, pageOf, pageSize, placeIn } from "../parts/paging.ts";
import { attempt } from "../parts/refusal.ts";
import { table } from "../parts/table.ts";
import { view, type Visit } from "../route.ts";
import { applicationsOf, sees } from "../scope.ts";

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
    body: html`${filters(visit, given, await applicationsOf(ctx, visit))} ${refused.map(problem)}
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

function filters(visit: Visit, given: Given, applications: readonly { id: string; name: string }[]): Html {
  return filterForm(
    visit,
    "/console/audit",
    html`${fields.map(({ name, label, example }) => {
        if (name === "app") return applicationChoice(visit, withChosen(applications, given.app), given.app);
        if (name === "action") return choice("action", label, actionNames(given.action), given.action);
        if (name === "result") return choice("result", label, results, given.result);
        return html`<label
          >${label}
          <input
            name="${name}"
            value="${given[name] ?? ""}"
            placeholder="${example}"
            autocomplete="off"
            spellcheck="false"
        /></label>`;
      })} <button class="button second">Show</button> <a href="/console/audit">All</a>`,
  );
}

/** One that is asked for may be gone, or not be in the list. */
function withChosen(
  applications: readonly { id: string; name: string }[],
  chosen: string | undefined,
): readonly { id: string; name: string }[] {
  const isKnown = chosen === undefined || applications.some(({ id }) => id === chosen);
  return isKnown ? applications : [...applications, { id: chosen, name: chosen }];
}

type Choices = readonly (readonly [value: string, words: string])[];

const results: Choices = [
  ["success", "Success"],
  ["failure", "Failure"],
];

function actionNames(chosen: string | undefined): Choices {
  const isKnown = chosen === undefined || knownActions.some(([action]) => action === chosen);
  return isKnown ? knownActions : [...knownActions, [chosen, chosen]];
}

function choice(name: Name, label: string, choices: Choices, chosen: string | undefined): Html {
  const option = (value: string, words: string): Html =>
    html`<option value="${value}" ${value === (chosen ?? "") && html`selected`}>${words}</option>`;
  return html`<label
    >${label}
    <select name="${name}">
      ${option("", "Any")} ${choices.map(([value, words]) => option(value, words))}
    </select></label
  >`;
}

function entries(visit: Visit, events: AuditEventAnswer[], names: Map<string, string>): Html {
  return table(
    "Entries, newest first",
    events,
    [
      { heading: "Time", fit: "time", cell: ({ at }) => instant(at) },
      {
        heading: "What",
        cell: (event) =>
          html`${event.result === "failure" && html`${state("failure", "bad")} `}${link({ action: event.action }, actionWords(event))}`,
      },
      {
        heading: "Who",
        cell: ({ actor, userId }) => link({ actor }, names.get(actor) ?? actorWords(actor, userId)),
      },
      { heading: "About", fit: "id", leaves: 3, cell: (event) => about(visit, event) },
      {
        heading: "From",
        fit: "id",
        leaves: 2,
        cell: ({ ipAddress }) => ipAddress !== null && link({ address: ipAddress }, ipAddress),
      },
    ],
    "No matching entries.",
    { visit, idOf: ({ id }) => id, of: (event) => details(visit, event) },
  );
}

/** A link to the entries with the same value. */
function link(filter: Given, text: string): Html {
  return html`<a href="/console/audit?${new URLSearchParams(filter).toString()}">${shown(text)}</a>`;
}

/** The person, or else the application. */
function about(visit: Visit, { appId, userId }: AuditEventAnswer): Html | undefined {
  if (userId !== null) return aboutPerson(visit, appId, userId);
  return appId === null ? undefined : aboutApplication(visit, appId);
}

function aboutPerson(visit: Visit, appId: string | null, userId: string): Html {
  const id = shortId(userId, { copies: false });
  return appId !== null && sees(visit, appId) ? html`<a href="/console/people/${userId}">${id}</a>` : id;
}

function aboutApplication(visit: Visit, appId: string): Html {
  return sees(visit, appId) ? html`<a href="/console/applications/${appId}">${shown(appId)}</a>` : shown(appId);
}

function details(visit: Visit, event: AuditEventAnswer): Html {
  const { id, action, actor, appId, userId, ipAddress, requestId, details: more } = event;
  const given = Object.entries({ ...more, request: requestId }).filter(([, value]) => value !== null);
  return facts([
    ["Entry", copyable(id)],
    ["Action", html`<code>${action}</code>`],
    ["Actor", html`<code>${shown(actor)}</code>`],
    ["Person", userId === null ? undefined : copyable(userId)],
    ["Application", appId === null ? undefined : aboutApplication(visit, appId)],
    ["IP address", ipAddress ?? undefined],
    ...given.map(([name, value]): [string, Html] => [escapeUnseen(name), detail(name, String(value))]),
  ]);
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
