import type { Application } from "../../applications/application.ts";
import { clientAnswer, clientNotFound, type ClientAnswer } from "../../applications/clients/client.ts";
import { configurationFor, programs } from "../../applications/clients/configurations.ts";
import type { NewClient } from "../../applications/clients/rules.ts";
import * as clientLogos from "../../applications/clients/logo.ts";
import * as clientSecrets from "../../applications/clients/secrets.ts";
import type { NewSecretAnswer, SecretAnswer } from "../../applications/clients/secrets.ts";
import * as clients from "../../applications/clients/service.ts";
import { proxyNames } from "../../forward-auth/blocks/block.ts";
import type { Answer } from "../../http/answer.ts";
import { AppError } from "../../lib/errors.ts";
import { html, type Html, type HtmlValue } from "../../lib/html.ts";
import * as pictures from "../../pictures/service.ts";
import type { Context } from "../../runtime/context.ts";
import { changesPart } from "../audit/changes-part.ts";
import { actForm } from "../parts/act-form.ts";
import { actColumn, actList, type PageActs } from "../parts/act-list.ts";
import { commandLine, copyable } from "../parts/command-line.ts";
import { facts, instant, instantOrNever, part, problem, shortId, shown, state } from "../parts/data.ts";
import { changedSettings, changeOnto, edited, mergedChange, valuesOf, wordsOf } from "../parts/edit.ts";
import { entered, fieldForm, fieldRefusalOf, explained, selectField, type Answered } from "../parts/fields.ts";
import { filterForm } from "../parts/filter-form.ts";
import { organizationPath } from "../organizations/organization-page.ts";
import { done } from "../parts/notice.ts";
import { logoActsOf, logoPart } from "../parts/picture-form.ts";
import type { FormRefusal } from "../parts/refusal.ts";
import { act, view, type Post, type Visit } from "../route.ts";
import { applicationIn } from "../scope.ts";
import { applicationPage, applicationPath, pageOf, secretPage } from "./application-frame.ts";
import { clientSettings, newClientDefaults, newClientSettings } from "./client-settings.ts";
import { overlap, overlapOf, stateOf } from "./key-pages.ts";
import { clientAccess, ifItOpensAccess } from "./opens-access.ts";
import { programTiles } from "./program-pages.ts";
import { table } from "../parts/table.ts";

type AnsweredForm = Answered & { form: "update" | "rotate" };

function clientPath(application: Application, { id }: { id: string }): string {
  return applicationPath(application, `/clients/${encodeURIComponent(id)}`);
}

/** A client of an application that the operator may see. Throws APP_NOT_FOUND, CLIENT_NOT_FOUND. */
async function clientIn(ctx: Context, visit: Visit): Promise<{ application: Application; client: ClientAnswer }> {
  const application = await applicationIn(ctx, visit, visit.request.parameter("appId"));
  const client = await clients.get(ctx, visit.request.parameter("clientId"));
  if (client.appId !== application.id || client.id === application.id) throw clientNotFound();
  return { application, client };
}

async function showList(ctx: Context, visit: Visit, application: Application, answered?: Answered): Promise<Answer> {
  const { shown: rows, next } = pageOf(
    visit,
    applicationPath(application, "/clients"),
    await clients.list(ctx, application.id),
  );
  return applicationPage(ctx, visit, application, {
    tab: "Clients",
    status: answered?.refusal ? 422 : 200,
    acts: {
      primary: fieldForm(visit, create, {
        parameters: { appId: application.id },
        label: "Create a client",
        title: "Create a client, with every setting",
        about:
          "A program that signs in users of this application. A server program gets a secret, which is shown once.",
        fields: newClientSettings(application),
        values: newClientDefaults(application),
        answered,
        check: "Check",
      }),
    },
    body: html`${part("OpenID Connect clients", html`${list(application, rows)} ${next}`)}
    ${part("Connect a program", programTiles(application))}`,
  });
}

