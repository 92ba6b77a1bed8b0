/** Parts that the pages of one application share. */
import type { Application } from "../../applications/application.ts";
import type { Answer } from "../../http/answer.ts";
import { envLines } from "../../lib/env-lines.ts";
import { html, type Html } from "../../lib/html.ts";
import { newSecret } from "../../lib/random.ts";
import { escapeUnseen } from "../../lib/text.ts";
import type { Context } from "../../runtime/context.ts";
import { mayDo } from "../operator.ts";
import type { PageActs } from "../parts/act-list.ts";
import { copyable } from "../parts/command-line.ts";
import { facts, part } from "../parts/data.ts";
import { consolePage } from "../parts/frame.ts";
import type { Visit } from "../route.ts";

const tabs = [
  { name: "Settings", path: "" },
  { name: "Branding", path: "/branding" },
  { name: "Own words", path: "/texts" },
  { name: "Keys", path: "/keys" },
  { name: "Providers", path: "/providers" },
  { name: "Clients", path: "/clients" },
  { name: "Groups", path: "/groups" },
  { name: "Organizations", path: "/organizations" },
  { name: "Try it", path: "/try" },
] as const;

export type Tab = (typeof tabs)[number]["name"];

export const listPath = "/console/applications";

export function applicationPath({ id }: { id: string }, below = ""): string {
  return `${listPath}/${encodeURIComponent(id)}${below}`;
}

/** A page of an application. `beneath`: one of its parts, with a heading of its own. */
export async function applicationPage(
  ctx: Context,
  visit: Visit,
  application: Application,
  page: {
    tab: Tab;
    body: Html;
    acts?: PageActs;
    status?: number;
    hasFrame?: boolean;
    uploads?: boolean;
    beneath?: string;
    beside?: Html;
  },
): Promise<Answer> {
  const { tab, body, beneath, ...rest } = page;
  const hasOrganizations = application.settings.organizations !== undefined;
  const isShown: Partial<Record<Tab, boolean>> = {
    Organizations: hasOrganizations || tab === "Organizations",
    "Try it": mayDo(visit.operator, "owner"),
  };
  const shownTabs = tabs.filter(({ name }) => isShown[name] ?? true);
  const name = escapeUnseen(application.name);
  return await consolePage(ctx, visit, {
    ...rest,
    title: beneath === undefined ? name : escapeUnseen(beneath),
    section: "Applications",
    trail: [
      { path: listPath, label: "Applications" },
      ...(beneath === undefined ? [] : [{ path: applicationPath(application), label: name }]),
    ],
    body: html`<nav class="tabs" aria-label="${name}">
        ${shownTabs.map(
          (each) =>
            html`<a href="${applicationPath(application, each.path)}" ${each.name === tab && html`aria-current="page"`}
              >${each.name}</a
            >`,
        )}
      </nav>
      ${body}`,
  });
}

/** The page that shows a new secret, which nothing shows again. */
export async function secretPage(
  ctx: Context,
  visit: Visit,
  application: Application,
  secret: {
    tab: Tab;
    title: string;
    /** The label of the secret, and its text. */
    name: string;
    text: string;
    ids: [name: string, value: string][];
    next: Html;
    back: string;
  },
): Promise<Answer> {
  const { tab, title, name, text, ids, next, back } = secret;
  return await applicationPage(ctx, visit, application, {
    tab,
    beneath: title,
    body: part(
      name,
      html`<p class="notice" role="status">This is shown only once. Store it where your program reads its secrets.</p>
        ${copyable(text)} ${facts(ids.map(([label, value]) => [label, copyable(value)]))} ${next}
        <p><a href="${back}">I have stored it</a></p>`,
    ),
  });
}

/** The variables for the application's server, and where to try a sign-in. */
export function envPart({ baseUrl, random }: Context, application: Application, apiKey: string): Html {
  const lines = envLines({
    AUTHSVC_ISSUER: baseUrl,
    AUTHSVC_APP_ID: application.id,
    AUTHSVC_API_KEY: apiKey,
    AUTHSVC_COOKIE_SECRET: newSecret(random),
  });
  return html`<h3>The .env file of your application</h3>
    <pre>${lines}</pre>
    <button type="button" class="copy" data-copy hidden>Copy</button>
    <p>If your application has a cookie secret already, keep that one: a new one signs everybody out.</p>
    <p>Next: <a href="${applicationPath(application, "/try")}">try a sign-in</a>, as your server would make it.</p>`;
}

/** At most 50 of a list, and the link to the next ones. `path`: the page's. */
export function pageOf<Item extends { id: string } | { name: string }>(
  { request }: Visit,
  path: string,
  items: readonly Item[],
): { shown: readonly Item[]; next: Html | false } {
  const most = 50;
  const idOf = (item: Item): string => ("id" in item ? item.id : item.name);
  const after = request.method === "GET" ? request.query().get("after") : undefined;
  // An opened row is shown, also if it is not on the first page.
  const open = request.method === "GET" ? request.query().get("open") : undefined;
  const openAt = open === undefined ? 0 : items.findIndex((item) => idOf(item) === open);
  const start =
    after === undefined ? (openAt < most ? 0 : openAt) : items.findIndex((item) => idOf(item) === after) + 1;
  const shown = items.slice(start, start + most);
  const last = shown.at(-1);
  const hasMore = last !== undefined && start + most < items.length;
  const next =
    hasMore && html`<p class="pages"><a href="${path}?after=${encodeURIComponent(idOf(last))}">Next page</a></p>`;
  return { shown, next };
}
