import type { Application } from "../../applications/application.ts";
import type { ApplicationChange } from "../../applications/settings.ts";
import * as applications from "../../applications/service.ts";
import * as personalTokens from "../../credentials/personal/service.ts";
import type { Answer } from "../../http/answer.ts";
import { AppError, invalidRequest } from "../../lib/errors.ts";
import { html, type Html } from "../../lib/html.ts";
import { escapeUnseen } from "../../lib/text.ts";
import { accountPath } from "../../pages/account/parts.ts";
import type { Context } from "../../runtime/context.ts";
import * as signingKeys from "../../tokens/signing-keys.ts";
import { changesPart } from "../audit/changes-part.ts";
import type { ActButton } from "../parts/act-form.ts";
import { actList } from "../parts/act-list.ts";
import { copyable } from "../parts/command-line.ts";
import { isConfirmed } from "../parts/confirmation.ts";
import { amount, facts, part } from "../parts/data.ts";
import { changedSettings, changeOnto, edited, mergedChange, valuesOf, wordsOf } from "../parts/edit.ts";
import { fieldForm, fieldRefusalOf, explained, type Answered } from "../parts/fields.ts";
import { done } from "../parts/notice.ts";
import { act, view, type Post, type Visit } from "../route.ts";
import { applicationIn } from "../scope.ts";
import { applicationPage, applicationPath, listPath } from "./application-frame.ts";
import { applicationAccess, ifItOpensAccess } from "./opens-access.ts";
import { settingGroups, signsNow } from "./settings.ts";

type Group = (typeof settingGroups)[number];

/** The result of one of the forms of a page. */
type AnsweredForm = Answered & { form: string };

async function show(ctx: Context, visit: Visit, application: Application, answered?: AnsweredForm): Promise<Answer> {
  return applicationPage(ctx, visit, application, {
    tab: "Settings",
    status: answered?.refusal ? 422 : 200,
    acts: { more: [deletion(visit, application, answered?.form === "delete" ? answered : undefined)] },
    body: html`<div class="columns">
        <div>${part("To copy", toCopy(ctx, application))} ${part("In numbers", await numbers(ctx, application))}</div>
        <div class="pairs">
          ${settingGroups.map((group) => groupPart(visit, application, group, answered?.form === group.id ? answered : undefined))}
        </div>
      </div>
      ${await changesPart(ctx, visit, application.id)}`,
  });
}

function toCopy({ baseUrl }: Context, { id }: Application): Html {
  return facts([
    ["App ID", copyable(id)],
    ["Base URL, and issuer of tokens", copyable(baseUrl)],
    ["Discovery", copyable(`${baseUrl}/.well-known/openid-configuration`)],
    ["Public keys", copyable(`${baseUrl}/.well-known/jwks.json`)],
    ["Token endpoint", copyable(`${baseUrl}/oauth2/token`)],
    ["Account page", copyable(`${baseUrl}${accountPath(id)}`)],
  ]);
}

async function numbers(ctx: Context, { id }: Application): Promise<Html> {
  const { stats } = await applications.get(ctx, id);
  return facts([
    ["People", html`<a href="/console/people?app=${encodeURIComponent(id)}">${amount(stats.totalUsers)}</a>`],
    ["Active in 30 days", amount(stats.activeUsers)],
    ["Sign-ins", amount(stats.totalLogins)],
  ]);
}

function groupPart(visit: Visit, application: Application, group: Group, answered?: Answered): Html {
  const { id, title, about, settings } = group;
  const values = valuesOf(settings, application);
  return part(
    title,
    html`<p class="hint">${about}</p>
      ${facts(
        settings
          .filter((setting) => setting !== signsNow)
          .map((setting) => [setting.label, explained(setting, values[setting.name] ?? "")]),
      )}`,
    actList([
      fieldForm(visit, save, {
        parameters: { appId: application.id, group: id },
        label: "Change",
        title,
        press: "Save",
        about: "Takes effect at once.",
        fields: settings,
        values,
        answered,
        check: "Check",
      }),
    ]),
  );
}

