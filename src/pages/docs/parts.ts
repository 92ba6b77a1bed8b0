import { html, type Html } from "../../lib/html.ts";

export type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  format?: string;
  pattern?: string;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
};

type Body = { content?: Record<string, { schema: Schema; example?: unknown; examples?: Record<string, unknown> }> };

export type Operation = {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  security: Record<string, string[]>[];
  "x-rate-limit"?: { callsPerMinute: number; note: string };
  parameters?: { name: string; in: string; required?: boolean; description: string }[];
  requestBody?: Body & { required?: boolean };
  responses: Record<string, Body & { description: string }>;
};

const credentials: Record<string, string> = {
  apiKey: "API key",
  appId: "App ID",
  accessToken: "access token",
  queryToken: "access token in the query string",
};

/** The alternative sets of credentials for a call. */
export function accessWords(security: Operation["security"]): string {
  if (security.length === 0) return "none";
  return security
    .map((all) =>
      Object.keys(all)
        .map((name) => credentials[name] ?? name)
        .join(" and "),
    )
    .join("; or ");
}

/** Text of the document, with its `code`. */
export function prose(text: string): Html[] {
  return text.split("`").map((piece, index) => (index % 2 === 0 ? html`${piece}` : html`<code>${piece}</code>`));
}

/** The fields of a body, and its example. */
export function bodyView({ content }: Body, schemas: Record<string, Schema>): Html | undefined {
  const json = content?.["application/json"];
  if (!json) return undefined;
  const name = nameOf(json.schema);
  const schema = name === undefined ? json.schema : (schemas[name] ?? {});
  return html`${name !== undefined && html`<p>${schemaLink(name)}</p>`} ${fieldsView(schema)}
  ${json.example !== undefined && html`<pre><code>${JSON.stringify(json.example, null, 2)}</code></pre>`}`;
}

/** The fields of an object, or the rules of another schema. References become links. */
export function fieldsView(schema: Schema): Html {
  const { properties, required = [] } = schema;
  if (!properties) return html`<p>${typeView(schema)}</p>`;
  return html`<dl>
    ${Object.entries(properties).map(
      ([name, field]) =>
        html`<dt><code>${name}</code> ${typeView(field)}${required.includes(name) && html`, required`}</dt>
          <dd>
            ${prose(field.description ?? "")} ${field.properties && fieldsView(field)}
            ${field.items?.properties && fieldsView(field.items)}
          </dd>`,
    )}
  </dl>`;
}

function typeView(schema: Schema): Html {
  const name = nameOf(schema);
  if (name !== undefined) return schemaLink(name);
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return html`${choices.map((each, index) => html`${index > 0 && " or "}${typeView(each)}`)}`;
  if (schema.items) return html`list of ${typeView(schema.items)}${rules(schema)}`;
  if (schema.enum) {
    return html`${schema.enum.map(
      (each, index) => html`${index > 0 && ", "}<code>${typeof each === "string" ? each : JSON.stringify(each)}</code>`,
    )}`;
  }
  return html`${[schema.type ?? "anything"].flat().join(" or ")}${rules(schema)}`;
}

function rules({ format, pattern, ...bounds }: Schema): Html {
  const words = [
    format,
    range(bounds.minLength, bounds.maxLength, "characters"),
    range(bounds.minItems, bounds.maxItems, "entries"),
    range(bounds.minimum, bounds.maximum, ""),
  ].filter((each) => each !== undefined);
  return html`${words.length > 0 && ` (${words.join(", ")})`}${pattern !== undefined && html` <code>${pattern}</code>`}`;
}

function range(least: number | undefined, most: number | undefined, unit: string): string | undefined {
  if (least === undefined && most === undefined) return undefined;
  const bounds =
    least === undefined ? `at most ${most}` : most === undefined ? `at least ${least}` : `${least} to ${most}`;
  return `${bounds} ${unit}`.trim();
}

function nameOf({ $ref }: Schema): string | undefined {
  return $ref?.slice($ref.lastIndexOf("/") + 1);
}

export function schemaLink(name: string): Html {
  return html`<a href="/docs?show=schema-${name}">${name}</a>`;
}
