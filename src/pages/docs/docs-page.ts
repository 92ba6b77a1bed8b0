import { html, type Html } from "../../lib/html.ts";
import type { AssetLinks } from "../assets/assets.ts";
import { accessWords, bodyView, fieldsView, prose, type Operation, type Schema } from "./parts.ts";

/** The parts of the OpenAPI document that the page shows. */
export type ApiDocument = {
  info: { version: string; description: string };
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

/** GET /docs: the OpenAPI document for people. Needs no script: folding uses `<details>`. */
export function docsPage(api: ApiDocument, { icon, stylesheet, docsStylesheet }: AssetLinks): Html {
  const operations = [...entries(api.paths), ...entries(api.webhooks)];
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>authsvc: the HTTP API</title>
        <link rel="icon" href="${icon}" type="image/svg+xml" />
        <link rel="stylesheet" href="${stylesheet}" />
        <link rel="stylesheet" href="${docsStylesheet}" />
      </head>
      <body class="docs">
        <header>
          <h1>The HTTP API</h1>
          <p>authsvc ${api.info.version}. ${prose(api.info.description)}</p>
          <p>The same for programs: <a href="/openapi.json">/openapi.json</a></p>
          <nav aria-label="Contents">
            <ul role="list">
              ${api.tags.map(({ name }) => html`<li><a href="#${anchorOf(name)}">${name}</a></li>`)}
              <li><a href="#headers">Headers</a></li>
              <li><a href="#schemas">Schemas</a></li>
            </ul>
          </nav>
        </header>
        <main>
          ${api.tags.map(({ name, description }) => {
            const own = operations.filter(({ operation }) => operation.tags.includes(name));
            return html`<section aria-labelledby="${anchorOf(name)}">
              <h2 id="${anchorOf(name)}">${name}</h2>
              <p>${prose(description)}</p>
              ${own.map((each) => operationView(each, api))}
            </section>`;
          })}
          <section aria-labelledby="headers">
            <h2 id="headers">Headers</h2>
            <dl>
              ${Object.entries(api.components.headers).map(
                ([name, { description }]) =>
                  html`<dt><code>${name}</code></dt>
                    <dd>${prose(description)}</dd>`,
              )}
            </dl>
          </section>
          <section aria-labelledby="schemas">
            <h2 id="schemas">Schemas</h2>
            ${Object.entries(api.components.schemas).map(
              ([name, schema]) =>
                html`<details>
                  <summary><h3>${name}</h3></summary>
                  <div class="inside" id="schema-${name}">
                    ${schema.description !== undefined && html`<p>${prose(schema.description)}</p>`}${fieldsView(schema)}
                  </div>
                </details>`,
            )}
          </section>
        </main>
      </body>
    </html>`;
}

type Entry = { path: string; method: string; operation: Operation };

function entries(paths: ApiDocument["paths"]): Entry[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
}

function anchorOf(tag: string): string {
  return tag.toLowerCase().replaceAll(/\W+/gu, "-");
}

function operationView({ path, method, operation }: Entry, api: ApiDocument): Html {
  const { operationId, summary, description, security, parameters = [], requestBody, responses } = operation;
  const limit = operation["x-rate-limit"];
  const resolvedParameters = parameters.map((each) => resolved(each, api.components.parameters));
  const answers = Object.entries(responses).map(
    ([status, answer]) => [status, resolved(answer, api.components.responses)] as const,
  );
  const good = answers.filter(([status]) => /^[23]/u.test(status));
  const refused = answers.filter(([status]) => /^[45]/u.test(status));
  return html`<details>
    <summary>
      <h3><b>${method}</b> <code>${path}</code></h3>
      <span class="about">${prose(summary)}</span>
    </summary>
    <div class="inside" id="${operationId}">
      <p>${prose(description)}</p>
      <p>
        Credentials: ${accessWords(security)}.
        ${limit !== undefined && html`Limit: ${limit.callsPerMinute} calls a minute, ${limit.note}.`}
      </p>
      ${
        resolvedParameters.length > 0 &&
        html`<h4>Parameters</h4>
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
        html`<h4>Body${!requestBody.required && ", optional"}</h4>
          ${bodyView(requestBody, api.components.schemas)}`
      }
      ${good.map(
        ([status, answer]) =>
          html`<h4>Answer ${status}</h4>
            <p>${prose(answer.description)}</p>
            ${bodyView(answer, api.components.schemas)}`,
      )}
      ${
        refused.length > 0 &&
        html`<h4>${operation.tags.includes("Events") ? "Other answers" : "Errors"}</h4>
          <dl>
            ${refused.map(
              ([status, { description: when }]) =>
                html`<dt>${status}</dt>
                  ${when.split("\n\n").map((each) => html`<dd>${prose(each)}</dd>`)}`,
            )}
          </dl>`
      }
    </div>
  </details>`;
}

/** Resolves a `$ref` to a component. */
function resolved<T extends object>(value: T | { $ref: string }, components: Record<string, T>): T {
  if (!("$ref" in value)) return value;
  const name = value.$ref.slice(value.$ref.lastIndexOf("/") + 1);
  const schema = components[name];
  if (!schema) throw new Error(`The document lacks ${value.$ref}`);
  return schema;
}