function deletion(visit: Visit, application: Application, answered?: Answered): ActButton | undefined {
  return fieldForm(visit, remove, {
    parameters: { appId: application.id },
    label: "Delete the application",
    about: `Deletes ${application.id} permanently, with its keys, users and all their data. Its ID cannot be reused.`,
    fields: [{ name: "confirmation", label: "Confirmation", hint: `Type ${escapeUnseen(application.name)}` }],
    values: {},
    answered,
    command: ["app", "delete", application.id],
    isGrave: true,
  });
}

export const page = view("/applications/:appId", "viewer", async (ctx, visit) => {
  return await show(ctx, visit, await applicationIn(ctx, visit, visit.request.parameter("appId")));
});

function groupOf({ request }: Post): Group {
  const group = settingGroups.find(({ id }) => id === request.parameter("group"));
  if (!group) throw new AppError("UNKNOWN_PATH", "This path does not exist.");
  return group;
}

export const save = act(
  "/applications/:appId/settings/:group",
  "owner",
  ifItOpensAccess(applicationAccess, async (_ctx, post) => groupOf(post).settings),
  async (ctx, post) => {
    const application = await applicationIn(ctx, post, post.request.parameter("appId"));
    const group = groupOf(post);
    const { settings } = group;
    const { values, was } = edited(settings, post);
    const form = { form: group.id, values, was };
    const changed = changedSettings(settings, form);
    const atOnce = values[signsNow.name] === "now";
    if (changed.length === 0 && !atOnce)
      return await show(ctx, post, application, { ...form, note: "You have not changed anything in this form." });
    try {
      const given = mergedChange<ApplicationChange>(changed, values).settings ?? {};
      const algorithm = given.signingAlgorithm;
      if (atOnce && algorithm === undefined) throw invalidRequest("signsNow", "only with another signing algorithm");
      const change = changeOnto(settings, form);
      if (post.form.has("check")) {
        await applications.checkUpdate(ctx, application.id, change);
        const words = [...wordsOf(changed, values), ...(atOnce ? signsNow.words("now") : [])];
        return await show(ctx, post, application, {
          ...form,
          command: ["app", "update", application.id, ...words],
          note: `This can be saved. Nothing has changed yet.${await tokensThatEnd(ctx, application, given.personalTokenMaxDays)}`,
        });
      }
      await applications.update(ctx, application.id, change, post.by.actor, { source: post.by.source });
      if (algorithm !== undefined) await signingKeys.announce(ctx, algorithm, { atOnce, dryRun: false });
      return done(ctx, post, applicationPath(application), "The settings were saved.");
    } catch (error) {
      const refusal = fieldRefusalOf(settings, error);
      // Read again: somebody else may have changed it.
      return await show(ctx, post, await applicationIn(ctx, post, application.id), { ...form, refusal });
    }
  },
);

/** A lower maximum ends personal access tokens that last longer. */
async function tokensThatEnd(ctx: Context, { id }: Application, days: number | undefined): Promise<string> {
  const ending = days === undefined ? 0 : await personalTokens.countBeyond(ctx, id, days);
  if (ending === 0) return "";
  return ending === 1
    ? " 1 personal access token lasts longer, and would end."
    : ` ${ending} personal access tokens last longer, and would end.`;
}

export const remove = act("/applications/:appId/delete", "owner", "passkey", async (ctx, post) => {
  const application = await applicationIn(ctx, post, post.request.parameter("appId"));
  const confirmation = post.form.get("confirmation") ?? "";
  if (!isConfirmed({ id: application.id, names: [application.name, application.id] }, confirmation))
    return await show(ctx, post, application, {
      form: "delete",
      values: { confirmation },
      refusal: { field: "confirmation", text: `Confirmation: type ${escapeUnseen(application.name)}` },
    });
  await applications.remove(ctx, application.id, post.by.actor);
  return done(ctx, post, listPath, "The application was deleted.");
});
