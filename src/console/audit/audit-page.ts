import { isIP } from "node:net";
import { day, isoTime } from "../../lib/clock.ts";
import { invalidRequest } from "../../lib/errors.ts";
import { html, type Html } from "../../lib/html.ts";
import { escapeUnseen, isShowable } from "../../lib/text.ts";
import { momentRule, parseMoment } from "../../lib/moments.ts";
import * as operators from "../../operators/service.ts";
import * as audit from "../../records/audit/audit.ts";
import type { AuditEventAnswer } from "../../records/audit/audit.ts";
import { exportEntries } from "../../records/audit/export.ts";
import type { AuditFilter } from "../../records/audit/store.ts";
import type { Context } from "../../runtime/context.ts";
import { actForm } from "../parts/act-form.ts";
import { actionWords, knownActions } from "../parts/action-words.ts";
import { applicationChoice } from "../parts/application-choice.ts";
import { commandLine, copyable } from "../parts/command-line.ts";
import { csvFile, mayExport } from "../parts/csv-file.ts";
import { facts, instant, problem, shown, state } from "../parts/data.ts";
import { labelOf, selectField, type Options } from "../parts/fields.ts";
import { filterForm } from "../parts/filter-form.ts";
import { consolePage } from "../parts/frame.ts";
import { cursorOf, pageLinks, pageOf, pageSize, placeIn, type Place } from "../parts/paging.ts";
import { attempt } from "../parts/refusal.ts";
import { table } from "../parts/table.ts";
import { act, view, type Act, type Visit } from "../route.ts";
import { applicationsOf } from "../scope.ts";
import {
  about,
  applicationLink,
  changedSettings,
  changeWords,
  hiddenFrom,
  moreWords,
  namesIn,
  personLink,
  whoWords,
  type Acting,
  type Names,
} from "./entry-words.ts";

const dayForm = /^\d{4}-\d\d-\d\d$/u;
const exactly = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium", timeZone: "UTC" });
const idForm = /^[\w-]{1,64}$/u;
const actorForm = /^(?:user|app|client|cli|operator|service):./u;
const actionForm = /^[a-z]+(?:[.-][a-z]+)*$/u;

/** The filter of each field; each is also a flag of `audit list`, except `until` and `request`. */
const fields = [
  { name: "actor", label: "Who", example: "", rule: "such as cli:root or app:app_shop", takes: actorForm },
  { name: "action", label: "What", example: "", rule: "an action, such as user.login", takes: actionForm },
  { name: "target", label: "To whom", example: "an ID", rule: "the ID of what was changed", takes: /^\S{1,512}$/u },
  { name: "app", label: "Application", example: "", rule: "an App ID, such as app_shop", takes: idForm },
  { name: "result", label: "Result", example: "", rule: "success or failure", takes: /^(?:success|failure)$/u },
  { name: "since", label: "From", example: "24h", rule: momentRule, takes: undefined },
  { name: "until", label: "Until", example: "2026-11-20", rule: momentRule, takes: undefined },
  { name: "before", label: "Before", example: "", rule: momentRule, takes: undefined },
  { name: "user", label: "Person", example: "usr_01k…", rule: "a user ID, such as usr_01k…", takes: idForm },
  { name: "address", label: "IP address", example: "192.0.2.1", rule: "an IP address", takes: undefined },
  { name: "request", label: "Request", example: "req_…", rule: "the ID of a request", takes: /^req_[0-9a-f]{32}$/u },
] as const;

/** What the entry of an export keeps: of other fields all, of an IP address nothing. */
const keptForms: Partial<Record<Name, RegExp>> = {
  target: /^[a-z]{3}_[\w-]+(?:\/[\w-]+)?$/u,
  actor: /^(?:(?:cli|service):[\w.-]+|[a-z]+:[a-z]{3}_[\w-]+)$/u,
  address: /^$/u,
};

/** Shown only if the address has them: links lead to them, and few people type them. */
const rare: readonly Name[] = ["before", "user", "address", "request"];

type Name = (typeof fields)[number]["name"];
type Given = Partial<Record<Name, string>>;

/** Fields whose value is not of their form. */
function wrongIn(given: Given, now: number) {
  return fields.filter(({ name }) => given[name] !== undefined && !isRight(name, given[name], now));
}

export const exportAll: Act = act("/audit/export", "owner", "passkey", async (ctx, post) => {
  const given = givenIn(post, post.form);
  const now = ctx.clock();
  const [wrong] = wrongIn(given, now);
  if (wrong) throw invalidRequest(wrong.name, wrong.rule);
  // What somebody typed, perhaps an address, is not kept as long as the entry.
  const noted = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      keptForms[name as Name]?.test(value) === false ? "one" : value,
    ]),
  );
  const filter = { ...filterOf(given, now), ...hiddenFrom(post) };
  const wanted = { filter, given: noted, format: "csv", oldest: false } as const;
  return await csvFile(ctx, "audit", exportEntries(ctx, wanted, post.by, mayExport(ctx, post)));
});