function list(application: Application, rows: readonly ClientAnswer[]): Html {
  return table(
    "Clients",
    rows,
    [
      { heading: "Name", cell: (row) => html`<a href="${clientPath(application, row)}">${shown(row.name)}</a>` },
      { heading: "Client ID", cell: (row) => html`<code>${row.id}</code>` },
      { heading: "Kind", fit: "state", leaves: 2, cell: ({ kind }) => kind },
      { heading: "State", fit: "state", cell: stateOfClient },
      {
        heading: "Last used",
        fit: "time",
        leaves: 3,
        cell: ({ lastUsedAt }) => instantOrNever(lastUsedAt),
      },
    ],
    "No clients yet. The application itself is also one, with its App ID and its API keys.",
  );
}

function stateOfClient({ disabledAt }: ClientAnswer): Html {
  return disabledAt === null ? state("active", "good") : state("disabled", "bad");
}

/** The page shows the others under "Advanced". */
const frequentSettings: ReadonlySet<string> = new Set([
  "name",
  "redirectUris",
  "postLogoutRedirectUris",
  "scopes",
  "consent",
  "hosts",
  "access",
  "allowedGroups",
  "secondFactor",
]);

async function show(
  ctx: Context,
  visit: Visit,
  { application, client }: { application: Application; client: ClientAnswer },
  answered?: AnsweredForm,
  refusal?: FormRefusal,
): Promise<Answer> {
  const settings = clientSettings(application, client.kind);
  const values = valuesOf(settings, client);
  const shownSettings = (some: typeof settings): [string, HtmlValue][] =>
    some.map((setting) => [setting.label, explained(setting, values[setting.name] ?? "")]);
  const frequent = settings.filter(({ name }) => frequentSettings.has(name));
  const advanced = settings.filter((setting) => !frequent.includes(setting));
  const parameters = { appId: application.id, clientId: client.id };
  const logo = await pictures.shownOf(ctx, { clientId: client.id });
  return applicationPage(ctx, visit, application, {
    tab: "Clients",
    beneath: client.name,
    beside: stateOfClient(client),
    status: refusal?.status ?? (answered?.refusal ? 422 : 200),
    acts: endActs(visit, client),
    uploads: true,
    body: html`<div class="columns">
        <div>${part("To copy", toCopy(ctx, client))}</div>
        <div class="pairs">
          ${
            client.kind === "proxy"
              ? reverseProxyPart(client)
              : configurationPart(ctx, visit, client, clientPath(application, client))
          }
          ${part(
            "Settings",
            html`${facts([["Kind", client.kind], ["Organization", organizationLink(client)], ...shownSettings(frequent)])}
              <details>
                <summary>Advanced</summary>
                ${facts(shownSettings(advanced))}
              </details>`,
            actList([
              fieldForm(visit, update, {
                parameters,
                label: "Change",
                title: "Settings",
                press: "Save",
                about: "Takes effect at once.",
                fields: settings,
                values,
                answered: answered?.form === "update" ? answered : undefined,
                check: "Check",
              }),
            ]),
          )}
          ${client.kind === "web" && (await secretsPart(ctx, visit, client, answered?.form === "rotate" ? answered : undefined))}
          ${logoPart(visit, logoActs, refusal, {
            parameters,
            present: logo ? pictures.valueOf(logo.stored) : null,
            shown: logo,
            command: ["client", "update", client.id, "--logo-file"],
            removeCommand: ["client", "update", client.id, "--logo-file", ""],
            none: "None. The page that asks for consent shows it beside the name.",
          })}
        </div>
      </div>
      ${await changesPart(ctx, visit, client.id)}`,
  });
}

function organizationLink({ appId, organizationId: id }: ClientAnswer): Html | undefined {
  return id === undefined
    ? undefined
    : html`<a href="${organizationPath({ appId, id })}">${shortId(id, { copies: false })}</a>`;
}

