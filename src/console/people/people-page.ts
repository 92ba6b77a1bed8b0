import { providerDisplayName } from "../../applications/providers/providers.ts";
import { html, type Html } from "../../lib/html.ts";
import { escapeUnseen } from "../../lib/text.ts";
import type { Listed } from "../../people/list.ts";
import { personStates } from "../../people/people-filter.ts";
import { maxNotSearchable } from "../../people/search-text.ts";
import type { PageActs } from "../parts/act-list.ts";
import { applicationChoice } from "../parts/application-choice.ts";
import { commandLine } from "../parts/command-line.ts";
import { amount, instant, instantOrNever, problem, shown, state } from "../parts/data.ts";
import { selectField, type Options } from "../parts/fields.ts";
import { filterForm } from "../parts/filter-form.ts";
import type { ConsolePage } from "../parts/frame.ts";
import { pageWith } from "../parts/page-address.ts";
import { table, type Column } from "../parts/table.ts";
import type { Visit } from "../route.ts";
import { filterOf, type People } from "./people.ts";

const orders: Options = [
  ["", "Newest first"],
  ["createdAt", "Oldest first"],
  ["name", "Name, A to Z"],
  ["-name", "Name, Z to A"],
  ["-lastLoginAt", "Latest sign-in"],
  ["lastLoginAt", "Earliest sign-in"],
];

const stateWords = {
  active: "Active",
  invited: "Invited",
  pending: "Waits for approval",
  disabled: "Disabled",
  blocked: "Second factor blocked",
} as const;

/** `acts`: with which people are invited and created. `bulk`: of whom the list can be chosen. */
export function peoplePage(visit: Visit, found: People, acts: PageActs, bulk: Html | undefined): ConsolePage {
  const { problem: text, command } = found;
  return {
    title: "People",
    section: "People",
    acts,
    body: html`${filter(visit, found)} ${text === undefined ? results(visit, found, bulk) : problem(text)}
    ${command && commandLine(command)}`,
    ...(text === undefined ? {} : { status: 400 }),
  };
}

function filter(visit: Visit, { search, applications, appId, groupNames }: People): Html {
  const { q, group } = search;
  const inApp = applications.filter(({ id }) => appId === undefined || id === appId);
  const providers = [...new Set(inApp.flatMap(({ authMethods }) => authMethods.oauth.providers))].toSorted();
  const methods: Options = [
    ["passkey", "Passkey"],
    ["password", "Password"],
    ...providers.map((name) => [`provider:${name}`, providerDisplayName(name)] as const),
    ["none", "None"],
  ];
  const names = groupNames.includes(group) || group === "" ? groupNames : [...groupNames, group];
  const fields = html`<label
      >Part of an address or name, or an ID<input
        type="search"
        name="q"
        value="${q}"
        autocomplete="off"
        spellcheck="false"
    /></label>
    ${applications.length > 1 && applicationChoice(visit, applications, appId)}
    ${choice("State", "state", [["", "Any"], ...personStates.map((name) => [name, stateWords[name]] as const)], search)}
    ${names.length > 0 && choice("Group", "group", [["", "Any"], ...names.map((name) => [name, name] as const)], search)}
    ${choice("Method", "method", [["", "Any"], ...methods], search)}
    ${choice(
      "Second factor",
      "factor",
      [
        ["", "Any"],
        ["none", "None"],
      ],
      search,
    )}
    ${q === "" && appId !== undefined && choice("Order", "sort", orders, search)}
    <button class="button second">Search</button>`;
  return filterForm(visit, "/console/people", fields, { isSearch: true });
}

function choice(label: string, name: keyof People["search"], options: Options, search: People["search"]): Html {
  return selectField(label, name, options, search[name]);
}

function results(visit: Visit, found: People, bulk: Html | undefined): Html {
  const { people, next, search, appId, applications, lookedBackTo, notSearchable = 0 } = found;
  const names = new Map(applications.map(({ id, name }) => [id, name]));
  const isFirst = !["after", "cursor"].some((name) => visit.request.query().has(name));
  const pageOf = (changes: Record<string, string>): string =>
    pageWith(visit, { after: undefined, cursor: undefined, open: undefined, ...changes });
  const columns: Column<Listed>[] = [
    ...(bulk ? [pickColumn] : []),
    ...personColumns(appId === undefined ? names : undefined),
    {
      heading: "Methods",
      leaves: 1,
      cell: ({ authMethods: { passkey, oauth, password } }) =>
        shown([...(passkey ? ["passkey"] : []), ...(password ? ["password"] : []), ...oauth].join(", ") || "none"),
    },
    {
      heading: "Last sign-in",
      fit: "time",
      cell: ({ lastLoginAt }) => instantOrNever(lastLoginAt),
    },
    { heading: "Created", fit: "time", leaves: 2, cell: ({ createdAt }) => instant(createdAt) },
    stateColumn,
  ];
  const isAnybody = search.q === "" && Object.keys(filterOf({ ...search, app: "" })).length === 0;
  const none = isAnybody ? "Nobody yet." : next ? "Nobody so far. The next page looks further back." : "Nobody.";
  return html`<section class="part" aria-label="Results">
    ${table("People", people, columns, none)} ${next && lookedBackTo !== undefined && lookedBack(lookedBackTo)}
    ${
      notSearchable > 0 &&
      html`<p class="quiet">
        ${amountNotSearchable(notSearchable)} cannot be found yet: they are being prepared for the search.
      </p>`
    }
    ${people.length > 0 && bulk}
    ${
      (next !== undefined || !isFirst) &&
      html`<nav class="pages" aria-label="Pages">
        ${!isFirst && html`<a href="${pageOf({})}">First page</a>`}
        ${next && html`<a href="${pageOf(next)}">Next page</a>`}
      </nav>`
    }
  </section>`;
}

function lookedBack(to: number): Html {
  return to === 0
    ? html`<p class="quiet">There may be more: the next page looks further.</p>`
    : html`<p class="quiet">Newest first, among people created since ${instant(to)}.</p>`;
}

/** A choice is the page's own: another page or filter drops it. */
const pickColumn: Column<Listed> = {
  heading: "Choose",
  fit: "pick",
  cell: ({ id, name, email }) =>
    html`<input
      type="checkbox"
      form="chosen"
      name="id.${id}"
      value=""
      aria-label="Choose ${escapeUnseen(name ?? email ?? id)}"
    />`,
};

/** `names`: of the applications, if they are shown. */
export function personColumns(names: ReadonlyMap<string, string> | undefined): Column<Listed>[] {
  return [
    {
      heading: "Name",
      cell: ({ id, name, email }) => html`<a href="/console/people/${id}">${shown(name ?? email ?? id)}</a>`,
    },
    { heading: "Address", cell: ({ name, email }) => name !== null && email !== null && shown(email) },
    ...(names
      ? [{ heading: "Application", leaves: 2, cell: ({ appId }) => shown(names.get(appId) ?? appId) } as Column<Listed>]
      : []),
  ];
}

export const stateColumn: Column<Listed> = { heading: "State", fit: "state", cell: stateCell };

function stateCell({ listedAs }: Listed): Html {
  if (listedAs === "blocked") return state("factor blocked", "bad");
  return state(listedAs, ({ active: "good", invited: "quiet", pending: "bad", disabled: "bad" } as const)[listedAs]);
}

function amountNotSearchable(count: number): string {
  return count > maxNotSearchable
    ? `More than ${amount(maxNotSearchable)} people of all applications`
    : `${amount(count)} people`;
}
