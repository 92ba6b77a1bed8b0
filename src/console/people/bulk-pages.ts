/** One act on many people: those chosen in the list, or all that its filter finds. */
import type { Answer } from "../../http/answer.ts";
import { invalidRequest } from "../../lib/errors.ts";
import { html, type Html } from "../../lib/html.ts";
import { digestOf } from "../../lib/random.ts";
import * as bulk from "../../people/bulk.ts";
import type { BulkAct, Outcome } from "../../people/bulk.ts";
import * as list from "../../people/list.ts";
import type { Listed } from "../../people/list.ts";
import type { Context } from "../../runtime/context.ts";
import { isAllowed, openForm } from "../parts/act-form.ts";
import { amount, problem, state } from "../parts/data.ts";
import { consolePage } from "../parts/frame.ts";
import { table, type Column } from "../parts/table.ts";
import { act, view, type Act, type Post, type Visit } from "../route.ts";
import { applicationsOf, chosenIn, sees } from "../scope.ts";
import { askedBy, filterOf, searchIn, type Search } from "./people.ts";
import { personColumns, stateColumn } from "./people-page.ts";

const maxPeople = 1000;
/** A command names at most these. */
const maxNamed = 50;
const peopleOf = (count: number): string => (count === 1 ? "1 person" : `${amount(count)} people`);

/** `of`: between the label and the people. */
type Words = { label: string; of?: string; about: string; done: string; command: string; isGrave?: boolean };

export const words: Record<BulkAct, Words> = {
  disable: {
    label: "Disable",
    about: "Signs them out everywhere. They cannot sign in until they are enabled.",
    done: "disabled",
    command: "disable",
    isGrave: true,
  },
  enable: {
    label: "Enable",
    about: "They can sign in again. Ended logins stay ended.",
    done: "enabled",
    command: "enable",
  },
  revokeLogins: {
    label: "End logins",
    of: "of",
    about: "Signs them out everywhere. They can sign in again.",
    done: "signed out",
    command: "revoke-logins",
    isGrave: true,
  },
  requireNewPassword: {
    label: "Require a new password",
    of: "of",
    about:
      "At the next sign-in by the password, they must replace it, and prove more than it. Logins and other methods stay.",
    done: "marked for a new password",
    command: "require-new-password",
    isGrave: true,
  },
};

/** Whom an act is about. `all`: whom the filter finds now, maybe one more than an act takes. */
type Chosen = { all: boolean; search: Search; people: Listed[]; names: Map<string, string> };

async function chosen(
  ctx: Context,
  visit: Visit,
  values: ReadonlyMap<string, string>,
  ids: readonly string[],
): Promise<Chosen> {
  const search = searchIn(values);
  const all = values.get("all") === "yes";
  const appId = (await chosenIn(ctx, visit, search.app))?.id;
  const found = all ? await list.someIds(ctx, await list.checked(ctx, askedBy(search, appId)), maxPeople) : ids;
  const people = await list.byIds(ctx, [...new Set(found)].slice(0, maxPeople + 1));
  const names = new Map((await applicationsOf(ctx, visit)).map(({ id, name }) => [id, name]));
  return { all, search, people: people.filter((person) => sees(visit, person.appId)), names };
}

export const page = view("/bulk", "support", async (ctx, visit) => {
  const query = visit.request.query();
  const what = Object.keys(words).find((name): name is BulkAct => name === (query.get("act") ?? "disable"));
  if (!what || !isAllowed(visit, acts[what])) throw invalidRequest("act", `one of ${Object.keys(words).join(", ")}`);
  const ids = [...query.keys()].flatMap((name) => (name.startsWith("id.") ? [name.slice("id.".length)] : []));
  return await asking(ctx, visit, what, await chosen(ctx, visit, query, ids));
});