export const logoActs = logoActsOf("/applications/:appId/clients/:clientId/logo", {
  find: clientIn,
  change: async (ctx, { client }, change, by) => await clientLogos.change(ctx, client.id, change, by),
  show: async (ctx, post, found, refusal) => await show(ctx, post, found, undefined, refusal),
  pathOf: ({ application, client }) => clientPath(application, client),
});

function toCopy({ baseUrl }: Context, { id, kind, hosts, redirectUris }: ClientAnswer): Html {
  if (kind === "proxy")
    return facts([
      ["Client ID", copyable(id)],
      ["Hosts", (hosts ?? []).map((host) => copyable(`https://${host}`))],
    ]);
  return facts([
    ["Client ID", copyable(id)],
    ["Issuer", copyable(baseUrl)],
    ["Discovery", copyable(`${baseUrl}/.well-known/openid-configuration`)],
    ["Authorization endpoint", copyable(`${baseUrl}/oauth2/authorize`)],
    ["Token endpoint", copyable(`${baseUrl}/oauth2/token`)],
    ["Userinfo endpoint", copyable(`${baseUrl}/oauth2/userinfo`)],
    ["Logout endpoint", copyable(`${baseUrl}/oauth2/end-session`)],
    ["Public keys", copyable(`${baseUrl}/.well-known/jwks.json`)],
    ["Redirect URIs", redirectUris.map(copyable)],
  ]);
}

function configurationPart(ctx: Context, visit: Visit, client: ClientAnswer, path: string): Html {
  const { request } = visit;
  const asked = request.method === "GET" ? (request.query().get("for") ?? "generic") : "generic";
  const program = programs.find((name) => name === asked);
  const options = programs.map((name) => [name, name] as const);
  const configuration = program && configurationFor(program, client, ctx.baseUrl);
  return part(
    "Configuration of a program",
    html`${filterForm(
      visit,
      path,
      html`${selectField("Program", "for", options, program)} <button class="button second">Show</button>`,
    )}
    ${!configuration && problem("Program not found.")}
    ${
      program &&
      configuration &&
      html`<pre tabindex="0" aria-label="Configuration of ${program}">${configuration.text}</pre>
        ${configuration.missing.map((sentence) => html`<p class="hint">${sentence}</p>`)}
        ${commandLine(["client", "show", client.id, "--for", program])}`
    }`,
  );
}

/** The address of the program is known only where the proxy runs: the command takes it. */
function reverseProxyPart({ id }: ClientAnswer): Html {
  const choices = ["--for", "nginx", "--upstream", "http://127.0.0.1:8384"];
  return part(
    "Reverse proxy",
    html`<p>
        What the proxy of each host needs. --for is ${proxyNames.join(", ")}; --upstream is where the proxy reaches the
        program.
      </p>
      ${commandLine(["client", "show", id, ...choices])}
      <p>Then see whether strangers get in:</p>
      ${commandLine(["client", "check", id])}`,
  );
}

async function secretsPart(ctx: Context, visit: Visit, client: ClientAnswer, answered?: Answered): Promise<Html> {
  const { id: clientId, appId } = client;
  const parameters = { appId, clientId };
  const secrets = (await clientSecrets.listSecrets(ctx, clientId)).toReversed().slice(0, 50);
  const secretList = table<SecretAnswer>(
    "Client secrets",
    secrets,
    [
      { heading: "Secret ID", fit: "id", cell: ({ id }) => shortId(id) },
      { heading: "State", cell: stateOf },
      { heading: "Created", fit: "time", leaves: 3, cell: ({ createdAt }) => instant(createdAt) },
      ...actColumn(secrets, (secret) => [
        secret.state === "live"
          ? actForm(visit, revokeSecret, {
              parameters: { ...parameters, secretId: secret.id },
              label: "Revoke",
              about: `Revokes ${secret.id}: the next call with it is refused.`,
              command: ["client", "secret", "revoke", secret.id],
              isGrave: true,
            })
          : undefined,
      ]),
    ],
    "There is no secret.",
  );
  return part(
    "Secrets",
    secretList,
    actList([
      actForm(visit, createSecret, {
        parameters,
        label: "Create a secret",
        about: "Creates another secret, which is shown once. Existing secrets keep working.",
        command: ["client", "secret", "create", clientId],
      }),
      fieldForm(visit, rotateSecret, {
        parameters,
        label: "Replace all secrets",
        about: "Creates a secret, which is shown once. The others stop working after the overlap.",
        fields: [overlap],
        values: { overlap: "24h" },
        answered,
        command: ["client", "secret", "rotate", clientId, "--overlap", "24h"],
      }),
    ]),
  );
}

