import { html, type Html } from "../../lib/html.ts";
import type { AssetLinks } from "../assets/assets.ts";
import { examplesView, type Call } from "./examples.ts";
import { accessWords, bodyView, fieldsView, prose, schemaLink, type Operation, type Schema } from "./parts.ts";

/** The parts of the OpenAPI document that the page shows. */
export type ApiDocument = {
  info: { version: string; description: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    parameters: Record<string, Parameter>;
    responses: Operation["responses"];
    headers: Record<string, { description: string }>;
  };
};

type Parameter = NonNullable<Operation["parameters"]>[number];

/** `show`: a call, "schema-User", "headers", "schemas", or "". `search`: the filter of the menu. */
export type DocsQuery = { show: string; search: string };

/** GET /docs: the OpenAPI document for people, one call at a time. Undefined: there is no such. */
export function docsPage(api: ApiDocument, links: AssetLinks, { show, search }: DocsQuery): Html | undefined {
  const calls = [...entries(api.paths), ...entries(api.webhooks)];
  const content = contentOf(api, calls, show);
  if (!content) return undefined;
  const { title, body } = content;
  const to = (shown: string): string =>
    `/docs?${new URLSearchParams({ show: shown, ...(search && { search }) }).toString()}`;
  const groups = api.tags.map(({ name }) => {
    const own = calls.filter((call) => call.operation.tags.includes(name));
    return { name, own, found: own.filter((call) => isFound(call, search)) };
  });
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${title} · authsvc: the HTTP API</title>
        <link rel="icon" href="${links.icon}" type="image/svg+xml" />
        <link rel="stylesheet" href="${links.docsStylesheet}" />
        <script type="module" src="${links.docsScript}"></script>
      </head>
      <body class="docs">
        <details class="calls" data-menu="sections" ${search !== "" && html`open`}>
          <summary class="button plain">All calls</summary>
          <nav aria-label="Calls">
            <form method="get" action="/docs">
              ${show !== "" && html`<input type="hidden" name="show" value="${show}" />`}
              <label for="search">Filter</label>
              <div class="control">
                <input id="search" name="search" type="search" value="${search}" autocomplete="off" />
              </div>
              <button class="button plain">Filter</button>
            </form>
            <p><a href="/docs">The HTTP API</a></p>
            ${groups.map(
              ({ name, own, found }) =>
                html`<section ${found.length === 0 && html`hidden`}>
                  <h2>${name}</h2>
                  <ul role="list">
                    ${own.map((call) => {
                      const { method, path, operation } = call;
                      const { operationId, summary } = operation;
                      return html`<li ${!found.includes(call) && html`hidden`}>
                        <a href="${to(operationId)}" ${operationId === show && html`aria-current="page"`}
                          ><b>${method}</b> <code>${path}</code><span hidden> ${summary} ${operationId}</span></a
                        >
                      </li>`;
                    })}
                  </ul>
                </section>`,
            )}
            <p ${groups.some(({ found }) => found.length > 0) && html`hidden`} data-none role="status">
              No call has these words.
            </p>
            <p><a href="${to("headers")}">Headers</a></p>
            <p><a href="${to("schemas")}">Schemas</a></p>
          </nav>
        </details>
        <main>${body}</main>
      </body>
    </html>`;
}

/** Every word is in the method, path, name or summary of the call. */
function isFound({ method, path, operation: { operationId, summary } }: Call, search: string): boolean {
  const text = `${method} ${path} ${summary} ${operationId}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => text.includes(word));
}

function contentOf(api: ApiDocument, calls: Call[], show: string): { title: string; body: Html } | undefined {
  const call = calls.find(({ operation }) => operation.operationId === show);
  if (call) return { title: `${call.method} ${call.path}`, body: callView(call, api) };
  if (show === "") return { title: "Start", body: startView(api, calls) };
  if (show === "headers") return { title: "Headers", body: headersView(api) };
  if (show === "schemas") return { title: "Schemas", body: schemasView(api) };
  const name = show.replace(/^schema-/u, "");
  const schema = Object.hasOwn(api.components.schemas, name) ? api.components.schemas[name] : undefined;
  return show.startsWith("schema-") && schema ? { title: name, body: schemaView(name, schema) } : undefined;
}