export const page = view("/audit", "viewer", async (ctx, visit) => {
  const given = givenIn(visit, visit.request.query());
  const now = ctx.clock();
  const problems = wrongIn(given, now);
  const chosen = Object.entries(given).filter(([name]) => name !== "app" || visit.operator.appId === undefined);
  const place = await attempt(async () => placeIn(visit));
  const refused = [
    ...problems.map(({ label, rule }) => `${label}: ${rule}.`),
    ...(place.refusal ? [place.refusal.text] : []),
  ];
  const filter = { ...filterOf(given, now), ...hiddenFrom(visit) };
  const found = refused.length === 0 ? await listed(ctx, visit, filter, place.value) : [];
  const { rows, next } = pageOf(found, ({ at, id }) => cursorOf({ at: Date.parse(at), id }));
  const choosable = await operatorsToChoose(ctx, visit);
  const names = await namesIn(ctx, visit, [...rows, ...choosable]);
  const actors = [...choosable, ...rows.filter(({ actor }) => !actor.startsWith("user:") && isShowable(actor))];
  const known: Known = {
    applications: await applicationsOf(ctx, visit),
    actors: [...new Map(actors.map((event) => [event.actor, whoWords(event, names)]))],
  };
  return consolePage(ctx, visit, {
    title: "Audit",
    section: "Audit",
    status: refused.length === 0 ? 200 : 400,
    ...(refused.length === 0 && {
      acts: {
        more: [
          actForm(visit, exportAll, {
            label: "Export as CSV",
            about:
              "Downloads the entries that this list finds, on all its pages, for a spreadsheet. They hold IP addresses and IDs of people and operators.",
            fields: html`${chosen.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}`,
            command: commandOf(given, now),
            isDownload: true,
          }),
        ],
      },
    }),
    isLive: !visit.request.query().has("after"),
    body: html`${filters(visit, given, known)} ${refused.map(problem)}
      <div class="part" data-live="entries">${entries(visit, rows, names)}</div>
      ${pageLinks(visit, next)} ${refused.length === 0 && commandLine(commandOf(given, now))}`,
  });
});

/** One more than a page. An opened entry that is not on the first page begins its own. */
async function listed(
  ctx: Context,
  visit: Visit,
  filter: AuditFilter,
  place: Place | undefined,
): Promise<AuditEventAnswer[]> {
  const list = async (after: Place | undefined): Promise<AuditEventAnswer[]> =>
    (await audit.list(ctx, { ...filter, after, limit: pageSize + 1 })).toReversed();
  const found = await list(place);
  const open = visit.request.query().get("open");
  if (place || open === undefined || found.slice(0, pageSize).some(({ id }) => id === open)) return found;
  // Nothing is between an entry's id and the same with one more character.
  const [opened] = await audit.list(ctx, { ...filter, id: open, limit: 1 });
  if (!opened) return found;
  return await list({ at: Date.parse(opened.at), id: `${open}_` });
}

/** The query's filter. An operator of one application is limited to that one. */
function givenIn({ operator }: Visit, values: ReadonlyMap<string, string>): Given {
  const given = fields.flatMap(({ name }) => {
    const value = name === "app" && operator.appId !== undefined ? operator.appId : values.get(name)?.trim();
    return value === undefined || value === "" ? [] : [[name, value]];
  });
  return Object.fromEntries(given) as Given;
}

function isRight(name: Name, value: string | undefined, now: number): boolean {
  if (value === undefined) return true;
  if (name === "address") return isIP(value) !== 0;
  if (name === "since" || name === "before" || name === "until") return parseMoment(value, now) !== undefined;
  return fields.some((field) => field.name === name && field.takes?.test(value));
}

function filterOf(given: Given, now: number): AuditFilter {
  const { app, user, action, result, actor, address, target, request, since } = given;
  return {
    appId: app,
    userId: user,
    action,
    result: result as AuditFilter["result"],
    actor,
    ipAddress: address,
    target,
    requestId: request,
    since: since === undefined ? undefined : parseMoment(since, now),
    before: beforeOf(given, now),
  };
}

/** "Until" a day holds the whole of it, in UTC. */
function beforeOf({ before, until }: Given, now: number): number | undefined {
  const bounds = [
    before === undefined ? undefined : parseMoment(before, now),
    until === undefined ? undefined : (parseMoment(until, now) ?? 0) + (dayForm.test(until) ? day : 1),
  ].filter((bound) => bound !== undefined);
  return bounds.length === 0 ? undefined : Math.min(...bounds);
}

function commandOf(given: Given, now: number): string[] {
  const before = given.until === undefined ? given.before : isoTime(beforeOf(given, now) ?? now);
  const flags = fields.flatMap(({ name }) => {
    const value = name === "before" ? before : given[name];
    return value === undefined || name === "until" || name === "request" ? [] : [`--${name}`, value];
  });
  return ["audit", "list", ...flags, "--limit", String(pageSize), "--sort", "-at"];
}

