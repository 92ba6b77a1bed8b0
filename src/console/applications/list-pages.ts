import { methodsText } from "../../applications/methods-text.ts";
import type { NewApplication } from "../../applications/new-application.ts";
import * as applications from "../../applications/service.ts";
import type { ApplicationAnswer } from "../../applications/service.ts";
import type { Answer } from "../../http/answer.ts";
import { html } from "../../lib/html.ts";
import type { Context } from "../../runtime/context.ts";
import { amount, shown } from "../parts/data.ts";
import { changedSettings, edited, mergedChange, wordsOf, type Setting } from "../parts/edit.ts";
import { fieldForm, listOf, fieldRefusalOf, type Answered, type Values } from "../parts/fields.ts";
import { consolePage } from "../parts/frame.ts";
import { act, view, type Visit } from "../route.ts";
import { applicationsOf } from "../scope.ts";
import { applicationPath, envPart, listPath, pageOf, secretPage } from "./application-frame.ts";
import { methodNames, methodOptions, newApplicationSettings } from "./settings.ts";
import { table } from "../parts/table.ts";

type NewSetting = Omit<Setting<undefined, Partial<NewApplication>>, "of">;

const id: NewSetting = {
  name: "id",
  label: "App ID",
  hint: "Empty: a generated one.",
  change: (value) => ({ id: value }),
  words: (value) => ["--id", value],
};

/** `app create` has no details of methods yet. */
const methods: NewSetting = {
  name: "methods",
  label: "Methods",
  kind: "some-of",
  options: methodOptions,
  change: (value) => ({ methods: methodNames.filter((method) => listOf(value).includes(method)) }),
  words: (value) => ["--methods", value],
};

const settings: NewSetting[] = newApplicationSettings.map((setting) =>
  setting.name === "methods" ? methods : setting,
);
settings.splice(1, 0, id);

const defaults: Values = { methods: "passkey,password", emailCode: "off", secondFactor: "off" };

async function show(ctx: Context, visit: Visit, answered?: Answered): Promise<Answer> {
  const all = await applicationsOf(ctx, visit);
  const { shown: rows, next } = pageOf(visit, listPath, all);
  return consolePage(ctx, visit, {
    title: "Applications",
    section: "Applications",
    status: answered?.refusal ? 422 : 200,
    acts: {
      primary: fieldForm(visit, create, {
        label: "Create an application",
        about: "It gets its first API key, which is shown once.",
        fields: settings,
        values: defaults,
        answered,
        check: "Check",
      }),
    },
    body: html`<section class="part">${list(rows)} ${next}</section>`,
  });
}

function list(rows: readonly ApplicationAnswer[]) {
  return table(
    "Applications",
    rows,
    [
      { heading: "Name", cell: (row) => html`<a href="${applicationPath(row)}">${shown(row.name)}</a>` },
      { heading: "App ID", leaves: 2, cell: (row) => html`<code>${row.id}</code>` },
      { heading: "Methods", leaves: 1, cell: ({ authMethods }) => methodsText(authMethods) },
      { heading: "People", isNumber: true, cell: ({ stats }) => amount(stats.totalUsers) },
      { heading: "Active in 30 days", isNumber: true, leaves: 3, cell: ({ stats }) => amount(stats.activeUsers) },
      { heading: "Sign-ins", isNumber: true, leaves: 2, cell: ({ stats }) => amount(stats.totalLogins) },
    ],
    "There are no applications yet.",
  );
}

export const page = view("/applications", "viewer", async (ctx, visit) => await show(ctx, visit));

export const create = act(
  "/applications",
  "owner",
  "passkey",
  async (ctx, post) => {
    const { values, was } = edited(settings, post);
    try {
      const changed = changedSettings(settings, { values, was });
      const input = { name: values["name"] ?? "", ...mergedChange<Partial<NewApplication>>(changed, values) };
      if (post.form.has("check")) {
        await applications.check(ctx, input);
        const command = ["app", "create", ...wordsOf(changed, values)];
        return await show(ctx, post, { values, was, command, note: "This can be created." });
      }
      const { application, apiKey } = await applications.createWithKey(ctx, input, {}, post.by.actor);
      const created = await applications.find(ctx, ctx.storage.reader, application.id);
      if (!created) return await show(ctx, post);
      return await secretPage(ctx, post, created, {
        tab: "Keys",
        title: "The application was created",
        name: "API key",
        text: apiKey,
        ids: [["App ID", application.id]],
        next: envPart(ctx, created, apiKey),
        back: applicationPath(application),
      });
    } catch (error) {
      return await show(ctx, post, { values, was, refusal: fieldRefusalOf(settings, error) });
    }
  },
  { isGlobal: true },
);
