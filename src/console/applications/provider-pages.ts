import type { Application } from "../../applications/application.ts";
import * as providers from "../../applications/providers/provider-clients.ts";
import type { ProviderAnswer } from "../../applications/providers/provider-clients.ts";
import { inputOf, type ProviderEdit, type ProviderInput } from "../../applications/providers/provider-input.ts";
import type { Answer } from "../../http/answer.ts";
import { providerDisplayName, isKnownProvider } from "../../applications/providers/providers.ts";
import { html, type Html, type HtmlValue } from "../../lib/html.ts";
import { providerMark } from "../../look/marks.ts";
import type { Finding } from "../../upkeep/doctor/finding.ts";
import { issuerFindings, providerFindings, strandedFindings } from "../../upkeep/doctor/rules.ts";
import type { Context } from "../../runtime/context.ts";
import { changesPart } from "../audit/changes-part.ts";
import { actForm } from "../parts/act-form.ts";
import { copyable } from "../parts/command-line.ts";
import { instant, part, shown, state } from "../parts/data.ts";
import { changedSettings, changeOnto, edited, mergedChange, valuesOf, type Edit, type Edited } from "../parts/edit.ts";
import { fieldRefusalOf, openFieldForm, type Answered, type Field, type Values } from "../parts/fields.ts";
import { done } from "../parts/notice.ts";
import { mayDo } from "../operator.ts";
import { act, view, type Post, type SecretField, type Visit } from "../route.ts";
import { applicationIn } from "../scope.ts";
import { applicationPage, applicationPath } from "./application-frame.ts";
import { guideOf, knownProviders } from "./provider-guides.ts";

/** `flag`: the one of `app provider set`. */
type ProviderField = Field & { flag?: string };

const fields: ProviderField[] = [
  {
    name: "name",
    label: "Name",
    hint: "Lower-case letters, digits and dashes, such as corp. Part of the redirect URI, and on the button.",
  },
  { name: "clientId", label: "Client ID", flag: "--client-id" },
  {
    name: "secret",
    label: "Client secret",
    hint: "Stored encrypted and never shown.",
    kind: "secret",
  },
  { name: "issuer", label: "Issuer", hint: "For a provider of your own: its OpenID Connect issuer.", flag: "--issuer" },
  { name: "privateKey", label: "Key of Apple", hint: "The .p8 file.", kind: "secret-lines" },
  { name: "teamId", label: "Team ID of Apple", flag: "--team-id" },
  { name: "keyId", label: "Key ID of Apple", flag: "--key-id" },
  {
    name: "trustsEmail",
    label: "Verified addresses",
    hint: "Only for a provider of your own.",
    kind: "one-of",
    options: [
      ["", "As usual"],
      ["on", "Trusted"],
      ["off", "Not trusted"],
    ],
    flag: "--trusts-email",
  },
  {
    name: "trustsSecondFactor",
    label: "Claim of its second factor",
    hint: "Only for a provider of your own, such as amr=mfa.",
    flag: "--trusts-second-factor",
  },
  {
    name: "emailClaim",
    label: "Claim of the address",
    hint: "If it is not email, such as preferred_username. The address then counts as unverified.",
    flag: "--email-claim",
  },
  {
    name: "authorizationUrl",
    label: "Authorization URL",
    hint: "Instead of the provider's.",
    flag: "--authorization-url",
  },
  { name: "tokenUrl", label: "Token URL", hint: "Instead of the provider's.", flag: "--token-url" },
  { name: "userinfoUrl", label: "Userinfo URL", hint: "Instead of the provider's.", flag: "--userinfo-url" },
  { name: "jwksUrl", label: "URL of its public keys", hint: "Instead of the provider's.", flag: "--jwks-url" },
  {
    name: "keepIdentities",
    label: "Existing identities",
    kind: "some-of",
    options: [["keep", "The new endpoints serve the same accounts: links keep working"]],
  },
];

const secrets: SecretField[] = fields.flatMap(({ name, label, kind }) =>
  kind === "secret" || kind === "secret-lines" ? [{ name, label, kind }] : [],
);