type Known = { applications: readonly { id: string; name: string }[]; actors: Options };

function filters(visit: Visit, given: Given, { applications, actors }: Known): Html {
  const shownFields = fields.filter(({ name }) => !rare.includes(name) || given[name] !== undefined);
  return filterForm(
    visit,
    "/console/audit",
    html`${shownFields.map(({ name, label, example }) => {
        if (name === "app") return applicationChoice(visit, withChosen(applications, given.app), given.app);
        const value = given[name] ?? "";
        const choices = { action: knownActions, actor: actors, result: results }[name as string];
        if (choices) return selectField(label, name, [["", "Any"], ...withValue(choices, value)], value);
        // A day is chosen from a calendar; an address may also say 24h.
        const isDay = (name === "since" || name === "until") && (value === "" || dayForm.test(value));
        return html`<label
          >${label}
          <input
            ${isDay && html`type="date"`}
            name="${name}"
            value="${value}"
            placeholder="${example}"
            autocomplete="off"
            spellcheck="false"
        /></label>`;
      })} <button class="button second">Show</button> <a href="/console/audit">All</a>`,
  );
}

/** Other actors of the filter are those of the page's entries. */
async function operatorsToChoose(ctx: Context, { entry, operator }: Visit): Promise<Acting[]> {
  if (!entry.isTeam || operator.appId !== undefined) return [];
  return (await operators.list(ctx)).map(({ id }) => ({
    actor: `operator:${id}`,
    userId: null,
    appId: null,
    target: null,
  }));
}

/** One that is asked for may be gone, or not be in the list. */
function withChosen(
  applications: readonly { id: string; name: string }[],
  chosen: string | undefined,
): readonly { id: string; name: string }[] {
  const isKnown = chosen === undefined || applications.some(({ id }) => id === chosen);
  return isKnown ? applications : [...applications, { id: chosen, name: chosen }];
}

const results: Options = [
  ["success", "Success"],
  ["failure", "Failure"],
];

function withValue(choices: Options, chosen: string): Options {
  const isKnown = chosen === "" || choices.some(([value]) => value === chosen);
  return isKnown ? choices : [...choices, [chosen, chosen]];
}

function entries(visit: Visit, events: AuditEventAnswer[], names: Names): Html {
  return table(
    "Entries, newest first",
    events,
    [
      { heading: "When", fit: "time", cell: ({ at }) => instant(at) },
      { heading: "Who", fit: "id", cell: (event) => shown(whoWords(event, names)) },
      {
        heading: "What",
        cell: (event) =>
          html`${event.result === "failure" && html`${state("failure", "bad")} `}${actionWords(event)}
            <span class="quiet">${escapeUnseen(moreWords(event))}</span>`,
      },
      { heading: "To whom", leaves: 3, cell: (event) => about(visit, event, names) },
      {
        heading: "From",
        fit: "id",
        leaves: 1,
        cell: ({ ipAddress }) => ipAddress,
      },
    ],
    "No matching entries.",
    { visit, idOf: ({ id }) => id, of: (event) => details(visit, event, names) },
  );
}

/** A link to the entries with the same value. */
function link(filter: Given, text: string): Html {
  return html`<a href="/console/audit?${new URLSearchParams(filter).toString()}">${shown(text)}</a>`;
}

function details(visit: Visit, event: AuditEventAnswer, names: Names): Html {
  const { id, at, action, actor, appId, userId, target, ipAddress, requestId, details: more } = event;
  const given = Object.entries(more).filter(
    ([name, value]) => value !== null && value !== target && !(name === "fields" && event.changes),
  );
  return facts([
    ...changedSettings(event).map((each): [string, Html] => [each.label, shown(changeWords(each))]),
    ["Time", `${exactly.format(Date.parse(at))} UTC`],
    ["Person", userId === null ? undefined : html`${personLink(visit, appId, userId, names)} ${copyable(userId)}`],
    ["To", target === null ? undefined : html`${about(visit, { ...event, userId: null }, names)} ${copyable(target)}`],
    ["Application", appId === null ? undefined : applicationLink(visit, appId, names)],
    ["IP address", ipAddress === null ? undefined : link({ address: ipAddress }, ipAddress)],
    ["Request", requestId === null ? undefined : link({ request: requestId }, requestId)],
    ...given.map(([name, value]): [string, Html] => [escapeUnseen(labelOf(name)), detail(name, String(value))]),
    ["Actor", link({ actor }, actor)],
    ["Action", link({ action }, action)],
    ["Entry", copyable(id)],
  ]);
}

function detail(name: string, value: string): Html {
  if (name === "endpointId") return html`<a href="/console/webhooks/${value}">${shown(value)}</a>`;
  return shown(value);
}
