/** Finding people, inviting them, and creating users without them. */
import * as invites from "../../credentials/mailed/invites.ts";
import { seeOther, type Answer } from "../../http/answer.ts";
import { html, type Html } from "../../lib/html.ts";
import { mailedNotice } from "../mail/mailed.ts";
import * as mail from "../../records/mail/service.ts";
import type { Context } from "../../runtime/context.ts";
import * as newUsers from "../../people/new-users.ts";
import { consolePage } from "../parts/frame.ts";
import { done } from "../parts/notice.ts";
import { refusableForm, refusalOf, type Entered, type FormRefusal } from "../parts/refusal.ts";
import { act, view, type Act, type Post, type Visit } from "../route.ts";
import { applicationIn } from "../scope.ts";
import type { PageActs } from "../parts/act-list.ts";
import { find, type People } from "./people.ts";
import { option, peoplePage } from "./people-page.ts";
import { shownLink } from "./shown-link.ts";

async function show(ctx: Context, visit: Visit, refusal?: FormRefusal): Promise<Answer> {
  const found = await find(ctx, visit);
  if (found.exact !== undefined) return seeOther(`/console/people/${found.exact}`);
  const page = peoplePage(visit, found, found.applications.length > 0 ? newPeople(ctx, visit, found, refusal) : {});
  return await consolePage(ctx, visit, { ...page, ...(refusal && { status: refusal.status }) });
}

export const page = view("/people", "viewer", async (ctx, visit) => await show(ctx, visit));

function newPeople(ctx: Context, visit: Visit, { applications, appId }: People, refusal?: FormRefusal): PageActs {
  const APP = appId ?? "APP";
  const common = (entered: Entered): Html =>
    html`${
        applications.length === 1
          ? html`<input type="hidden" name="appId" value="${appId}" />`
          : html`<label
              >Application<select name="appId">
                ${applications.map(({ id, name }) => option(id, name, entered("appId", appId)))}
              </select></label
            >`
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
    ],
  };
}

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
