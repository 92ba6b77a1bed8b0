import type { Application } from "../../applications/application.ts";
import * as providers from "../../applications/providers/provider-clients.ts";
import type { ProviderAnswer } from "../../applications/providers/provider-clients.ts";
import type { ProviderInput } from "../../applications/providers/provider-input.ts";
import type { Answer } from "../../http/answer.ts";
import { html, type Html } from "../../lib/html.ts";
import type { Finding } from "../../upkeep/doctor/finding.ts";
import { issuerFindings, providerFindings, strandedFindings } from "../../upkeep/doctor/rules.ts";
import type { Context } from "../../runtime/context.ts";
import { changesOfOpened } from "../audit/changes-part.ts";
import { actForm } from "../parts/act-form.ts";
import { actColumn } from "../parts/act-list.ts";
import { copyable } from "../parts/command-line.ts";
import { facts, instant, part, shown, state } from "../parts/data.ts";
import { before, entered, fieldForm, fieldRefusalOf, type Answered, type Field, type Values } from "../parts/fields.ts";
import { done } from "../parts/notice.ts";
import { act, view, type Visit } from "../route.ts";
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

async function show(ctx: Context, visit: Visit, application: Application, answered?: Answered): Promise<Answer> {
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
  const changes = await changesOfOpened(ctx, visit, (open) =>
    list.some(({ name }) => name === open) ? `${application.id}/${open}` : undefined,
  );
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
        answered,
        check: "Check",
      }),
    },
    body: html`${part("Providers", html`<div data-live="providers">${providerTable(visit, application, list, changes)}</div>`)}
    ${part("Checks", doctorSays(application, findings, examines))}`,
  });
}

/** `changes`: of the opened one. */
function providerTable(visit: Visit, { id: appId }: Application, list: ProviderAnswer[], changes?: Html): Html {
  return table(
    "Providers",
    list,
    [
      { heading: "Provider", cell: (row) => html`${shown(row.displayName)} <code>${row.name}</code>` },
      { heading: "Client ID", leaves: 3, cell: ({ clientId }) => shown(clientId) },
      { heading: "Offered", fit: "state", cell: ({ enabled }) => (enabled ? state("yes", "good") : state("no")) },
      { heading: "Changed", fit: "time", leaves: 2, cell: ({ updatedAt }) => instant(updatedAt) },
      ...actColumn(list, ({ name }) => [
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
        html`${facts([
          ["Client ID", copyable(clientId)],
          ["Callback address, to register there", copyable(callbackUrl)],
        ])}
        ${changes}`,
    },
  );
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
  const secret = values["privateKey"] === "" ? "--client-secret-file" : "--private-key-file";
  const keep = values["keepIdentities"] === "" ? [] : ["--keep-identities"];
  return ["app", "provider", "set", id, values["name"] ?? "", ...flags, secret, "FILE", ...keep];
}

export const page = view("/applications/:appId/providers", "viewer", async (ctx, visit) => {
  return await show(ctx, visit, await applicationIn(ctx, visit, visit.request.parameter("appId")));
});

// A provider can sign in as any of its users.
export const set = act("/applications/:appId/providers", "owner", "passkey", async (ctx, post) => {
  const application = await applicationIn(ctx, post, post.request.parameter("appId"));
  const [values, was] = [entered(fields, post), before(fields, post)];
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
});

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