function startView({ info, tags }: ApiDocument, calls: Call[]): Html {
  return html`<h1>The HTTP API</h1>
    <p>authsvc ${info.version}. ${prose(info.description)}</p>
    <p>The same for programs: <a href="/openapi.json">/openapi.json</a></p>
    ${tags.map(
      ({ name, description }) =>
        html`<h2>${name}</h2>
          <p>${prose(description)}</p>
          <ul role="list">
            ${calls
              .filter(({ operation }) => operation.tags.includes(name))
              .map(
                ({ method, path, operation: { operationId, summary } }) =>
                  html`<li>
                    <a href="/docs?show=${operationId}">${prose(summary)}</a>
                    <span class="hint">${method} <code>${path}</code></span>
                  </li>`,
              )}
          </ul>`,
    )}`;
}

function headersView({ components }: ApiDocument): Html {
  return html`<h1>Headers</h1>
    <dl>
      ${Object.entries(components.headers).map(
        ([name, { description }]) =>
          html`<dt><code>${name}</code></dt>
            <dd>${prose(description)}</dd>`,
      )}
    </dl>`;
}

function schemasView({ components }: ApiDocument): Html {
  return html`<h1>Schemas</h1>
    <ul role="list">
      ${Object.keys(components.schemas).map((name) => html`<li>${schemaLink(name)}</li>`)}
    </ul>`;
}

function schemaView(name: string, schema: Schema): Html {
  return html`<h1>${name}</h1>
    ${schema.description !== undefined && html`<p>${prose(schema.description)}</p>`} ${fieldsView(schema)}`;
}

function entries(paths: ApiDocument["paths"]): Call[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
}

function callView(call: Call, api: ApiDocument): Html {
  const { method, path, operation } = call;
  const { summary, description, security, parameters = [], requestBody, responses } = operation;
  const limit = operation["x-rate-limit"];
  const resolvedParameters = parameters.map((each) => resolved(each, api.components.parameters));
  const answers = Object.entries(responses).map(
    ([status, answer]) => [status, resolved(answer, api.components.responses)] as const,
  );
  const good = answers.filter(([status]) => /^[23]/u.test(status));
  const refused = answers.filter(([status]) => /^[45]/u.test(status));
  return html`<h1><b>${method}</b> <code>${path}</code></h1>
    <p class="lead">${prose(summary)}</p>
    <p>${prose(description)}</p>
    <p>
      Credentials: ${accessWords(security)}.
      ${limit !== undefined && html`Limit: ${limit.callsPerMinute} calls a minute, ${limit.note}.`}
    </p>
    ${examplesView(call, resolvedParameters, api.servers[0]?.url ?? "")}
    ${
      resolvedParameters.length > 0 &&
      html`<h2>Parameters</h2>
        <dl>
          ${resolvedParameters.map(
            (each) =>
              html`<dt>
                  <code>${each.name}</code> in
                  ${each.in === "query" ? "the query" : `the ${each.in}`}${each.required === true && ", required"}
                </dt>
                <dd>${prose(each.description)}</dd>`,
          )}
        </dl>`
    }
    ${
      requestBody !== undefined &&
      html`<h2>Body${!requestBody.required && ", optional"}</h2>
        ${bodyView(requestBody, api.components.schemas)}`
    }
    ${good.map(
      ([status, answer]) =>
        html`<h2>Answer ${status}</h2>
          <p>${prose(answer.description)}</p>
          ${bodyView(answer, api.components.schemas)}`,
    )}
    ${
      refused.length > 0 &&
      html`<h2>${operation.tags.includes("Events") ? "Other answers" : "Errors"}</h2>
        <dl>
          ${refused.map(
            ([status, { description: when }]) =>
              html`<dt>${status}</dt>
                ${when.split("\n\n").map((each) => html`<dd>${prose(each)}</dd>`)}`,
          )}
        </dl>`
    } `;
}

/** Resolves a `$ref` to a component. */
function resolved<T extends object>(value: T | { $ref: string }, components: Record<string, T>): T {
  if (!("$ref" in value)) return value;
  const name = value.$ref.slice(value.$ref.lastIndexOf("/") + 1);
  const schema = components[name];
  if (!schema) throw new Error(`The document lacks ${value.$ref}`);
  return schema;
}
