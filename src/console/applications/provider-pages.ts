import type { Application } from "../../applications/application.ts";
import * as providers from "../../applications/providers/provider-clients.ts";
import type { ProviderAnswer } from "../../applications/providers/provider-clients.ts";
import type { ProviderInput } from "../../applications/providers/provider-input.ts";
import { isKnownProvider } from "../../applications/providers/providers.ts";
import type { Answer } from "../../http/answer.ts";
import { html, type Html } from "../../lib/html.ts";
import type { Finding } from "../../upkeep/doctor/finding.ts";
import { issuerFindings, providerFindings, strandedFindings } from "../../upkeep/doctor/rules.ts";
import type { Context } from "../../runtime/context.ts";
import { actForm, type ActButton } from "../parts/act-form.ts";
import { actColumn } from "../parts/act-list.ts";
import { copyable } from "../parts/command-line.ts";
import { facts, instant, part, shown, state } from "../parts/data.ts";
import { changeOnto, edited, valuesOf, type Edit } from "../parts/edit.ts";
import { fieldForm, fieldRefusalOf, type Answered, type Field, type Values } from "../parts/fields.ts";
import { done } from "../parts/notice.ts";
import { act, view, type SecretField, type Visit } from "../route.ts";
import { applicationIn } from "../scope.ts";
import { applicationPage, applicationPath } from "./application-frame.ts";
import { table } from "../parts/table.ts";

/** `flag`: the one of `app provider set`. */
type ProviderField = Field & { flag?: string };