/** What can be changed of a provider that is set. */
const editFields = fields.filter(({ name }) => name !== "name");
const edits = editFields
  .filter(({ name }) => name !== "keepIdentities")
  .map((field) => ({ ...field, ...editOf(field) }));

function editOf({ name, kind }: Field): Pick<Edit<ProviderInput, Partial<ProviderInput>>, "of" | "change"> {
  if (kind?.startsWith("secret")) return { of: () => "", change: (value) => ({ secret: value }) };
  if (name === "trustsEmail")
    return {
      of: ({ trustsEmail }) => (trustsEmail === undefined ? "" : trustsEmail ? "on" : "off"),
      change: (value) => ({ trustsEmail: value === "" ? undefined : value === "on" }),
    };
  const field = name as Exclude<keyof ProviderInput, "trustsEmail">;
  const isRequired = field === "clientId";
  return {
    of: (input) => input[field] ?? "",
    change: (value) => ({ [field]: value === "" && !isRequired ? undefined : value }),
  };
}

async function showList(ctx: Context, visit: Visit, application: Application): Promise<Answer> {
  const list = await providers.list(ctx, application.id);
  const { request } = visit;
  const examines = request.method === "GET" && request.query().has("examine");
  const findings = [
    ...providerFindings(
      application,
      list.map(({ name }) => name),
    ),
    ...(examines
      ? [
          ...issuerFindings(application.id, await providers.tryIssuers(ctx, application.id)),
          ...strandedFindings(application.id, await providers.strandedIdentities(ctx, application.id)),
        ]
      : []),
  ];
  return applicationPage(ctx, visit, application, {
    tab: "Providers",
    body: html`${tiles(application, list)} ${part("Checks", doctorSays(application, findings, examines))}`,
  });
}

function pathOfProvider(application: Application, name: string): string {
  return applicationPath(application, `/providers/${encodeURIComponent(name)}`);
}

/** Those that are set, then those that can be. */
function tiles(application: Application, list: readonly ProviderAnswer[]): Html {
  const others = knownProviders.filter((known) => list.every(({ name }) => name !== known));
  const tile = (path: string, mark: string, name: string, beneath: HtmlValue): Html =>
    html`<li>
      <a class="tile" href="${path}"
        >${providerMark(mark)} <b>${shown(name)}</b> <span class="quiet">${beneath}</span></a
      >
    </li>`;
  return html`${
    list.length > 0 &&
    part(
      "On the sign-in page",
      html`<ul class="tiles" data-live="providers">
        ${list.map(({ name, displayName, enabled, updatedAt }) =>
          tile(
            pathOfProvider(application, name),
            name,
            displayName,
            enabled ? html`changed ${instant(updatedAt)}` : state("not offered", "bad"),
          ),
        )}
      </ul>`,
    )
  }
  ${part(
    list.length > 0 ? "Add another" : "Choose a provider",
    html`<ul class="tiles">
      ${others.map((name) => tile(pathOfProvider(application, name), name, providerDisplayName(name), ""))}
      ${tile(applicationPath(application, "/own-provider"), "", "Another one", "any with OpenID Connect")}
    </ul>`,
  )}`;
}

