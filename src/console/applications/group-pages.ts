import type { Application } from "../../applications/application.ts";
import type { Answer } from "../../http/answer.ts";
import { AppError } from "../../lib/errors.ts";
import { html } from "../../lib/html.ts";
import type { Context } from "../../runtime/context.ts";
import { secondFactorPolicies } from "../../storage/column-types.ts";
import * as groupDeletion from "../../users/groups/deletion.ts";
import * as groups from "../../users/groups/service.ts";
import type { GroupAnswer, GroupSettings } from "../../users/groups/service.ts";
import { actForm } from "../parts/act-form.ts";
import { actColumn } from "../parts/act-list.ts";
import { instant, part, problem } from "../parts/data.ts";
import { changedSettings, changeOnto, edited, type Edit } from "../parts/edit.ts";
import { before, entered, fieldForm, fieldRefusalOf, type Answered, type Field } from "../parts/fields.ts";
import { done } from "../parts/notice.ts";
import { act, view, type Visit } from "../route.ts";
import { applicationIn } from "../scope.ts";
import { applicationPage, applicationPath, pageOf } from "./application-frame.ts";
import { optionOf, secondFactorOptions } from "./setting.ts";
import { table } from "../parts/table.ts";

const name: Field = { name: "name", label: "Name", hint: "Letters, digits and . _ : @ + -" };
const secondFactor: Edit<GroupAnswer, GroupSettings> = {
  name: "secondFactor",
  label: "Second factor",
  hint: "Required: its members need one.",
  kind: "one-of",
  options: secondFactorOptions,
  of: (group) => group.secondFactor,
  change: (value) => ({ secondFactor: optionOf("secondFactor", value, secondFactorPolicies) }),
};
const newGroup = [name, secondFactor];
const policyNames = new Map(secondFactorOptions);

/** A group whose form was refused. */
type Changed = Answered & { group: string };

/** `refused`: an act on one of the groups that failed. */
async function show(
  ctx: Context,
  visit: Visit,
  application: Application,
  { answered, refused, changed }: { answered?: Answered; refused?: string; changed?: Changed } = {},
): Promise<Answer> {
  const { shown: rows, next } = pageOf(
    visit,
    applicationPath(application, "/groups"),
    await groups.list(ctx, application.id),
  );
  // The refused form may be of a group on another page of the list.
  const isListed = rows.some((group) => group.name === changed?.group);
  const lost = refused ?? (isListed ? undefined : changed?.refusal?.text);
  return applicationPage(ctx, visit, application, {
    tab: "Groups",
    status: answered?.refusal || refused !== undefined || changed ? 422 : 200,
    acts: {
      primary: fieldForm(visit, create, {
        parameters: { appId: application.id },
        label: "Create a group",
        about: "A group of this application's users.",
        fields: newGroup,
        values: { secondFactor: "off" },
        answered,
        check: "Check",
      }),
    },
    body: html`${lost !== undefined && problem(lost)}
    ${part("Groups", html`${list(visit, application, rows, changed)} ${next}`)}`,
  });
}

function list(visit: Visit, { id: appId }: Application, rows: readonly GroupAnswer[], changed?: Changed) {
  const parameters = { appId };
  const named = (group: GroupAnswer) => html`<input type="hidden" name="name" value="${group.name}" />`;
  return table<GroupAnswer>(
    "Groups",
    rows,
    [
      { heading: "Group", cell: (group) => html`<code>${group.name}</code>` },
      { heading: "Second factor", cell: (group) => policyNames.get(group.secondFactor) },
      { heading: "Created", fit: "time", leaves: 3, cell: ({ createdAt }) => instant(createdAt) },
      ...actColumn(rows, (group) => {
        const updating = fieldForm(visit, update, {
          parameters,
          label: "Change",
          title: `Change the group ${group.name}`,
          press: "Change",
          about: `Whether members of ${group.name} need a second factor, from their next refresh on.`,
          fields: [secondFactor],
          values: { secondFactor: group.secondFactor },
          answered: changed?.group === group.name ? changed : undefined,
          more: named(group),
          command: ["group", "update", group.name, "--app", appId, "--second-factor", "POLICY"],
        });
        const deleting = actForm(visit, remove, {
          parameters,
          label: "Delete",
          about: `Deletes the group ${group.name}. Its members stay users.`,
          fields: named(group),
          command: ["group", "delete", group.name, "--app", appId],
          isGrave: true,
        });
        return [updating, deleting];
      }),
    ],
    "There are no groups yet.",
  );
}

export const page = view("/applications/:appId/groups", "viewer", async (ctx, visit) => {
  return await show(ctx, visit, await applicationIn(ctx, visit, visit.request.parameter("appId")));
});

export const create = act("/applications/:appId/groups", "owner", "passkey", async (ctx, post) => {
  const application = await applicationIn(ctx, post, post.request.parameter("appId"));
  const [values, was] = [entered(newGroup, post), before(newGroup, post)];
  const { name: groupName = "", secondFactor: policy = "off" } = values;
  const dryRun = post.form.has("check");
  try {
    const settings = { secondFactor: optionOf("secondFactor", policy, secondFactorPolicies) };
    const { isNew } = await groups.create(ctx, application.id, groupName, { ...post.by, dryRun }, settings);
    if (!isNew) throw new AppError("CONFLICT", "The application already has a group with this name.");
  } catch (error) {
    return await show(ctx, post, application, { answered: { values, was, refusal: fieldRefusalOf(newGroup, error) } });
  }
  if (!dryRun) return done(ctx, post, applicationPath(application, "/groups"), "The group was created.");
  const more = policy === "off" ? [] : ["--second-factor", policy];
  const command = ["group", "create", groupName, "--app", application.id, ...more];
  return await show(ctx, post, application, { answered: { values, was, command, note: "This can be created." } });
});

export const update = act(
  "/applications/:appId/groups/update",
  "owner",
  async (_ctx, post) => changedSettings([secondFactor], edited([secondFactor], post)).length > 0,
  async (ctx, post) => {
    const application = await applicationIn(ctx, post, post.request.parameter("appId"));
    const group = post.form.get("name") ?? "";
    const form = edited([secondFactor], post);
    try {
      await groups.update(ctx, application.id, group, changeOnto([secondFactor], form), post.by);
    } catch (error) {
      const refusal = fieldRefusalOf([secondFactor], error);
      return await show(ctx, post, application, { changed: { group, ...form, refusal } });
    }
    return done(ctx, post, applicationPath(application, "/groups"), "The group was changed.");
  },
);

export const remove = act("/applications/:appId/groups/delete", "owner", "passkey", async (ctx, post) => {
  const application = await applicationIn(ctx, post, post.request.parameter("appId"));
  try {
    await groupDeletion.remove(ctx, application.id, post.form.get("name") ?? "", post.by);
  } catch (error) {
    return await show(ctx, post, application, { refused: fieldRefusalOf([], error).text });
  }
  return done(ctx, post, applicationPath(application, "/groups"), "The group was deleted.");
});
