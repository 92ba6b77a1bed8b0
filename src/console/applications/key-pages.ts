import type { Application } from "../../applications/application.ts";
import * as apiKeys from "../../applications/keys.ts";
import type { ApiKeyAnswer } from "../../applications/keys.ts";
import type { Answer } from "../../http/answer.ts";
import { AppError } from "../../lib/errors.ts";
import { parseDuration } from "../../lib/durations.ts";
import { html, type Html } from "../../lib/html.ts";
import type { Context } from "../../runtime/context.ts";
import { changesOfOpened } from "../audit/changes-part.ts";
import { actForm } from "../parts/act-form.ts";
import { actColumn } from "../parts/act-list.ts";
import { instant, instantOrNever, part, shortId, shown, state } from "../parts/data.ts";
import { entered, fieldForm, fieldRefusalOf, type Answered, type Field } from "../parts/fields.ts";
import { done } from "../parts/notice.ts";
import { act, view, type Post, type Visit } from "../route.ts";
import { applicationIn } from "../scope.ts";
import { applicationPage, applicationPath, envPart, pageOf, secretPage } from "./application-frame.ts";
import { table } from "../parts/table.ts";

type AnsweredForm = Answered & { form: "create" | "rotate" };

const label: Field = { name: "label", label: "Label", hint: "What the key is for, at most 64 characters." };

/** How long older keys or secrets still work. */
export const overlap: Field = {
  name: "overlap",
  label: "Older ones work for",
  kind: "one-of",
  options: [
    ["0s", "no longer"],
    ["1h", "one hour"],
    ["24h", "24 hours"],
    ["7d", "7 days"],
    ["30d", "30 days"],
  ],
};

export function overlapOf(value: string): number {
  return parseDuration(value) ?? Number.NaN;
}

async function show(ctx: Context, visit: Visit, application: Application, answered?: AnsweredForm): Promise<Answer> {
  const keys = (await apiKeys.listKeys(ctx, application.id)).toReversed();
  const { shown: rows, next } = pageOf(visit, applicationPath(application, "/keys"), keys);
  const changes = await changesOfOpened(ctx, visit, (open) => keys.find(({ id }) => id === open)?.id);
  const parameters = { appId: application.id };
  const form = (name: AnsweredForm["form"]) => (answered?.form === name ? answered : undefined);
  return applicationPage(ctx, visit, application, {
    tab: "Keys",
    status: answered?.refusal ? 422 : 200,
    acts: {
      primary: fieldForm(visit, create, {
        parameters,
        label: "Create a key",
        about: "Creates another key, which is shown once. Existing keys keep working.",
        fields: [label],
        values: {},
        answered: form("create"),
        command: ["key", "create", "--app", application.id],
      }),
      more: [
        fieldForm(visit, rotate, {
          parameters,
          label: "Replace all keys",
          about: "Creates a key, which is shown once. The others stop working after the overlap.",
          fields: [label, overlap],
          values: { overlap: "24h" },
          answered: form("rotate"),
          command: ["key", "rotate", "--app", application.id, "--overlap", "24h"],
        }),
      ],
    },
    body: part("API keys", html`${list(visit, application, rows, changes)} ${next}`),
  });
}

/** `changes`: of the opened one. */
function list(visit: Visit, { id: appId }: Application, keys: readonly ApiKeyAnswer[], changes?: Html): Html {
  return table(
    "API keys",
    keys,
    [
      {
        heading: "Label",
        cell: ({ label: text }) => (text === null ? html`<span class="none">none</span>` : shown(text)),
      },
      { heading: "Key ID", fit: "id", cell: (key) => shortId(key.id) },
      { heading: "State", cell: stateOf },
      { heading: "Created", fit: "time", leaves: 1, cell: ({ createdAt }) => instant(createdAt) },
      {
        heading: "Last used",
        fit: "time",
        leaves: 2,
        cell: ({ lastUsedAt }) => instantOrNever(lastUsedAt),
      },
      ...actColumn(keys, (key) => [
        key.state === "live"
          ? actForm(visit, revoke, {
              parameters: { appId, keyId: key.id },
              label: "Revoke",
              about: `Revokes ${key.id}: the next call with it is refused.`,
              command: ["key", "revoke", key.id],
              isGrave: true,
            })
          : undefined,
      ]),
    ],
    "No API keys.",
    { visit, idOf: ({ id }) => id, of: () => changes },
  );
}

/** For a key or a secret, with the time when it ended or will end. */
export function stateOf({
  state: word,
  revokedAt,
  expiresAt,
}: Pick<ApiKeyAnswer, "state" | "revokedAt" | "expiresAt">): Html {
  const end = revokedAt ?? expiresAt;
  const until = end !== null && html` <span class="quiet">${word === "live" && "until"} ${instant(end)}</span>`;
  return html`${state(word, word === "live" ? "good" : "quiet")}${until}`;
}

async function keyPage(
  ctx: Context,
  post: Post,
  application: Application,
  created: { id: string; apiKey: string },
): Promise<Answer> {
  return await secretPage(ctx, post, application, {
    tab: "Keys",
    title: "The key was created",
    name: "API key",
    text: created.apiKey,
    ids: [
      ["Key ID", created.id],
      ["App ID", application.id],
    ],
    next: envPart(ctx, application, created.apiKey),
    back: applicationPath(application, "/keys"),
  });
}

export const page = view("/applications/:appId/keys", "viewer", async (ctx, visit) => {
  return await show(ctx, visit, await applicationIn(ctx, visit, visit.request.parameter("appId")));
});

function chosenLabel(value: string | undefined): { label?: string } {
  return value === undefined || value === "" ? {} : { label: value };
}

export const create = act("/applications/:appId/keys", "owner", "passkey", async (ctx, post) => {
  const application = await applicationIn(ctx, post, post.request.parameter("appId"));
  const values = entered([label], post);
  try {
    const input = { appId: application.id, ...chosenLabel(values["label"]) };
    return await keyPage(ctx, post, application, await apiKeys.createKey(ctx, input, post.by.actor));
  } catch (error) {
    return await show(ctx, post, application, { form: "create", values, refusal: fieldRefusalOf([label], error) });
  }
});

export const rotate = act("/applications/:appId/keys/rotate", "owner", "passkey", async (ctx, post) => {
  const application = await applicationIn(ctx, post, post.request.parameter("appId"));
  const fields = [label, overlap];
  const values = entered(fields, post);
  try {
    const input = {
      appId: application.id,
      overlap: overlapOf(values["overlap"] ?? ""),
      ...chosenLabel(values["label"]),
    };
    return await keyPage(ctx, post, application, await apiKeys.rotateKey(ctx, input, post.by.actor));
  } catch (error) {
    return await show(ctx, post, application, { form: "rotate", values, refusal: fieldRefusalOf(fields, error) });
  }
});

export const revoke = act("/applications/:appId/keys/:keyId/revoke", "owner", "nothing", async (ctx, post) => {
  const application = await applicationIn(ctx, post, post.request.parameter("appId"));
  const keyId = post.request.parameter("keyId");
  const own = await apiKeys.listKeys(ctx, application.id);
  if (!own.some(({ id }) => id === keyId)) throw new AppError("KEY_NOT_FOUND", "There is no API key with this id.");
  await apiKeys.revokeKey(ctx, keyId, post.by.actor);
  return done(ctx, post, applicationPath(application, "/keys"), "The key was revoked.");
});