/** The page of one provider, set or not; `name` is empty for a new one of the operator's own. */
async function show(
  ctx: Context,
  visit: Visit,
  application: Application,
  name: string,
  answered?: Answered,
): Promise<Answer> {
  const current = (await providers.list(ctx, application.id)).find((each) => each.name === name);
  const isNewOwn = name === "";
  const values = current ? await valuesOfSet(ctx, application, name) : {};
  const title = isNewOwn ? "Another provider" : providerDisplayName(name);
  const callback = copyable(`${ctx.baseUrl}/oauth/${name === "" ? "NAME" : name}/callback`);
  const guide = guideOf(name, callback);
  const needed = fields.filter((field) => guide.fields.includes(field.name) && (isNewOwn || field.name !== "name"));
  const advanced = fields
    .filter(({ name: field }) => !guide.fields.includes(field) && field !== "name")
    .filter(({ name: field }) => guide.advanced.includes(field) || (values[field] ?? "") !== "")
    .concat(current ? fields.filter((field) => field.name === "keepIdentities") : []);
  const shownFields = [...needed, ...advanced.map((field) => ({ ...field, isAdvanced: true }))];
  return applicationPage(ctx, visit, application, {
    tab: "Providers",
    beneath: title,
    status: answered?.refusal ? 422 : 200,
    beside: current && (current.enabled ? state("offered", "good") : state("not offered", "bad")),
    ...(current && { acts: { more: [removal(visit, application, current)] } }),
    body: html`<div class="halves">
        <div>
          ${part(
            `1. In the console of ${isNewOwn ? "the provider" : title}`,
            html`<ol class="steps">
              ${guide.steps.map((step) => html`<li>${step}</li>`)}
            </ol>`,
          )}
        </div>
        <div>
          ${part(
            "2. Here",
            html`${
              openFieldForm(visit, current ? update : set, {
                parameters: { appId: application.id, provider: name },
                label: "Save",
                title: isNewOwn ? "Set a provider" : `${current ? "Change" : "Set"} ${title}`,
                about: current
                  ? "Takes effect at once. People stay linked to their accounts there."
                  : "Offers it on the sign-in page. No restart is needed.",
                fields: current ? shownFields.map(withKeptSecret) : shownFields,
                values,
                more: isNewOwn || current ? undefined : html`<input type="hidden" name="name" value="${name}" />`,
                answered,
                check: "Check",
              }) ?? html`<p class="none">An owner sets it.</p>`
            }`,
          )}
          ${
            current &&
            mayDo(visit.operator, "owner") &&
            part(
              "3. Try it",
              html`<p><a class="button second" href="${applicationPath(application, "/try")}">Try a sign-in</a></p>`,
            )
          }
        </div>
      </div>
      ${current && (await changesPart(ctx, visit, `${application.id}/${name}`))}`,
  });
}

/** Without the secret. */
async function valuesOfSet(ctx: Context, { id }: Application, name: string): Promise<Values> {
  const found = (await providers.settings(ctx, id)).find((each) => each.name === name);
  return found ? valuesOf(edits, inputOf(found)) : {};
}

function withKeptSecret(field: Field): Field {
  if (!field.kind?.startsWith("secret")) return field;
  return { ...field, hint: "Empty: the stored one is kept. Enter it again if it goes to another address." };
}

function removal(visit: Visit, { id: appId }: Application, { name, displayName }: ProviderAnswer) {
  return actForm(visit, remove, {
    parameters: { appId, provider: name },
    label: "Remove",
    about: `Removes ${displayName} and its secret. Users who can sign in only with it are locked out.`,
    command: ["app", "provider", "remove", appId, name],
    isGrave: true,
  });
}

function doctorSays(application: Application, findings: Finding[], isExamined: boolean): Html {
  return html`${
    findings.length === 0
      ? html`<p>
          Every offered provider has
          credentials.${isExamined && " Issuers of your own answer, and linked identities belong to them."}
        </p>`
      : findings.map(
          ({ message, fix }) =>
            html`<p class="problem">${shown(message)}</p>
              <p class="hint">Fix: ${shown(fix ?? "")}</p>`,
        )
  }
  ${!isExamined && html`<p><a href="${applicationPath(application, "/providers")}?examine=yes">Also contact the issuers and check linked identities</a></p>`}`;
}

function inputFrom(values: Values): ProviderInput {
  const given = edits.filter(({ name }) => (values[name] ?? "") !== "");
  return { clientId: "", secret: "", ...mergedChange(given, values), name: values["name"] ?? "" };
}

/** Without the secret, which the command reads from a file. */
function commandFor({ id }: Application, values: Values): string[] {
  const flags = fields.flatMap(({ name, flag }) => {
    const value = values[name] ?? "";
    return flag === undefined || value === "" ? [] : [flag, value];
  });
  const hasKey = values["name"] === "apple" || (values["privateKey"] ?? "") !== "";
  const secret = hasKey ? "--private-key-file" : "--client-secret-file";
  const keep = values["keepIdentities"] === "" ? [] : ["--keep-identities"];
  return ["app", "provider", "set", id, values["name"] ?? "", ...flags, secret, "FILE", ...keep];
}