const fields: ProviderField[] = [
  {
    name: "name",
    label: "Provider",
    hint: "google, github, microsoft, apple, discord, facebook, or a name of your own.",
  },
  { name: "clientId", label: "Client ID", flag: "--client-id" },
  {
    name: "secret",
    label: "Client secret",
    hint: "Stored encrypted and never shown. For Apple, enter the key below instead.",
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

/** The fields of a provider that is set, without those of other kinds of provider. */
function editFields(provider: string): (ProviderField & Edit<ProviderInput, Partial<ProviderInput>>)[] {
  const isApple = provider === "apple";
  const others = [
    ...(isApple ? ["secret"] : ["privateKey", "teamId", "keyId"]),
    ...(isKnownProvider(provider) ? ["issuer", "trustsEmail", "trustsSecondFactor"] : []),
  ];
  return fields
    .filter(({ name }) => !["name", "keepIdentities", ...others].includes(name))
    .map((field) => ({ ...field, ...(field.kind?.startsWith("secret") ? secretEdit : editOf(field.name)) }));
}

const secretEdit = {
  hint: "Stored encrypted and never shown. Empty: as it is.",
  of: () => "",
  change: (value: string): Partial<ProviderInput> => ({ secret: value }),
};

function editOf(name: string): Pick<Edit<ProviderInput, Partial<ProviderInput>>, "of" | "change"> {
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

/** `provider`: the one whose form was answered; undefined for that of a new one. */
type AnsweredForm = Answered & { provider?: string };

async function show(ctx: Context, visit: Visit, application: Application, answered?: AnsweredForm): Promise<Answer> {
  const list = await providers.list(ctx, application.id);
  const inputs = await providers.inputs(ctx, application.id);
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
    status: answered?.refusal ? 422 : 200,
    acts: {
      primary: fieldForm(visit, set, {
        parameters: { appId: application.id },
        label: "Set a provider",
        about:
          "Sets the client that you registered with the provider, or replaces it, and offers it on the sign-in page.",
        fields,
        values: {},
        answered: answered?.provider === undefined ? answered : undefined,
        check: "Check",
      }),
    },
    body: html`${part("Providers", html`<div data-live="providers">${providerTable(visit, application, { list, inputs }, answered)}</div>`)}
    ${part("Checks", doctorSays(application, findings, examines))}`,
  });
}

function providerTable(
  visit: Visit,
  { id: appId }: Application,
  { list, inputs }: { list: ProviderAnswer[]; inputs: Map<string, ProviderInput> },
  answered?: AnsweredForm,
): Html {
  return table(
    "Providers",
    list,
    [
      { heading: "Provider", cell: (row) => html`${shown(row.displayName)} <code>${row.name}</code>` },
      { heading: "Client ID", leaves: 3, cell: ({ clientId }) => shown(clientId) },
      { heading: "Offered", fit: "state", cell: ({ enabled }) => (enabled ? state("yes", "good") : state("no")) },
      { heading: "Changed", fit: "time", leaves: 2, cell: ({ updatedAt }) => instant(updatedAt) },
      ...actColumn(list, ({ name }) => [
        editForm(visit, appId, inputs.get(name), answered?.provider === name ? answered : undefined),
        actForm(visit, remove, {
          parameters: { appId, provider: name },
          label: "Remove",
          about: `Removes ${name} and its secret. Users who can sign in only with it are locked out.`,
          command: ["app", "provider", "remove", appId, name],
          isGrave: true,
        }),
      ]),
    ],
    "There are no providers yet.",
    {
      visit,
      idOf: ({ name }) => name,
      of: ({ clientId, callbackUrl }) =>
        facts([
          ["Client ID", copyable(clientId)],
          ["Callback address, to register there", copyable(callbackUrl)],
        ]),
    },
  );
}

function editForm(
  visit: Visit,
  appId: string,
  present: ProviderInput | undefined,
  answered: Answered | undefined,
): ActButton | undefined {
  if (!present) return undefined;
  const { name } = present;
  const settings = editFields(name);
  return fieldForm(visit, update, {
    parameters: { appId, provider: name },
    label: "Change",
    title: `Change ${name}`,
    press: "Save",
    about: "Takes effect at once. If another address gets the secret, enter the secret again.",
    fields: settings,
    values: valuesOf(settings, present),
    answered,
    check: "Check",
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
  const given = (name: string): string | undefined => (values[name] === "" ? undefined : values[name]);
  const { name = "", clientId = "", trustsEmail = "" } = values;
  return {
    name,
    clientId,
    secret: given("privateKey") ?? given("secret") ?? "",
    teamId: given("teamId"),
    keyId: given("keyId"),
    issuer: given("issuer"),
    authorizationUrl: given("authorizationUrl"),
    tokenUrl: given("tokenUrl"),
    userinfoUrl: given("userinfoUrl"),
    jwksUrl: given("jwksUrl"),
    trustsEmail: trustsEmail === "" ? undefined : trustsEmail === "on",
    trustsSecondFactor: given("trustsSecondFactor"),
    emailClaim: given("emailClaim"),
  };
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
  return await show(ctx, visit, await applicationIn(ctx, visit, visit.request.parameter("appId")));
});

// A provider can sign in as any of its users.
export const set = act(
  "/applications/:appId/providers",
  "owner",
  "passkey",
  async (ctx, post) => {
    const application = await applicationIn(ctx, post, post.request.parameter("appId"));
    const { values, was } = edited(fields, post);
    const dryRun = post.form.has("check");
    const options = { dryRun, keepIdentities: values["keepIdentities"] !== "" };
    try {
      await providers.set(ctx, application.id, inputFrom(values), post.by.actor, options);
    } catch (error) {
      return await show(ctx, post, application, { values, was, refusal: fieldRefusalOf(fields, error) });
    }
    const tried = await providers.tryIssuer(ctx, { ...inputFrom(values), name: (values["name"] ?? "").toLowerCase() });
    const seen = saidOf(tried);
    // With its callback address, which is registered next.
    const opened = new URLSearchParams({ open: inputFrom(values).name.toLowerCase() });
    const path = applicationPath(application, `/providers?${opened.toString()}`);
    if (!dryRun) return done(ctx, post, path, `The provider was set.${seen}`);
    const note = `This can be saved.${seen} Enter the secret again: it is not kept.`;
    return await show(ctx, post, application, { values, was, command: commandFor(application, values), note });
  },
  { secrets },
);

export const update = act(
  "/applications/:appId/providers/:provider",
  "owner",
  "passkey",
  async (ctx, post) => {
    const application = await applicationIn(ctx, post, post.request.parameter("appId"));
    const name = post.request.parameter("provider");
    const settings = editFields(name);
    const form = { provider: name, ...edited(settings, post) };
    const dryRun = post.form.has("check");
    try {
      const onto = changeOnto(settings, form);
      const change = (present: ProviderInput) => ({ ...present, ...onto(present) });
      await providers.set(ctx, application.id, { name, change }, post.by.actor, { dryRun });
    } catch (error) {
      return await show(ctx, post, application, { ...form, refusal: fieldRefusalOf(settings, error) });
    }
    if (!dryRun) return done(ctx, post, applicationPath(application, "/providers"), "The provider was changed.");
    const command = commandFor(application, { ...form.values, name, keepIdentities: "" });
    return await show(ctx, post, application, {
      ...form,
      command,
      note: "This can be saved. Nothing has changed yet.",
    });
  },
  { secrets },
);

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
