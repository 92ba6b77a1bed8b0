/** A client for a well-known program: choose it, type its address, paste what it needs. */
import type { Application } from "../../applications/application.ts";
import {
  clientOfProgram,
  configurationFor,
  programTitle,
  programs,
  type ProgramClient,
  type ProgramName,
} from "../../applications/clients/configurations.ts";
import * as clients from "../../applications/clients/service.ts";
import type { Answer } from "../../http/answer.ts";
import { AppError } from "../../lib/errors.ts";
import { html, type Html } from "../../lib/html.ts";
import type { Context } from "../../runtime/context.ts";
import { commandLine, pasted } from "../parts/command-line.ts";
import { part } from "../parts/data.ts";
import { entered, fieldRefusalOf, openFieldForm, type Answered, type Field } from "../parts/fields.ts";
import { act, view, type Visit } from "../route.ts";
import { applicationIn } from "../scope.ts";
import { applicationPage, applicationPath, secretPage } from "./application-frame.ts";

/** The programs, as tiles of the page of clients. */
export function programTiles(application: Application): Html {
  return html`<ul class="tiles">
    ${programs.map(
      (name) =>
        html`<li>
          <a class="tile" href="${pathOf(application, name)}"><b>${programTitle(name)}</b></a>
        </li>`,
    )}
  </ul>`;
}

function pathOf(application: Application, program: ProgramName): string {
  return applicationPath(application, `/programs/${program}`);
}

function fieldsOf(program: ProgramName): Field[] {
  const address: Field =
    program === "generic"
      ? { name: "address", label: "Redirect URI", hint: "Where the program receives people after they signed in." }
      : { name: "address", label: "Address", hint: `Where people open it, such as https://${exampleOf(program)}.` };
  return [
    { name: "name", label: "Name", hint: "Shown to people who are asked for their consent." },
    { ...address, refusedAs: "redirectUris" },
  ];
}

function exampleOf(program: ProgramName): string {
  return `${program.replaceAll("_", "-")}.example.com`;
}

async function show(
  ctx: Context,
  visit: Visit,
  application: Application,
  program: ProgramName,
  answered?: Answered,
): Promise<Answer> {
  const title = programTitle(program);
  return await applicationPage(ctx, visit, application, {
    tab: "Clients",
    beneath: title,
    status: answered?.refusal ? 422 : 200,
    body: html`${part(
      "Sign in",
      openFieldForm(visit, create, {
        parameters: { appId: application.id, program },
        label: "Create the client",
        about: `People then sign in to it with their account of ${application.name}. The next page has its secret, which is shown once, and what to paste.`,
        fields: fieldsOf(program),
        values: { name: program === "generic" ? "" : title },
        answered,
        check: "Check",
      }) ?? html`<p class="none">An owner sets it up.</p>`,
    )}
    ${program === "grafana" && part("Show the metrics of authsvc in Grafana", metricsSteps(ctx))}`,
  });
}

/** As in docs/operating.md. */
function metricsSteps({ config }: Context): Html {
  const port = config.metrics?.port ?? 9464;
  return html`<ol class="steps">
    ${!config.metrics && html`<li>In the configuration of authsvc, then restart it: ${pasted("Configuration", `metrics:\n  port: ${port}`)}</li>`}
    <li>
      In the configuration of Prometheus:
      ${pasted("Prometheus", `scrape_configs:\n  - job_name: authsvc\n    static_configs:\n      - targets: ["127.0.0.1:${port}"]`)}
    </li>
    <li>
      In Grafana: <b>Dashboards</b>, <b>New</b>, <b>Import</b>, the file <code>deploy/grafana/dashboard.json</code>.
    </li>
  </ol>`;
}

function programIn(visit: Visit): ProgramName {
  const program = programs.find((name) => name === visit.request.parameter("program"));
  if (!program) throw new AppError("UNKNOWN_PATH", "This path does not exist.");
  return program;
}

export const page = view("/applications/:appId/programs/:program", "viewer", async (ctx, visit) => {
  const application = await applicationIn(ctx, visit, visit.request.parameter("appId"));
  return await show(ctx, visit, application, programIn(visit));
});

export const create = act("/applications/:appId/programs/:program", "owner", "passkey", async (ctx, post) => {
  const application = await applicationIn(ctx, post, post.request.parameter("appId"));
  const program = programIn(post);
  const fields = fieldsOf(program);
  const values = entered(fields, post);
  const { name = "", address = "" } = values;
  const needed = clientOfProgram(program, address);
  const dryRun = post.form.has("check");
  try {
    const input = { ...needed, name, appId: application.id };
    const { client, secret } = await clients.create(ctx, input, {}, { actor: post.by.actor, dryRun });
    if (dryRun) {
      const command = ["client", "create", "--app", application.id, "--name", name, ...wordsOf(needed)];
      return await show(ctx, post, application, program, { values, command, note: "This can be created." });
    }
    const { text, missing } = configurationFor(program, client, ctx.baseUrl);
    return await secretPage(ctx, post, application, {
      tab: "Clients",
      title: `${name}: paste this to finish`,
      name: "Client secret",
      text: secret ?? "",
      ids: [
        ["Client ID", client.id],
        ["Issuer", ctx.baseUrl],
      ],
      next: html`<h3>To paste</h3>
        ${pasted(`Configuration of ${programTitle(program)}`, text)}
        ${missing.map((sentence) => html`<p class="hint">${sentence}</p>`)}
        ${commandLine(["client", "show", client.id, "--for", program])}`,
      back: applicationPath(application, `/clients/${encodeURIComponent(client.id)}`),
    });
  } catch (error) {
    return await show(ctx, post, application, program, { values, refusal: fieldRefusalOf(fields, error) });
  }
});

function wordsOf({ redirectUris, postLogoutRedirectUris = [], scopes, idTokenAlg }: ProgramClient): string[] {
  return [
    "--redirect-uri",
    ...redirectUris,
    ...(postLogoutRedirectUris.length > 0 ? ["--post-logout-redirect-uri", ...postLogoutRedirectUris] : []),
    "--scope",
    ...scopes,
    ...(idTokenAlg ? ["--id-token-alg", idTokenAlg] : []),
  ];
}
