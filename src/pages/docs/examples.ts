/** A call as it is made, from the document: for curl, and for TypeScript. */
import { html, type Html } from "../../lib/html.ts";
import type { Operation } from "./parts.ts";

export type Call = { method: string; path: string; operation: Operation };

type Parameters = NonNullable<Operation["parameters"]>;
type Pair = [name: string, value: string];

/** How a language writes the value of an environment variable in a string. */
type Variable = (name: string) => string;

type Sent = { url: string; headers: Pair[]; body: string | undefined; form: Pair[]; hasSecret: boolean };

const headerOf: Record<string, (variable: Variable) => Pair> = {
  apiKey: (variable) => ["Authorization", `Bearer ${variable("API_KEY")}`],
  appId: (variable) => ["X-Service-App-ID", variable("APP_ID")],
  accessToken: (variable) => ["Authorization", `Bearer ${variable("ACCESS_TOKEN")}`],
};

/** With the first of the alternative sets of credentials. */
function sentBy({ path, operation }: Call, parameters: Parameters, baseUrl: string, variable: Variable): Sent {
  const [security = {}] = operation.security;
  const valueOf = (name: string): string => variable(name.replaceAll(/(?=[A-Z])/gu, "_").toUpperCase());
  const query = parameters
    .filter((each) => each.in === "query" && each.required === true)
    .map(({ name }) => `${name}=${valueOf(name)}`);
  if ("queryToken" in security) query.push(`token=${variable("ACCESS_TOKEN")}`);
  const filled = path.replaceAll(/\{(\w+)\}/gu, (_, name: string) => valueOf(name));
  const [[type, content] = []] = Object.entries(operation.requestBody?.content ?? {});
  const isJson = type === "application/json";
  const headers = Object.keys(security).flatMap((name): Pair[] => {
    const header = headerOf[name]?.(variable);
    return header ? [header] : [];
  });
  return {
    url: `${baseUrl}${filled}${query.length > 0 ? `?${query.join("&")}` : ""}`,
    headers: isJson ? [...headers, ["Content-Type", type]] : headers,
    body: isJson ? JSON.stringify(content?.example, null, 2) : undefined,
    form: isJson ? [] : Object.entries(content?.example ?? {}).map(([name, value]) => [name, String(value)]),
    hasSecret: "clientSecret" in security,
  };
}

/** For a shell: the variables are the reader's own. */
function curlOf(call: Call, parameters: Parameters, baseUrl: string): string {
  const { url, headers, body, form, hasSecret } = sentBy(call, parameters, baseUrl, (name) => `$${name}`);
  const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  return [
    `curl ${call.method === "GET" ? "" : `-X ${call.method} `}"${url}"`,
    ...(hasSecret ? ['-u "$CLIENT_ID:$CLIENT_SECRET"'] : []),
    ...headers.map(([name, value]) => `-H "${name}: ${value}"`),
    ...form.map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoted(body)}`]),
  ].join(" \\\n  ");
}

/** For Node, and with other variables for any runtime that has `fetch`. */
function typeScriptOf(call: Call, parameters: Parameters, baseUrl: string): string {
  const sent = sentBy(call, parameters, baseUrl, (name) => `\${process.env.${name}}`);
  const { url, body, form, hasSecret } = sent;
  const basic = "Basic ${btoa(`${process.env.CLIENT_ID}:${process.env.CLIENT_SECRET}`)}";
  const headers: Pair[] = hasSecret ? [["Authorization", basic], ...sent.headers] : sent.headers;
  const inside = (text: string): string => text.replaceAll("\n", "\n  ");
  const fields = JSON.stringify(Object.fromEntries(form), null, 2);
  const options = [
    `  method: "${call.method}",\n`,
    headers.length > 0
      ? `  headers: {\n${headers.map(([name, value]) => `    "${name}": \`${value}\`,\n`).join("")}  },\n`
      : "",
    body === undefined ? "" : `  body: JSON.stringify(${inside(body)}),\n`,
    form.length === 0 ? "" : `  body: new URLSearchParams(${inside(fields)}),\n`,
  ];
  const hasAnswer = Object.entries(call.operation.responses).some(
    ([status, { content }]) => status.startsWith("2") && content?.["application/json"] !== undefined,
  );
  return [
    `const response = await fetch(\`${url}\`, {\n${options.join("")}});`,
    "if (!response.ok) throw new Error(await response.text());",
    ...(hasAnswer ? ["const answer = await response.json();"] : []),
  ].join("\n");
}

/** Nothing for what the service itself sends. */
export function examplesView(call: Call, parameters: Parameters, baseUrl: string): Html | undefined {
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
