/** Search everything: people, things, pages, acts and settings, and ids from a log. */
import { seeOther, type Answer } from "../../http/answer.ts";
import { AppError } from "../../lib/errors.ts";
import { html, type Html } from "../../lib/html.ts";
import { clip, escapeUnseen } from "../../lib/text.ts";
import { searchPeople } from "../../people/search.ts";
import type { Context } from "../../runtime/context.ts";
import { findThings, isSearchable, type Found, type Hit } from "../../upkeep/search/everything.ts";
import type { PastedId } from "../../upkeep/search/pasted.ts";
import type { UserAnswer } from "../../users/user-answer.ts";
import * as userListings from "../../users/listing.ts";
import { mayDo } from "../operator.ts";
import { isAllowed } from "../parts/act-form.ts";
import { actionWords } from "../parts/action-words.ts";
import { commandLine } from "../parts/command-line.ts";
import { instantOrNever, part, problem, shown } from "../parts/data.ts";
import { consolePage } from "../parts/frame.ts";
import { table } from "../parts/table.ts";
import { view, type ConsoleRoute, type View, type Visit } from "../route.ts";
import { applicationsOf } from "../scope.ts";
import { sections } from "../sections.ts";
import { findPlaces, type Place } from "./places.ts";

const maxPeople = 8;
const maxApplications = 5;

type Named = { id: string; name: string };
/** `refusal`: why people were not searched. */
type People = { people: UserAnswer[]; isMore: boolean; refusal?: string };

/** `routes`: those whose pages and acts it finds by name. */
export function searchPage(routes: readonly ConsoleRoute[]): View {
  return view("/search", "viewer", async (ctx, visit) => await show(ctx, visit, routes));
}

async function show(ctx: Context, visit: Visit, routes: readonly ConsoleRoute[]): Promise<Answer> {
  const text = (visit.request.query().get("q") ?? "").trim();
  const { operator, entry } = visit;
  const isOwner = mayDo(operator, "owner");
  const sight = {
    appId: operator.appId,
    operators: entry.isTeam && isOwner && operator.appId === undefined,
    operatorEntries: isOwner,
  };
  const things = await findThings(ctx, text, sight);
  const { byId, byName, unknown, isPartial } = things;
  const [only, ...others] = byId;
  if (only && others.length === 0 && things.isId) return seeOther(pathOf(only));
  const people = await peopleIn(ctx, text, operator.appId, things);
  const places = findPlaces(routes, text).filter((place) => isReachable(visit, place));
  const applications: Named[] = await applicationsOf(ctx, visit);
  const notPeople = byId.filter(({ kind }) => kind !== "person");
  const isNothing = [byId, byName, unknown, people.people, places].every((hits) => hits.length === 0);
  const isWrong = text !== "" && isNothing && !isSearchable(text);
  return await consolePage(ctx, visit, {
    title: text === "" ? "Search" : `Search: ${escapeUnseen(clip(text, 60))}`,
    status: isWrong ? 400 : 200,
    body: html`${isWrong && problem(rule)} ${people.refusal !== undefined && problem(people.refusal)}
    ${isNothing && !isWrong && html`<p class="none">${text === "" ? hint : "Nothing found."}</p>`}
    ${unknown.map(unknownPart)} ${thingsPart("By ID", notPeople, applications)}
    ${peoplePart(text, people, applications)} ${placesPart(places, applications)}
    ${thingsPart("By name", byName, applications)}
    ${isPartial && html`<p class="quiet">Of each kind, only the newest 2,000 were looked at. Paste an ID to find an older one.</p>`}
    ${people.people.length + byId.length + byName.length > 0 && commandLine(["search", text])}`,
  });
}

const rule = "Search for 1 to 256 characters, none of them invisible, or paste an ID.";
const hint =
  "Part of a name or address, an ID from a log with whatever stands around it, or what you want to do: password length, set up Google.";

