/** Finding people, inviting them, and creating users without them. */
import * as invites from "../../credentials/mailed/invites.ts";
import { seeOther, type Answer } from "../../http/answer.ts";
import { html, type Html } from "../../lib/html.ts";
import { mailedNotice } from "../mail/mailed.ts";
import * as mail from "../../records/mail/service.ts";
import type { Context } from "../../runtime/context.ts";
import * as newUsers from "../../people/new-users.ts";
import * as csvExport from "../../people/csv-export.ts";
import * as list from "../../people/list.ts";
import type { BulkAct } from "../../people/bulk.ts";
import { csvFile, mayExport } from "../parts/csv-file.ts";
import { isAllowed } from "../parts/act-form.ts";
import { selectField } from "../parts/fields.ts";
import { consolePage } from "../parts/frame.ts";
import { done } from "../parts/notice.ts";
import { refusableForm, refusalOf, type Entered, type FormRefusal } from "../parts/refusal.ts";
import { act, view, type Act, type Post, type Visit } from "../route.ts";
import { applicationIn, applicationsOf, chosenIn } from "../scope.ts";
import type { PageActs } from "../parts/act-list.ts";
import * as bulk from "./bulk-pages.ts";
import { askedBy, filterOf, find, searchIn, type People } from "./people.ts";
import { peoplePage } from "./people-page.ts";
import { shownLink } from "./shown-link.ts";

async function show(ctx: Context, visit: Visit, refusal?: FormRefusal): Promise<Answer> {
  const found = await find(ctx, visit);
  if (found.exact !== undefined) return seeOther(`/console/people/${found.exact}`);
  const acts = found.applications.length > 0 ? newPeople(ctx, visit, found, refusal) : {};
  const page = peoplePage(visit, found, acts, bulkBar(visit, found));
  return await consolePage(ctx, visit, { ...page, ...(refusal && { status: refusal.status }) });
}

export const page = view("/people", "viewer", async (ctx, visit) => await show(ctx, visit));

/** What can be done with the chosen rows, and by a second row of buttons with all who match. */
function bulkBar(visit: Visit, { search }: People): Html | undefined {
  // What would change nobody here.
  const idle = search.state === "" ? "" : search.state === "disabled" ? "disable" : "enable";
  if (search.state === "pending") return undefined;
  const shown = Object.entries(bulk.acts).filter(([name, each]) => isAllowed(visit, each) && name !== idle);
  if (shown.length === 0) return undefined;
  const filter = Object.entries(filterOf(search)).map(hidden);
  const buttons = shown.map(
    ([name]) =>
      html`<button class="button second small" name="act" value="${name}">
        ${bulk.words[name as BulkAct].label}
      </button>`,
  );
  return html`<div class="bulk">
    <form id="chosen" action="/console/bulk" aria-label="With those chosen">
      <span>With those chosen:</span>${filter}${buttons}
    </form>
    <form action="/console/bulk" aria-label="With all who match">
      <span>With all who match:</span>${filter}${hidden(["all", "yes"])}${buttons}
    </form>
  </div>`;
}

function hidden([name, value]: [string, string]): Html {
  return html`<input type="hidden" name="${name}" value="${value}" />`;
}

