import type { ClientAnswer } from "../../applications/clients/client.ts";
import * as clients from "../../applications/clients/service.ts";
import * as documents from "../../applications/documents/service.ts";
import type { DocumentAnswer } from "../../applications/documents/service.ts";
import type { Answer } from "../../http/answer.ts";
import { html, type Html } from "../../lib/html.ts";
import type { Context } from "../../runtime/context.ts";
import { actForm, type ActButton } from "../parts/act-form.ts";
import { actColumn } from "../parts/act-list.ts";
import { applicationChoice } from "../parts/application-choice.ts";
import { commandLine } from "../parts/command-line.ts";
import { amount, instantOrNever, part, problem, shown, state } from "../parts/data.ts";
import { filterForm } from "../parts/filter-form.ts";
import { consolePage } from "../parts/frame.ts";
import { done } from "../parts/notice.ts";
import { attempt, type Refusal } from "../parts/refusal.ts";
import { table } from "../parts/table.ts";
import { act, view, type Post, type Visit } from "../route.ts";
import { applicationsOf, chosenApplication, sees } from "../scope.ts";

const section = "Agents";
const home = "/console/agents";

export const page = view("/agents", "viewer", async (ctx, visit) => await show(ctx, visit));

async function show(ctx: Context, visit: Visit, refusal?: Refusal): Promise<Answer> {
  const application = await chosenApplication(ctx, visit);
  const appId = application?.id;
  const registered = (await clients.list(ctx, appId)).filter((client) => sees(visit, client.appId));
  const used = await documents.list(ctx, { appId });
  const ofApplication = appId === undefined ? [] : ["--app", appId];
  return consolePage(ctx, visit, {
    title: section,
    section,
    status: refusal?.status ?? 200,
    body: html`${filter(visit, await applicationsOf(ctx, visit), appId)} ${refusal && problem(refusal.text)}
    ${part("Unregistered clients", documentTable(visit, used))}
    ${part("Machines and devices", clientTable(registered.filter(({ kind }) => kind === "machine" || kind === "device")))}
    ${commandLine(["client", "list", ...ofApplication])}`,
  });
}

function filter(visit: Visit, applications: { id: string; name: string }[], chosen: string | undefined): Html | false {
  const choice = applicationChoice(visit, applications, chosen);
  return choice !== undefined && filterForm(visit, home, html`${choice} <button class="button second">Show</button>`);
}

/** The host identifies the client: the name is the document's own claim. */
function documentTable(visit: Visit, used: readonly DocumentAnswer[]): Html {
  return table(
    "Unregistered clients, oldest first",
    used,
    [
      { heading: "Host", cell: ({ id }) => shown(new URL(id).host) },
      { heading: "Calls itself", leaves: 2, cell: ({ name }) => (name === null ? "unknown" : shown(name)) },
      { heading: "Client ID", leaves: 1, cell: ({ id }) => html`<code title="${id}">${shown(id)}</code>` },
      { heading: "People", isNumber: true, cell: ({ users }) => amount(users) },
      { heading: "Last used", fit: "time", leaves: 3, cell: ({ lastUsedAt }) => instantOrNever(lastUsedAt) },
      {
        heading: "State",
        fit: "state",
        cell: ({ blockedAt }) => (blockedAt === null ? state("allowed", "good") : state("blocked", "bad")),
      },
      ...actColumn(used, (document) => [changeOf(visit, document)]),
    ],
    "Nobody has allowed such a program yet. An application and a resource of it must both let them ask.",
  );
}

function changeOf(visit: Visit, { id, blockedAt }: DocumentAnswer): ActButton | undefined {
  const fields = html`<input type="hidden" name="url" value="${id}" />`;
  if (blockedAt !== null)
    return actForm(visit, unblock, {
      label: "Unblock",
      about: "The client may ask users again. All users are asked for consent again.",
      fields,
      command: ["client", "unblock", id],
    });
  return actForm(visit, block, {
    label: "Block",
    about: "Ends all its logins in every application, and prevents new ones.",
    fields,
    command: ["client", "block", id],
    isGrave: true,
  });
}

function clientTable(registered: readonly ClientAnswer[]): Html {
  return table(
    "Clients without a browser",
    registered,
    [
      {
        heading: "Name",
        cell: ({ id, appId, name }) =>
          html`<a href="/console/applications/${appId}/clients/${encodeURIComponent(id)}">${shown(name)}</a>`,
      },
      { heading: "Kind", leaves: 2, cell: ({ kind }) => kind },
      {
        heading: "Application",
        fit: "id",
        cell: ({ appId }) => html`<a href="/console/applications/${appId}">${appId}</a>`,
      },
      { heading: "Resources", leaves: 1, cell: ({ resources }) => shown(resources.join(" ")) },
      { heading: "Last used", fit: "time", leaves: 3, cell: ({ lastUsedAt }) => instantOrNever(lastUsedAt) },
      {
        heading: "State",
        fit: "state",
        cell: ({ disabledAt }) => (disabledAt === null ? state("active", "good") : state("disabled", "bad")),
      },
    ],
    "No machines or devices yet.",
  );
}

const urlOf = ({ form }: Post): string => form.get("url") ?? "";

export const block = act(
  "/agents/block",
  "owner",
  "nothing",
  async (ctx, post) => {
    const blocked = await attempt(async () => await clients.block(ctx, urlOf(post), post.by));
    return blocked.refusal ? await show(ctx, post, blocked.refusal) : done(ctx, post, home, "The program is blocked.");
  },
  { isGlobal: true },
);

export const unblock = act(
  "/agents/unblock",
  "owner",
  "passkey",
  async (ctx, post) => {
    const allowed = await attempt(async () => await clients.unblock(ctx, urlOf(post), post.by));
    return allowed.refusal
      ? await show(ctx, post, allowed.refusal)
      : done(ctx, post, home, "The program may ask people again.");
  },
  { isGlobal: true },
);
