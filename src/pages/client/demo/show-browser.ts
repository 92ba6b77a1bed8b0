import { fieldOf } from "./api.ts";
import { element } from "./element.ts";
import type { Facts } from "./facts.ts";
import { block, headerNode } from "./show-call.ts";
import { returnOf, type Return, type Walk } from "./walk.ts";

/** Step 2: where the browser goes, and what it is told when the person has signed in. */
export function hostedView(walk: Walk, facts: Facts): HTMLElement | undefined {
  const address = fieldOf(walk.exchanges.initiate, "authUrl");
  if (address === "") return undefined;
  const back = returnOf(walk);
  const answer =
    back === undefined || back.verdict === "foreign"
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

/** Step 3: what came back, parameter by parameter, and whether the app may go on with it. */
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
  if (verdict === "foreign") {
    const words =
      "This state is not the one that Acme sent: this sign-in was not started here, and may be a stranger’s. A real app stops now. Start again.";
    return element("p", { class: "remark bad", role: "alert" }, words);
  }
  const error = parameters.find(([name]) => name === "error")?.[1] ?? "";
  return element("p", { class: "remark bad", role: "alert" }, errors[error] ?? "The sign-in did not succeed.");
}

/** What an app does with each error (decision 4). */
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
  const state = verdict === "foreign" ? "Not the one from step 1." : "The one from step 1.";
  return element(
    "div",
    {},
    element("dt", {}, element("code", {}, name)),
    element("dd", {}, element("code", {}, value)),
    element("dd", { class: "meaning" }, name === "state" ? state : (meanings[name] ?? "")),
  );
}
