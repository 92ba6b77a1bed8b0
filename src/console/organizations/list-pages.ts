/** Finding and creating organizations of an application. */
import type { Application } from "../../applications/application.ts";
import type { Answer } from "../../http/answer.ts";
import { html, type Html } from "../../lib/html.ts";
import * as organizations from "../../organizations/service.ts";
import type { OrganizationChange } from "../../organizations/service.ts";
import type { Context } from "../../runtime/context.ts";
import { applicationPage, applicationPath } from "../applications/application-frame.ts";
import { optionOf } from "../applications/setting.ts";
import { commandLine } from "../parts/command-line.ts";
import { amount, instant, part, shown } from "../parts/data.ts";
import { changedSettings, edited, mergedChange, wordsOf } from "../parts/edit.ts";
import { fieldForm, fieldRefusalOf, selectField, type Answered, type Field, type Options } from "../parts/fields.ts";
import { filterForm } from "../parts/filter-form.ts";
import { done } from "../parts/notice.ts";
import { pageLinks } from "../parts/paging.ts";
import { table } from "../parts/table.ts";
import { act, view, type Visit } from "../route.ts";
import { applicationIn } from "../scope.ts";
import { naming, settings } from "./forms.ts";
import {
  checkedPlace,
  findOrganizations,
  maxCounted,
  stateLabels,
  type ListedOrganization,
  type OrganizationState,
} from "./list.ts";
import { organizationPath, stateWord } from "./organization-page.ts";

const owner: Field = {
  name: "owner",
  label: "Owner",
  hint: "A user's ID; or an address, to which an invitation is mailed",
};
const newFields: readonly Field[] = [
  ...settings.filter(({ name }) => name === "name"),
  owner,
  ...settings
    .filter(({ name }) => name !== "name")
    .map((setting) =>
      setting.name === "slug" ? { ...setting, hint: `${setting.hint} Empty: derived from the name.` } : setting,
    ),
];
const defaults = { secondFactor: "off" };

async function show(ctx: Context, visit: Visit, application: Application, answered?: Answered): Promise<Answer> {
  const isOn = application.settings.organizations !== undefined;
  const acts = {
    primary: fieldForm(visit, create, {
      parameters: { appId: application.id },
      label: "Create an organization",
      about: "A company among the application's customers. Its owner invites the others.",
      fields: newFields,
      values: defaults,
      answered,
      check: "Check",
    }),
  };
  return await applicationPage(ctx, visit, application, {
    tab: "Organizations",
    status: answered?.refusal ? 422 : 200,
    ...(isOn && { acts }),
    body: isOn ? await found(ctx, visit, application) : part("Organizations", off(application)),
  });
}

function off(application: Application): Html {
  return html`<p>
    Organizations are off. They are for applications whose customers are companies: members with roles, who manage
    themselves. To turn them on, change <a href="${applicationPath(application)}">the application's settings</a>.
  </p>`;
}

async function found(ctx: Context, visit: Visit, application: Application): Promise<Html> {
  const query = visit.request.method === "GET" ? visit.request.query() : new Map<string, string>();
  const [text, asked] = [(query.get("q") ?? "").trim(), query.get("state") ?? ""];
  const states = Object.entries(stateLabels) as [OrganizationState, string][];
  const state = asked === "" ? "" : optionOf("state", asked, Object.keys(stateLabels));
  const list = await findOrganizations(ctx, application.id, { text, state, after: checkedPlace(query.get("after")) });
  const { organizations: rows, next, isCut } = list;
  const options: Options = [["", "Any"], ...states];
  const filter = html`<label
      >Part of a name, slug or domain<input
        type="search"
        name="q"
        value="${text}"
        autocomplete="off"
        spellcheck="false"
    /></label>
    ${selectField("State", "state", options, state)} <button class="button second">Search</button>`;
  const none = isCut
    ? "None so far. The next page looks further."
    : text + state === ""
      ? "There are none yet."
      : "None.";
  return html`${filterForm(visit, applicationPath(application, "/organizations"), filter, { isSearch: true })}
    <section class="part" aria-label="Results">
      ${listed(rows, none)}
      ${isCut && rows.length > 0 && html`<p class="quiet">There may be more: the next page looks further.</p>`}
      ${pageLinks(visit, next, "Next page")}
    </section>
    ${text + state === "" && commandLine(["organization", "list", "--app", application.id])}`;
}

function listed(rows: readonly ListedOrganization[], none: string): Html {
  return table<ListedOrganization>(
    "Organizations, newest first",
    rows,
    [
      { heading: "Name", cell: (row) => html`<a href="${organizationPath(row)}">${shown(row.name)}</a>` },
      { heading: "Slug", leaves: 2, cell: ({ slug }) => html`<code>${slug}</code>` },
      { heading: "Domain", leaves: 2, cell: ({ domain }) => domain !== undefined && shown(domain) },
      {
        heading: "Members",
        isNumber: true,
        cell: ({ members }) => (members > maxCounted ? `${amount(maxCounted)}+` : amount(members)),
      },
      { heading: "Owners", isNumber: true, leaves: 3, cell: ({ owners }) => amount(owners) },
      { heading: "State", fit: "state", cell: stateWord },
      { heading: "Created", fit: "time", leaves: 1, cell: ({ createdAt }) => instant(createdAt) },
    ],
    none,
  );
}

export const page = view("/applications/:appId/organizations", "viewer", async (ctx, visit) => {
  return await show(ctx, visit, await applicationIn(ctx, visit, visit.request.parameter("appId")));
});

export const create = act("/applications/:appId/organizations", "owner", "passkey", async (ctx, post) => {
  const application = await applicationIn(ctx, post, post.request.parameter("appId"));
  if (application.settings.organizations === undefined) throw organizations.areOff();
  const form = edited(newFields, post);
  const dryRun = post.form.has("check");
  try {
    const changed = changedSettings(settings, form);
    const change = mergedChange<OrganizationChange>(changed, form.values);
    const [name = "", ownedBy = ""] = [form.values["name"], form.values["owner"]];
    const input = { ...change, name, owner: ownedBy };
    const created = await naming("owner", () => organizations.create(ctx, application, input, { ...post.by, dryRun }));
    const appId = application.id;
    if (!dryRun) return done(ctx, post, organizationPath({ appId, id: created.id }), "The organization was created.");
    const words = wordsOf(
      changed.filter((setting) => setting.name !== "name"),
      form.values,
    );
    const command = ["organization", "create", name, "--app", appId, "--owner", ownedBy, ...words];
    return await show(ctx, post, application, { ...form, command, note: "This can be created." });
  } catch (error) {
    return await show(ctx, post, application, { ...form, refusal: fieldRefusalOf(newFields, error) });
  }
});
