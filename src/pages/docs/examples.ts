/** A call as it is made, from the document: for curl, and for TypeScript. */
import { html, type Html } from "../../lib/html.ts";
import type { Operation } from "./parts.ts";

export type Call = { method: string; path: string; operation: Operation };

/** `variable`: how the language writes the value of an environment variable in a string. */
type Sent = { url: string; headers: Record<string, string>; body: string | undefined; form: [string, string][] };

/** The first of the call's alternatives. */
const headerOf: Record<string, (variable: (name: string) => string) => [string, string]> = {
  apiKey: (variable) => ["Authorization", `Bearer ${variable("API_KEY")}`],
  appId: (variable) => ["X-Service-App-ID", variable("APP_ID")],
  accessToken: (variable) => ["Authorization", `Bearer ${variable("ACCESS_TOKEN")}`],
};

function sentBy(
  { path, operation }: Call,
  parameters: NonNullable<Operation["parameters"]>,
  baseUrl: string,
  variable: (name: string) => string,
): Sent {
  const [security = {}] = operation.security;
  const nameOf = (name: string): string => name.replaceAll(/(?=[A-Z])/gu, "_").toUpperCase();
  const query = parameters
    .filter((each) => each.in === "query" && each.required === true)
    .map(({ name }) => `${name}=${variable(nameOf(name))}`);
  if ("queryToken" in security) query.push(`token=${variable("ACCESS_TOKEN")}`);
  const filled = path.replaceAll(/\{(\w+)\}/gu, (_, name: string) => variable(nameOf(name)));
  const [[type, content] = []] = Object.entries(operation.requestBody?.content ?? {});
  const isForm = type === "application/x-www-form-urlencoded";
  const example = content?.example;
  return {
    url: `${baseUrl}${filled}${query.length > 0 ? `?${query.join("&")}` : ""}`,
    headers: {
      ...Object.fromEntries(Object.keys(security).flatMap((name) => [headerOf[name]?.(variable) ?? []])),
      ...(type === "application/json" && { "Content-Type": type }),
    },
    body: type === undefined || isForm ? undefined : JSON.stringify(example, null, 2),
    form: isForm ? Object.entries(example ?? {}).map(([name, value]) => [name, String(value)]) : [],
  };
}

/** For a shell: the variables are the reader's own. */
function curlOf(call: Call, parameters: NonNullable<Operation["parameters"]>, baseUrl: string): string {
  const { url, headers, body, form } = sentBy(call, parameters, baseUrl, (name) => `$${name}`);
  const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  return [
    `curl ${call.method === "GET" ? "" : `-X ${call.method} `}"${url}"`,
    ...("clientSecret" in (call.operation.security[0] ?? {}) ? [`-u "$CLIENT_ID:$CLIENT_SECRET"`] : []),
    ...Object.entries(headers).map(([name, value]) => `-H "${name}: ${value}"`),
    ...form.map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoted(body)}`]),
  ].join(" \\\n  ");
}

/** For Node, a browser, or any other runtime with `fetch`. */
function typeScriptOf(call: Call, parameters: NonNullable<Operation["parameters"]>, baseUrl: string): string {
  const { url, headers, body, form } = sentBy(call, parameters, baseUrl, (name) => `\${process.env.${name}}`);
  const inside = (text: string): string => text.replaceAll("\n", "\n  ");
  const written = Object.entries({
    ...headers,
    ...("clientSecret" in (call.operation.security[0] ?? {}) && {
      Authorization: "Basic ${btoa(`${process.env.CLIENT_ID}:${process.env.CLIENT_SECRET}`)}",
    }),
  }).map(([name, value]) => `    "${name}": \`${value}\`,\n`);
  const fields = JSON.stringify(Object.fromEntries(form), null, 2);
  const options = [
    `  method: "${call.method}",\n`,
    ...(written.length > 0 ? [`  headers: {\n${written.join("")}  },\n`] : []),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${inside(body)}),\n`]),
    ...(form.length === 0 ? [] : [`  body: new URLSearchParams(${inside(fields)}),\n`]),
  ];
  const answers = Object.entries(call.operation.responses).some(
    ([status, { content }]) => status.startsWith("2") && content?.["application/json"] !== undefined,
  );
  return [
    `const response = await fetch(\`${url}\`, {\n${options.join("")}});`,
    "if (!response.ok) throw new Error(await response.text());",
    ...(answers ? ["const answer = await response.json();"] : []),
  ].join("\n");
}

export function examplesView(
  call: Call,
  parameters: NonNullable<Operation["parameters"]>,
  baseUrl: string,
): Html | undefined {
  if (call.operation.tags.includes("Events")) return undefined;
  return html`<h2>curl</h2>
    ${copied(curlOf(call, parameters, baseUrl))}
    <h2>TypeScript</h2>
    ${copied(typeScriptOf(call, parameters, baseUrl))}`;
}

/** The button needs a script, which shows it. */
function copied(text: string): Html {
  return html`<div class="copied">
    <pre tabindex="0"><code>${text}</code></pre>
    <button type="button" class="button plain" data-copy hidden>Copy</button>
  </div>`;
}