function newPeople(
  ctx: Context,
  visit: Visit,
  { applications, appId, search }: People,
  refusal?: FormRefusal,
): PageActs {
  const APP = appId ?? "APP";
  const options = applications.map(({ id, name }) => [id, name] as const);
  const common = (entered: Entered): Html =>
    html`${
        applications.length === 1
          ? html`<input type="hidden" name="appId" value="${appId}" />`
          : selectField("Application", "appId", options, entered("appId", appId))
      }
      <label>Address<input name="email" type="email" required value="${entered("email")}" autocomplete="off" /></label>
      <label
        >Name <span class="hint">Optional</span><input name="name" value="${entered("name")}" autocomplete="off"
      /></label>`;
  return {
    primary: refusableForm(visit, invite, refusal, {
      label: "Invite somebody",
      about: mail.available(ctx)
        ? "They get a mail with a link, and choose how to sign in. It works once, for 7 days, even if sign-up is closed."
        : "You see a link to hand over, with which they choose how to sign in. It works once, for 7 days, even if sign-up is closed.",
      fields: (entered) =>
        html`${common(entered)}
          <label
            >Language of the mail <span class="hint">Optional, such as de</span
            ><input name="locale" value="${entered("locale")}" autocomplete="off"
          /></label>
          ${
            mail.available(ctx) &&
            html`<label
              ><input type="checkbox" name="link" value="on" ${entered("link") === "on" && html`checked`} />Show the
              link instead of mailing it (--link): anybody who has it can set up the account</label
            >`
          }`,
      command: ["user", "invite", "--app", APP, "--email", "EMAIL", "--name", "NAME"],
    }),
    more: [
      refusableForm(visit, create, refusal, {
        label: "Create a user",
        about: "Sends no mail: the user signs in with a provider, or with a password reset that verifies the address.",
        fields: (entered) =>
          html`${common(entered)}
            <label
              ><input type="checkbox" name="verified" value="on" ${entered("verified") === "on" && html`checked`} />Mark
              the address as verified (--verified)</label
            >`,
        command: ["user", "create", "--app", APP, "--email", "EMAIL", "--name", "NAME"],
      }),
      refusableForm(visit, exportAll, refusal, {
        label: "Export as CSV",
        about:
          "Downloads a table of everybody whom this list finds, on all its pages, for a spreadsheet. It holds names and addresses. For all data of an application, and to import them elsewhere, use the command.",
        fields: () => html`${Object.entries(filterOf(search)).map(hidden)}`,
        command: ["user", "export", "--app", APP],
        isDownload: true,
      }),
    ],
  };
}

export const exportAll: Act = act("/people/export", "owner", "passkey", async (ctx, post) => {
  const search = searchIn(post.form);
  try {
    const asked = askedBy(search, (await chosenIn(ctx, post, search.app))?.id);
    const wanted = await list.checked(ctx, asked);
    const applications = new Map((await applicationsOf(ctx, post)).map(({ id, name }) => [id, name]));
    const rows = csvExport.table(ctx, { asked, wanted, applications }, post.by, mayExport(ctx, post));
    return await csvFile(ctx, "people", rows);
  } catch (error) {
    return await show(ctx, post, refusalOf(error, post));
  }
});

/** The entered text; null for none. */
function optional({ form }: Post, name: string): string | null {
  const text = (form.get(name) ?? "").trim();
  return text === "" ? null : text;
}

export const invite: Act = act("/people/invite", "support", "passkey", async (ctx, post) => {
  const { id: appId } = await applicationIn(ctx, post, post.form.get("appId") ?? "");
  const input = {
    appId,
    email: post.form.get("email") ?? "",
    name: optional(post, "name"),
    locale: optional(post, "locale"),
  };
  const options = { link: post.form.get("link") === "on", dryRun: false };
  try {
    const { userId, link, expiresAt } = await invites.invite(ctx, input, options, post.by);
    const id = userId ?? "";
    if (link === null)
      return done(ctx, post, `/console/people/${id}`, `Invited. ${await mailedNotice(ctx, post, "The mail")}`);
    const about = "Hand it over only to the person. Anybody who has it can set up this account.";
    return await shownLink(ctx, post, { title: "Invitation link", about, link, expiresAt, userId: id });
  } catch (error) {
    return await show(ctx, post, refusalOf(error, post));
  }
});

export const create: Act = act("/people/create", "owner", "passkey", async (ctx, post) => {
  const { id: appId } = await applicationIn(ctx, post, post.form.get("appId") ?? "");
  const emailVerified = post.form.get("verified") === "on";
  const input = {
    appId,
    email: post.form.get("email") ?? "",
    emailVerified,
    name: optional(post, "name"),
    password: undefined,
  };
  try {
    const { id } = await newUsers.create(ctx, input, { dryRun: false }, post.by);
    return done(ctx, post, `/console/people/${id}`, "Created.");
  } catch (error) {
    return await show(ctx, post, refusalOf(error, post));
  }
});
