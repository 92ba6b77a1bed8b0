import { html, type Html } from "../../lib/html.ts";
import { maxNotSearchable } from "../../people/search-text.ts";
import { userStates } from "../../users/list-query.ts";
import type { UserAnswer } from "../../users/user-answer.ts";
import type { PageActs } from "../parts/act-list.ts";
import { applicationChoice } from "../parts/application-choice.ts";
import { commandLine } from "../parts/command-line.ts";
import { amount, instant, problem, shown, state } from "../parts/data.ts";
import { filterForm } from "../parts/filter-form.ts";
import type { ConsolePage } from "../parts/frame.ts";
import type { Visit } from "../route.ts";
import type { People, Search } from "./people.ts";
import { table } from "../parts/table.ts";

const orders = {
  "": "Usual order",
  "-createdAt": "Newest first",
  createdAt: "Oldest first",
  name: "Name, A to Z",
  "-name": "Name, Z to A",
  "-lastLoginAt": "Latest sign-in",
  lastLoginAt: "Earliest sign-in",
};

/** `acts`: with which people are invited and created. */
export function peoplePage(visit: Visit, found: People, acts: PageActs): ConsolePage {
  const { problem: text, command } = found;
  return {
    title: "People",
    section: "People",
    acts,
    body: html`${filter(visit, found)} ${text !== undefined && problem(text)} ${results(found)}
    ${command && commandLine(command)}`,
    ...(text === undefined ? {} : { status: 400 }),
  };
}

function filter(visit: Visit, { search, applications, appId }: People): Html {
  const { q, state: chosen, group, sort } = search;
  const fields = html`<label
      >Part of an address or name, or an ID<input
        type="search"
        name="q"
        value="${q}"
        autocomplete="off"
        spellcheck="false"
    /></label>
    ${applications.length > 1 && applicationChoice(visit, applications, appId)}
    <label
      >State<select name="state">
        <option value="">Any</option>
        ${userStates.map((word) => option(word, word, chosen))}
      </select></label
    >
    <label>Group<input name="group" size="10" value="${group}" autocomplete="off" spellcheck="false" /></label>
    ${
      q === "" &&
      html`<label
        >Order<select name="sort">
          ${Object.entries(orders).map(([value, words]) => option(value, words, sort))}
        </select></label
      >`
    }
    <button class="button second">Search</button>`;
  return filterForm(visit, "/console/people", fields, { isSearch: true });
}

export function option(value: string, words: string, chosen: string | undefined): Html {
  return html`<option value="${value}" ${value === chosen && html`selected`}>${words}</option>`;
}

function results(found: People): Html | undefined {
  const { people, nextCursor, search, appId, applications, problem: text, lookedBackTo, notSearchable = 0 } = found;
  if (text !== undefined) return undefined;
  if (appId === undefined && search.q === "") return applicationList(found);
  const names = new Map(applications.map(({ id, name }) => [id, name]));
  const pages = [
    search.cursor !== "" && html`<a href="/console/people?${queryOf(search, "")}">First page</a>`,
    nextCursor !== null && html`<a href="/console/people?${queryOf(search, nextCursor)}">Next page</a>`,
  ].filter((link) => link !== false);
  return html`<section class="part" aria-label="Results">
    ${table(
      "People",
      people,
      [
        { heading: "Name", cell: personCell },
        { heading: "Address", cell: ({ name, email }) => name !== null && email !== null && shown(email) },
        ...(appId === undefined
          ? [
              {
                heading: "Application",
                leaves: 2 as const,
                cell: (user: UserAnswer) => shown(names.get(user.appId) ?? user.appId),
              },
            ]
          : []),
        {
          heading: "Methods",
          leaves: 1,
          cell: ({ authMethods: { passkey, oauth, password } }) =>
            shown([...(passkey ? ["passkey"] : []), ...(password ? ["password"] : []), ...oauth].join(", ") || "none"),
        },
        {
          heading: "Last sign-in",
          fit: "time",
          cell: ({ lastLoginAt }) => (lastLoginAt === null ? "never" : instant(lastLoginAt)),
        },
        { heading: "Created", fit: "time", leaves: 2, cell: ({ createdAt }) => instant(createdAt) },
        {
          heading: "State",
          fit: "state",
          cell: ({ disabledAt }) => (disabledAt === null ? state("active", "good") : state("disabled", "bad")),
        },
      ],
      nextCursor === null ? "Nobody." : "Nobody so far. The search continues on the next page.",
    )}
    ${
      typeof lookedBackTo === "number" &&
      html`<p class="quiet">Newest first, among people created since ${instant(lookedBackTo)}.</p>`
    }
    ${
      notSearchable > 0 &&
      html`<p class="quiet">
        ${amountNotSearchable(notSearchable)} cannot be found yet: they are being prepared for the search.
      </p>`
    }
    ${pages.length > 0 && html`<p class="pages">${pages}</p>`}
  </section>`;
}

function amountNotSearchable(count: number): string {
  return count > maxNotSearchable
    ? `More than ${amount(maxNotSearchable)} people of all applications`
    : `${amount(count)} people`;
}

function personCell({ id, name, email }: UserAnswer): Html {
  return html`<a href="/console/people/${id}">${shown(name ?? email ?? id)}</a>`;
}

function queryOf(search: Search, cursor: string): string {
  const given = Object.entries({ ...search, cursor }).filter(([, text]) => text !== "");
  return new URLSearchParams(given).toString();
}

/** If several applications have people, and none is chosen yet. */
function applicationList({ applications }: People): Html {
  return html`<section class="part">
    <h2>By application</h2>
    ${table(
      "Applications",
      applications,
      [
        {
          heading: "Application",
          cell: ({ id, name }) =>
            html`<a href="/console/people?${new URLSearchParams({ app: id }).toString()}">${shown(name)}</a>`,
        },
        { heading: "People", cell: ({ stats }) => amount(stats.totalUsers), isNumber: true },
        { heading: "Active in 30 days", cell: ({ stats }) => amount(stats.activeUsers), isNumber: true },
      ],
      "There is no application yet.",
    )}
  </section>`;
}