function endActs(visit: Visit, { id: clientId, appId, disabledAt }: ClientAnswer): PageActs {
  const isOn = disabledAt === null;
  const parameters = { appId, clientId };
  const switching = actForm(visit, isOn ? disable : enable, {
    parameters,
    label: isOn ? "Disable" : "Enable",
    about: isOn
      ? `Nobody can sign in or refresh with ${clientId} until it is enabled.`
      : `People can sign in with ${clientId} again.`,
    command: ["client", "update", clientId, "--enabled", isOn ? "off" : "on"],
    isGrave: isOn,
  });
  const deleting = actForm(visit, remove, {
    parameters,
    label: "Delete the client",
    about: `Deletes ${clientId} and ends the logins that it began. Its ID cannot be reused.`,
    command: ["client", "delete", clientId],
    isGrave: true,
  });
  return isOn ? { more: [switching, deleting] } : { primary: switching, more: [deleting] };
}

async function newSecretPage(
  ctx: Context,
  post: Post,
  application: Application,
  secret: Pick<NewSecretAnswer, "clientId" | "secret"> & { id?: string },
): Promise<Answer> {
  return await secretPage(ctx, post, application, {
    tab: "Clients",
    title: "The secret was created",
    name: "Client secret",
    text: secret.secret,
    ids: [
      ["Client ID", secret.clientId],
      ...(secret.id === undefined ? [] : [["Secret ID", secret.id] as [string, string]]),
      ["Issuer", ctx.baseUrl],
    ],
    next: html``,
    back: clientPath(application, { id: secret.clientId }),
  });
}

export const listPage = view("/applications/:appId/clients", "viewer", async (ctx, visit) => {
  return await showList(ctx, visit, await applicationIn(ctx, visit, visit.request.parameter("appId")));
});

export const page = view("/applications/:appId/clients/:clientId", "viewer", async (ctx, visit) => {
  return await show(ctx, visit, await clientIn(ctx, visit));
});

export const create = act("/applications/:appId/clients", "owner", "passkey", async (ctx, post) => {
  const application = await applicationIn(ctx, post, post.request.parameter("appId"));
  const settings = newClientSettings(application);
  const { values, was } = edited(settings, post);
  const changed = changedSettings(settings, { values, was });
  const dryRun = post.form.has("check");
  try {
    const change = mergedChange<Partial<NewClient>>(changed, values);
    const input = { name: values["name"] ?? "", ...change, appId: application.id };
    const { client, secret } = await clients.create(ctx, input, {}, { actor: post.by.actor, dryRun });
    if (dryRun) {
      const command = ["client", "create", "--app", application.id, ...wordsOf(changed, values)];
      return await showList(ctx, post, application, { values, was, command, note: "This can be created." });
    }
    return secret === null
      ? done(ctx, post, clientPath(application, client), "The client was created.")
      : await newSecretPage(ctx, post, application, { clientId: client.id, secret });
  } catch (error) {
    return await showList(ctx, post, application, { values, was, refusal: fieldRefusalOf(settings, error) });
  }
});

