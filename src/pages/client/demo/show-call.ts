import type { Answer, ApiCall } from "./api.ts";
import { curlFor } from "./calls.ts";
import { copyButton } from "./copy.ts";
import { element, type Child } from "./element.ts";
import type { Facts } from "./facts.ts";
import { jsonNodes, shortened } from "./json.ts";

export type ShownCall = {
  /** The step that it belongs to, starting at 1. */
  step: number;
  call: ApiCall;
  /** Undefined: not called yet. Null: called without an answer. */
  answer: Answer | null | undefined;
  /** The purpose of this call, in steps with several. */
  caption?: string;
  /** Shown under the request before it is made or repeated. */
  warning?: string;
  /** What the answer means. */
  remark?: string;
  /** Content below the answer. */
  more?: HTMLElement | undefined;
};

/** A call as sent, the equivalent command, and the answer. */
export function callView({ step, call, answer, caption, warning, remark, more }: ShownCall, facts: Facts): HTMLElement {
  const curl = curlFor(call, facts);
  const command = element("code", {}, ...shortened(curl));
  // No path in the name: a button called "… /auth/validate" would be mistaken for the one that
  // validates.
  const of = `the command of step ${step}${caption === undefined ? "" : `: ${caption}`}`;
  return element(
    "div",
    { class: "exchange" },
    caption === undefined ? undefined : element("p", { class: "caption" }, caption, statusChip(answer)),
    element(
      "div",
      { class: "pair" },
      block("Request", [element("pre", {}, element("code", {}, ...requestNodes(call, facts)))]),
      block("curl", [element("pre", {}, command)], copyButton(curl, command, of)),
    ),
    warning === undefined ? undefined : element("p", { class: "warning" }, warning),
    answerBlock(answer, remark),
    more,
  );
}

export function statusChip(answer: Answer | null | undefined): HTMLElement | undefined {
  if (answer === undefined) return undefined;
  if (answer === null) return element("span", { class: "chip bad" }, "No answer");
  const { status, statusText, milliseconds } = answer;
  return element(
    "span",
    { class: `chip ${status < 400 ? "good" : "bad"}` },
    `${status} ${statusText}`,
    element("span", { class: "took" }, `${milliseconds} ms`),
  );
}

export function block(title: string, content: Child[], beside?: HTMLElement): HTMLElement {
  return element(
    "div",
    { class: "block" },
    element("div", { class: "bar" }, element("h3", {}, title), beside),
    ...content,
  );
}

function requestNodes({ method, path, headers, body, form }: ApiCall, { baseUrl }: Facts): Child[] {
  const lines = Object.entries({ Host: new URL(baseUrl).host, ...headers }).map(([name, value]) =>
    headerNode(name, value),
  );
  return [
    element("b", {}, `${method} `, ...shortened(path)),
    " HTTP/1.1\n",
    ...lines,
    ...(body === undefined ? [] : ["\n", ...jsonNodes(body)]),
    ...(form === undefined ? [] : ["\n", ...shortened(new URLSearchParams(form).toString().replaceAll("&", "\n&"))]),
  ];
}

function answerBlock(answer: Answer | null | undefined, remark: string | undefined): HTMLElement {
  if (answer === undefined) return block("Answer", [element("p", { class: "later" }, "Not called yet.")]);
  const remarkNode = remark === undefined ? undefined : element("p", { class: "remark" }, remark);
  if (answer === null) return block("Answer", [remarkNode]);
  const code = element(
    "code",
    {},
    element("b", {}, `HTTP/1.1 ${answer.status} ${answer.statusText}\n`),
    ...answer.headers.map(([name, value]) => headerNode(name, value)),
    "\n",
    ...jsonNodes(answer.body),
  );
  const shown = block("Answer", [remarkNode, element("pre", {}, code)]);
  shown.classList.add("answer");
  return shown;
}

export function headerNode(name: string, value: string): HTMLElement {
  return element("span", { class: "header" }, ...shortened(`${name}: ${value}`), "\n");
}