async function peopleIn(ctx: Context, text: string, appId: string | undefined, { byId, isId }: Found): Promise<People> {
  const ids = byId.filter(({ kind }) => kind === "person").map(({ id }) => id);
  const pasted = ids.length === 0 ? [] : await userListings.byIds(ctx, ids);
  if (isId || !isSearchable(text)) return { people: pasted, isMore: false };
  try {
    const { people, nextCursor } = await searchPeople(ctx, { text, appId, limit: maxPeople, cursor: undefined });
    const named = people.filter(({ id }) => !ids.includes(id));
    return { people: [...pasted, ...named], isMore: nextCursor !== null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { people: pasted, isMore: false, refusal: error.message };
  }
}

/** For this operator, in this console: operators have pages in that of a team only. */
function isReachable(visit: Visit, { route, path }: Place): boolean {
  return isAllowed(visit, route) && (visit.entry.isTeam || !path.startsWith("/console/operators"));
}

function peoplePart(text: string, { people, isMore }: People, applications: readonly Named[]): Html | undefined {
  if (people.length === 0 && !isMore) return undefined;
  const all = `/console/people?${new URLSearchParams({ q: text }).toString()}`;
  return part(
    "People",
    html`${table<UserAnswer>(
      "People",
      people,
      [
        {
          heading: "Name",
          cell: ({ id, name, email }) => html`<a href="/console/people/${id}">${shown(name ?? email ?? id)}</a>`,
        },
        { heading: "Address", cell: ({ email }) => email !== null && shown(email) },
        { heading: "Application", leaves: 2, cell: ({ appId }) => shown(nameOf(applications, appId)) },
        {
          heading: "Last sign-in",
          fit: "time",
          leaves: 1,
          cell: ({ lastLoginAt }) => instantOrNever(lastLoginAt),
        },
      ],
      "Nobody so far.",
    )}
    ${isMore && html`<p><a href="${all}">Search further among people</a></p>`}`,
  );
}

const nameOf = (applications: readonly Named[], appId: string): string =>
  applications.find(({ id }) => id === appId)?.name ?? appId;

const kinds: Record<Hit["kind"], string> = {
  person: "Person",
  application: "Application",
  client: "Client",
  endpoint: "Webhook endpoint",
  group: "Group",
  key: "API key",
  organization: "Organization",
  operator: "Operator",
  login: "Login",
  entry: "Audit entry",
  delivery: "Webhook delivery",
  request: "Request",
};

function thingsPart(heading: string, hits: readonly Hit[], applications: readonly Named[]): Html | undefined {
  if (hits.length === 0) return undefined;
  return part(
    heading,
    table<Hit>(
      heading,
      hits,
      [
        { heading: "Name", cell: (hit) => html`<a href="${pathOf(hit)}">${shown(wordsOf(hit))}</a>` },
        { heading: "What", fit: "id", cell: ({ kind }) => kinds[kind] },
        {
          heading: "Application",
          leaves: 2,
          cell: ({ kind, appId }) => appId !== null && kind !== "application" && shown(nameOf(applications, appId)),
        },
      ],
      "",
    ),
  );
}

function wordsOf({ kind, id, name }: Hit): string {
  if (kind === "entry") return actionWords({ action: name, result: "success" });
  if (kind === "request") return "Its entries in the audit log";
  return name === "" ? id : name;
}

function pathOf({ kind, id, name, appId, userId = "", endpointId = "" }: Hit): string {
  const ofApp = `/console/applications/${encodeURIComponent(appId ?? "")}`;
  const opened = (value: string): string => `?${new URLSearchParams({ open: value }).toString()}#open`;
  const paths: Record<Hit["kind"], string> = {
    person: `/console/people/${encodeURIComponent(id)}`,
    application: ofApp,
    client: `${ofApp}/clients/${encodeURIComponent(id)}`,
    endpoint: `/console/webhooks/${encodeURIComponent(id)}`,
    group: `${ofApp}/groups${opened(name)}`,
    key: `${ofApp}/keys${opened(id)}`,
    organization: `${ofApp}/organizations/${encodeURIComponent(id)}`,
    operator: `/console/operators/${encodeURIComponent(id)}`,
    login: `/console/people/${encodeURIComponent(userId)}${opened(id)}`,
    entry: `/console/audit${opened(id)}`,
    delivery: `/console/webhooks/${encodeURIComponent(endpointId)}/deliveries/${encodeURIComponent(id)}`,
    request: `/console/audit?${new URLSearchParams({ request: id }).toString()}`,
  };
  return paths[kind];
}

function unknownPart({ id, kind, ends }: PastedId): Html {
  if (kind === "req")
    return html`<p>No entry has ${shown(id)}; look in the log.</p>
      <div class="command"><code>journalctl -u authsvc --grep ${id}</code></div>`;
  const short = ends === undefined ? id : `${id}…${ends}`;
  const isHidden = ends !== undefined && ["lgn", "aud", "evt"].includes(kind);
  return html`<p>
    ${isHidden ? html`${shown(short)} is shortened: paste the whole ID.` : html`Nothing has the ID ${shown(short)}.`}
  </p>`;
}

function placesPart(places: readonly Place[], applications: readonly Named[]): Html | undefined {
  if (places.length === 0) return undefined;
  return part(
    "Pages, settings and actions",
    table<Place>(
      "Pages, settings and actions",
      places,
      [
        { heading: "What", cell: ({ title }) => title },
        { heading: "Where", cell: (place) => linksTo(place, applications) },
        { heading: "About", leaves: 1, cell: ({ about }) => html`<span class="quiet">${about}</span>` },
      ],
      "",
    ),
  );
}

/** Each application has its own; what is about one of a list begins with the list. */
function linksTo({ path }: Place, applications: readonly Named[]): Html {
  const [page = ""] = path.split(/\/:(?!appId)/u);
  if (!page.includes(":appId")) return html`<a href="${page}">${labelOf(page)}</a>`;
  const links = applications
    .slice(0, maxApplications)
    .map(({ id, name }) => html`<a href="${page.replace(":appId", encodeURIComponent(id))}">${shown(name)}</a> `);
  const isAll = applications.length > 0 && applications.length <= maxApplications;
  return html`<span class="many"
    >${links}${!isAll && html`<a href="/console/applications">${applications.length === 0 ? "Applications" : "and others"}</a>`}</span
  >`;
}

/** The section of the menu. */
function labelOf(page: string): string {
  return sections.find(({ path }) => page.startsWith(path))?.name ?? "Open";
}