export const update = act(
  "/applications/:appId/clients/:clientId/settings",
  "owner",
  ifItOpensAccess(clientAccess, async (ctx, post) => {
    const { application, client } = await clientIn(ctx, post);
    return clientSettings(application, client.kind);
  }),
  async (ctx, post) => {
    const found = await clientIn(ctx, post);
    const { application, client } = found;
    const settings = clientSettings(application, client.kind);
    const form = { form: "update", ...edited(settings, post) } as const;
    const changed = changedSettings(settings, form);
    if (changed.length === 0)
      return await show(ctx, post, found, { ...form, note: "You have not changed anything in this form." });
    const dryRun = post.form.has("check");
    try {
      const change = changeOnto(settings, form);
      await clients.update(ctx, client.id, (current) => change(clientAnswer(current)), {
        actor: post.by.actor,
        dryRun,
      });
    } catch (error) {
      const refusal = fieldRefusalOf(settings, error);
      // Read again: somebody else may have changed it.
      return await show(ctx, post, await clientIn(ctx, post), { ...form, refusal });
    }
    if (!dryRun) return done(ctx, post, clientPath(application, client), "The client was changed.");
    const command = ["client", "update", client.id, ...wordsOf(changed, form.values)];
    return await show(ctx, post, found, { ...form, command, note: "This can be saved. Nothing has changed yet." });
  },
);

async function switchTo(ctx: Context, post: Post, enabled: boolean): Promise<Answer> {
  const { application, client } = await clientIn(ctx, post);
  await clients.update(ctx, client.id, { enabled }, { actor: post.by.actor });
  return done(ctx, post, clientPath(application, client), enabled ? "The client is on." : "The client is off.");
}

export const disable = act(
  "/applications/:appId/clients/:clientId/disable",
  "owner",
  "nothing",
  async (ctx, post) => await switchTo(ctx, post, false),
);

export const enable = act(
  "/applications/:appId/clients/:clientId/enable",
  "owner",
  "passkey",
  async (ctx, post) => await switchTo(ctx, post, true),
);

export const remove = act("/applications/:appId/clients/:clientId/delete", "owner", "nothing", async (ctx, post) => {
  const { application, client } = await clientIn(ctx, post);
  await clients.remove(ctx, client.id, { actor: post.by.actor });
  return done(ctx, post, applicationPath(application, "/clients"), "The client was deleted.");
});

export const createSecret = act(
  "/applications/:appId/clients/:clientId/secrets",
  "owner",
  "passkey",
  async (ctx, post) => {
    const { application, client } = await clientIn(ctx, post);
    return await newSecretPage(
      ctx,
      post,
      application,
      await clientSecrets.createSecret(ctx, { clientId: client.id }, post.by.actor),
    );
  },
);

export const rotateSecret = act(
  "/applications/:appId/clients/:clientId/secrets/rotate",
  "owner",
  "passkey",
  async (ctx, post) => {
    const found = await clientIn(ctx, post);
    const { application, client } = found;
    const values = entered([overlap], post);
    try {
      const input = { clientId: client.id, overlap: overlapOf(values["overlap"] ?? "") };
      return await newSecretPage(ctx, post, application, await clientSecrets.rotateSecret(ctx, input, post.by.actor));
    } catch (error) {
      return await show(ctx, post, found, { form: "rotate", values, refusal: fieldRefusalOf([overlap], error) });
    }
  },
);

export const revokeSecret = act(
  "/applications/:appId/clients/:clientId/secrets/:secretId/revoke",
  "owner",
  "nothing",
  async (ctx, post) => {
    const { application, client } = await clientIn(ctx, post);
    const secretId = post.request.parameter("secretId");
    const own = await clientSecrets.listSecrets(ctx, client.id);
    if (!own.some(({ id }) => id === secretId))
      throw new AppError("KEY_NOT_FOUND", "There is no client secret with this id.");
    await clientSecrets.revokeSecret(ctx, secretId, post.by.actor);
    return done(ctx, post, clientPath(application, client), "The secret was revoked.");
  },
);