/** Asks before it is done. `refusal`: why it was not. */
async function asking(
  ctx: Context,
  visit: Visit,
  what: BulkAct,
  { all, search, people, names }: Chosen,
  refusal?: string,
): Promise<Answer> {
  const { label, of, about, command, isGrave = false } = words[what];
  const isTooMany = people.length > maxPeople;
  const ids = people.map(({ id }) => id);
  const fields = all
    ? { all: "yes", count: String(people.length), digest: digestOfAll(people), ...filterOf(search) }
    : { ids: ids.join(","), ...filterOf(search) };
  const title = [label, of, isTooMany ? "all who match" : peopleOf(people.length)].filter(Boolean).join(" ");
  const form = openForm(visit, acts[what], {
    label: title,
    about,
    fields: html`${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}`,
    command: ["user", command, ...(ids.length > maxNamed ? ["ID..."] : ids)],
    isGrave,
  });
  const none = all ? "Nobody matches." : "Nobody is chosen. Go back, and tick some people first.";
  const body = isTooMany
    ? problem(`More than ${amount(maxPeople)} people match. Go back, and narrow the filter.`)
    : html`${people.length > 0 && html`<section class="part">${form}</section>`}
        <section class="part">${table("People", people, [...personColumns(names), stateColumn], none)}</section>`;
  return await consolePage(ctx, visit, {
    title,
    section: "People",
    trail: [backTo(search)],
    body: html`${refusal !== undefined && problem(refusal)} ${body}`,
    status: refusal === undefined ? (isTooMany ? 400 : 200) : 409,
  });
}

/** It tells whether the same were shown: as many may be others. */
function digestOfAll(people: readonly Listed[]): string {
  const ids = people.map(({ id }) => id);
  return digestOf(ids.toSorted().join());
}

function backTo(search: Search): { path: string; label: string } {
  const query = new URLSearchParams(filterOf(search)).toString();
  return { path: `/console/people${query && `?${query}`}`, label: "People" };
}

function actOf(what: BulkAct, path: string, asksFor: "passkey" | "nothing"): Act {
  return act(`/bulk/${path}`, "support", asksFor, async (ctx, post) => {
    const ids = (post.form.get("ids") ?? "").split(",").filter((id) => id !== "");
    const found = await chosen(ctx, post, post.form, ids);
    const [now, before] = [found.people.length, Number(post.form.get("count"))];
    if (found.all && digestOfAll(found.people) !== post.form.get("digest") && now <= maxPeople) {
      const changed =
        now === before
          ? `Not the same ${peopleOf(now)} match as before.`
          : `Now ${peopleOf(now)} match, and it was ${amount(before)}.`;
      return await asking(ctx, post, what, found, `${changed} Look again.`);
    }
    if (now === 0 || now > maxPeople) return await asking(ctx, post, what, found);
    const outcomes = await bulk.forEach(ctx, what, found.people, post.by);
    return await results(ctx, post, what, found, { outcomes, gone: found.all ? 0 : new Set(ids).size - now });
  });
}

/** By name what was done, and first what was not. */
async function results(
  ctx: Context,
  post: Post,
  what: BulkAct,
  { search, names }: Chosen,
  { outcomes, gone }: { outcomes: Outcome[]; gone: number },
): Promise<Answer> {
  const { done } = words[what];
  const [fine, others] = [outcomes.filter(({ isDone }) => isDone), outcomes.filter(({ isDone }) => !isDone)];
  const columns: Column<Outcome>[] = [
    ...personColumns(names).map((column) => ({ ...column, cell: ({ person }: Outcome) => column.cell(person) })),
    { heading: "Result", cell: ({ words: result }) => result },
  ];
  const part = (heading: string, rows: Outcome[]): Html | false =>
    rows.length > 0 &&
    html`<section class="part">
      <h2>${heading}</h2>
      ${table(heading, rows, columns, "")}
    </section>`;
  const ofAll = others.length === 0 ? "" : `${amount(fine.length)} of `;
  const title = fine.length === 0 ? `Nobody ${done}` : `${ofAll}${peopleOf(outcomes.length)} ${done}`;
  return await consolePage(ctx, post, {
    title,
    section: "People",
    trail: [backTo(search)],
    beside: others.length > 0 ? state("not all", "bad") : state("all done", "good"),
    body: html`${gone > 0 && problem(`${peopleOf(gone)} of those chosen ${gone === 1 ? "is" : "are"} not there any more.`)}
      ${part("Not done", others)} ${part("Done", fine)}
      <p><a href="${backTo(search).path}">Back to the list</a></p>`,
  });
}

export const acts: Record<BulkAct, Act> = {
  disable: actOf("disable", "disable", "nothing"),
  enable: actOf("enable", "enable", "passkey"),
  revokeLogins: actOf("revokeLogins", "end-logins", "nothing"),
  requireNewPassword: actOf("requireNewPassword", "require-new-password", "nothing"),
};