export const page = view("/applications/:appId/providers", "viewer", async (ctx, visit) => {
  return await showList(ctx, visit, await applicationIn(ctx, visit, visit.request.parameter("appId")));
});

export const own = view("/applications/:appId/own-provider", "viewer", async (ctx, visit) => {
  return await show(ctx, visit, await applicationIn(ctx, visit, visit.request.parameter("appId")), "");
});

export const one = view("/applications/:appId/providers/:provider", "viewer", async (ctx, visit) => {
  const application = await applicationIn(ctx, visit, visit.request.parameter("appId"));
  const name = await shownName(ctx, application, visit.request.parameter("provider"));
  if (name === "") throw providers.providerNotFound();
  return await show(ctx, visit, application, name);
});

type Saving = { name: string; form: Edited; input: ProviderInput | ProviderEdit; isNew: boolean };

/** Sets it, or only checks it, and tries its issuer. */
async function save(
  ctx: Context,
  post: Post,
  application: Application,
  { name, form, input, isNew }: Saving,
): Promise<Answer> {
  const dryRun = post.form.has("check");
  const options = { dryRun, keepIdentities: form.values["keepIdentities"] !== "" };
  const again = async (answered: Omit<Answered, "values">): Promise<Answer> =>
    await show(ctx, post, application, await shownName(ctx, application, name), { ...form, ...answered });
  try {
    await providers.set(ctx, application.id, input, post.by.actor, options);
  } catch (error) {
    return await again({ refusal: fieldRefusalOf(fields, error) });
  }
  const seen = saidOf(await providers.tryIssuer(ctx, { ...inputFrom(form.values), name }));
  const notice = `The provider was ${isNew ? "set" : "changed"}.${seen}`;
  if (!dryRun) return done(ctx, post, pathOfProvider(application, name), notice);
  const secret = isNew ? "Enter the secret again" : "If you entered a secret, enter it again";
  const command = commandFor(application, { ...form.values, name });
  return await again({ command, note: `This can be saved.${seen} ${secret}: it is not kept.` });
}

// A provider can sign in as any of its users.
export const set = act(
  "/applications/:appId/providers",
  "owner",
  "passkey",
  async (ctx, post) => {
    const application = await applicationIn(ctx, post, post.request.parameter("appId"));
    const form = edited(fields, post);
    const name = (form.values["name"] ?? "").toLowerCase();
    return await save(ctx, post, application, { name, form, input: inputFrom(form.values), isNew: true });
  },
  { secrets },
);

export const update = act(
  "/applications/:appId/providers/:provider",
  "owner",
  "passkey",
  async (ctx, post) => {
    const application = await applicationIn(ctx, post, post.request.parameter("appId"));
    const name = await shownName(ctx, application, post.request.parameter("provider"));
    if (name === "") throw providers.providerNotFound();
    const form = edited(editFields, post);
    if (changedSettings(edits, form).length === 0 && form.values["keepIdentities"] === "")
      return await show(ctx, post, application, name, { ...form, note: "You have not changed anything in this form." });
    const onto = changeOnto(edits, form);
    const change = (present: ProviderInput): ProviderInput => ({ ...present, ...onto(present) });
    return await save(ctx, post, application, { name, form, input: { name, change }, isNew: false });
  },
  { secrets },
);

/** Whose page a form comes from: a name that is neither known nor set is asked for. */
async function shownName(ctx: Context, { id }: Application, name: string): Promise<string> {
  const isSet = (await providers.list(ctx, id)).some((each) => each.name === name);
  return isSet || isKnownProvider(name) ? name : "";
}

/** The result of checking its issuer. */
function saidOf(tried: { problem: string | null } | undefined): string {
  if (!tried) return "";
  return tried.problem === null
    ? " Its issuer answers."
    : ` But nobody can sign in with it yet: checking its issuer failed (${tried.problem}).`;
}

export const remove = act("/applications/:appId/providers/:provider/remove", "owner", "passkey", async (ctx, post) => {
  const application = await applicationIn(ctx, post, post.request.parameter("appId"));
  await providers.remove(ctx, application.id, post.request.parameter("provider"), post.by.actor);
  return done(ctx, post, applicationPath(application, "/providers"), "The provider was removed.");
});
