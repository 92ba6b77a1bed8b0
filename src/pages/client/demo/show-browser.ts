import { fieldOf } from "./api.ts";
import { copyButton } from "./copy.ts";
import { element } from "./element.ts";
import type { Facts } from "./facts.ts";
import { block, headerNode } from "./show-call.ts";
import { returnOf, type Return, type Walk } from "./walk.ts";

/** Step 2: where the browser goes, and what it receives after the sign-in. */
export function hostedView(walk: Walk, facts: Facts): HTMLElement | undefined {
  const address = fieldOf(walk.exchanges.initiate, "authUrl");
  if (address === "") return undefined;
  const back = returnOf(walk);
  const answer =
    back === undefined || back.verdict === "foreign" || back.verdict === "elsewhere"
      ? element("p", { class: "later" }, "Not there yet. The person signs in, creates an account, or cancels.")
      : element(
          "pre",
          {},
          element(
            "code",
            {},
            element("b", {}, "HTTP/1.1 303 See Other\n"),
            headerNode("Location", returnAddress(walk, facts)),
          ),
        );
  return element(
    "div",
    { class: "exchange" },
    block("Address", [wire(address)]),
    block("Answer, in the end", [answer]),
  );
}

/** Step 3: the returned parameters, and whether the app may continue. */
export function returnView(walk: Walk, facts: Facts): HTMLElement | undefined {
  const back = returnOf(walk);
  if (back === undefined) return undefined;
  const { verdict, parameters } = back;
  return element(
    "div",
    { class: "exchange" },
    block("Address", [wire(returnAddress(walk, facts))]),
    block("What it says", [
      verdictNode(back),
      codeToPaste(back),
      element("dl", { class: "claims" }, ...parameters.map(([name, value]) => parameter(name, value, verdict))),
    ]),
  );
}

function returnAddress({ returned }: Walk, { callbackUrl }: Facts): string {
  return callbackUrl + (returned?.query ?? "");
}

function wire(address: string): HTMLElement {
  return element("pre", {}, element("code", {}, element("b", {}, "GET"), ` ${address}`));
}

function verdictNode({ verdict, parameters }: Return): HTMLElement {
  if (verdict === "code")
    return element("p", { class: "remark good" }, "The state is the one that Acme sent in step 1. Go on.");
  if (verdict === "elsewhere") {
    const words =
      "This sign-in was not started on this page. If a program of yours started it, compare the state there, and paste the code:";
    return element("p", { class: "remark" }, words);
  }
  if (verdict === "foreign") {
    const words =
      "This state is not the one that Acme sent: this sign-in was not started here. A real app stops now, because it may be a stranger’s. If a program of yours started it, paste the code there; otherwise start again.";
    return element("p", { class: "remark bad", role: "alert" }, words);
  }
  const error = parameters.find(([name]) => name === "error")?.[1] ?? "";
  return element("p", { class: "remark bad", role: "alert" }, errors[error] ?? "The sign-in did not succeed.");
}

/** Shows the code for a program that started this sign-in, such as the one in the README. */
function codeToPaste({ verdict, parameters }: Return): HTMLElement | undefined {
  const code = parameters.find(([name]) => name === "code")?.[1];
  if (code === undefined || (verdict !== "elsewhere" && verdict !== "foreign")) return undefined;
  const shown = element("code", {}, code);
  return block("Code to paste", [element("pre", {}, shown)], copyButton(code, shown, "the code to paste"));
}

/** How an app handles each error (docs/spec/decisions.md, 4). */
const errors: Record<string, string> = {
  access_denied:
    "Nobody signed in: the person cancelled. Show your own page again. The session is still open, so step 2 still works.",
  login_failed: "Nobody signed in: the sign-in failed. Offer to start again.",
  method_disabled: "Nobody signed in: this way is not enabled for Acme. Start again with another.",
  server_error: "Nobody signed in: the service had a problem. Offer to start again.",
};

const meanings: Record<string, string> = {
  code: "Buys the tokens in step 4. Once, within 60 seconds.",
  sessionId: "Which session this is about. A code goes with it in step 4.",
  error: "Why there is no code.",
  error_description: "The same for a log. Write your own words for people.",
};

function parameter(name: string, value: string, verdict: Return["verdict"]): HTMLElement {
  const state =
    verdict === "elsewhere"
      ? "Made up by whoever started this sign-in."
      : verdict === "foreign"
        ? "Not the one from step 1."
        : "The one from step 1.";
  return element(
    "div",
    {},
    element("dt", {}, element("code", {}, name)),
    element("dd", {}, element("code", {}, value)),
    element("dd", { class: "meaning" }, name === "state" ? state : (meanings[name] ?? "")),
  );
}
