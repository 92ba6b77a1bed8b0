import { fieldOf, type Answer, type Exchange } from "./api.ts";
import { callFor } from "./calls.ts";
import { part } from "./element.ts";
import type { Facts } from "./facts.ts";
import { remarkFor } from "./remarks.ts";
import { hostedView, returnView } from "./show-browser.ts";
import { callView, statusChip, type ShownCall } from "./show-call.ts";
import { decodedToken } from "./token.ts";
import { returnOf, stepStates, type CallName, type StepName, type StepState, type Walk } from "./walk.ts";

const stateWords: Record<StepState, string> = {
  done: "done",
  current: "next",
  failed: "not passed",
  open: "possible now",
  later: "not reached",
};

/** What the server rendered for a step, shown until the walk reaches it. */
const untouched = new Map<StepName, Node[]>();
/**
 * What each step shows now. Unchanged steps are not redrawn, so they keep open details and focus.
 */
const shown = new Map<StepName, string>();

/** Updates the right side of every step. */
export function showSteps(walk: Walk, facts: Facts): void {
  const states = stepStates(walk);
  for (const [index, [name, state]] of (Object.entries(states) as [StepName, StepState][]).entries()) {
    const step = document.querySelector<HTMLElement>(`#${name}`);
    const place = step && part(step, "exchanges");
    if (!step || !place) continue;
    step.dataset.state = state;
    step.ariaCurrent = state === "current" ? "step" : null;
    const words = part(step, "state");
    if (words) words.textContent = stateWords[state];
    if (!untouched.has(name)) untouched.set(name, [...place.childNodes]);
    const content = contentOf(name, state, walk, facts, index + 1);
    const fingerprint = JSON.stringify(content.inputs);
    if (shown.get(name) === fingerprint) continue;
    shown.set(name, fingerprint);
    const nodes = content.nodes();
    place.replaceChildren(...(nodes.length > 0 ? nodes : (untouched.get(name) ?? [])));
    part(step, "status")?.replaceChildren(...[statusChip(content.answer)].filter((chip) => chip !== undefined));
  }
}

type Content = { inputs: unknown; answer?: Answer | null | undefined; nodes: () => Node[] };

function contentOf(name: StepName, state: StepState, walk: Walk, facts: Facts, step: number): Content {
  if (name === "hosted" || name === "return") {
    const view = name === "hosted" ? hostedView : returnView;
    const inputs = [
      name === "hosted" && fieldOf(walk.exchanges.initiate, "authUrl"),
      walk.returned,
      returnOf(walk)?.verdict,
    ];
    return { inputs, nodes: () => [view(walk, facts)].filter((node) => node !== undefined) };
  }
  if (state === "later") return { inputs: state, nodes: () => [] };
  const calls = [shownCall(name, walk, facts), ...madeFollowUps(name, walk)];
  return {
    inputs: calls.map(({ call, answer, remark }) => ({ call, answer, remark })),
    answer: calls[0]?.answer,
    nodes: () => calls.map((each) => callView({ ...each, step, more: tokenIn(name, each) }, facts)),
  };
}

/** The call that was made, or that its button would make. */
function shownCall(name: CallName & StepName, walk: Walk, facts: Facts): Omit<ShownCall, "step"> {
  const exchange = walk.exchanges[name];
  const warning = exchange ? undefined : warnings[name];
  if (!exchange) return { call: callFor(name, walk, facts), answer: undefined, ...(warning && { warning }) };
  return madeCall(name, exchange, walk);
}

const warnings: Partial<Record<CallName, string>> = {
  callback:
    "A code works once: press the button or run the command. A second use ends the sign-in that the first one bought.",
  refresh: "A refresh token works once: press the button or run the command.",
};

function madeCall(name: CallName, exchange: Exchange, walk: Walk): Omit<ShownCall, "step"> {
  const remark = remarkFor(name, exchange, walk);
  return { ...exchange, ...(remark !== undefined && { remark }) };
}

/** Calls that show the effect of a step, or belong to the same topic. */
const followUps: Partial<Record<StepName, Partial<Record<CallName, string>>>> = {
  profile: { methods: "The ways to sign in" },
  refresh: { "old-refresh": "The refresh token from before, once more" },
  logout: { "dead-token": "The access token, after signing out" },
  wiki: { "wiki-userinfo": "What the wiki may know of the person" },
  "add-method": { "remove-method": "The new method, removed again" },
  application: { "rename-app": "The application, changed" },
  endpoint: { sample: "A sample, sent at once", "remove-endpoint": "The webhook, removed" },
  config: { "verify-token": "The token, verified", "current-user": "The user of the token" },
};

function madeFollowUps(name: StepName, walk: Walk): Omit<ShownCall, "step">[] {
  return (Object.entries(followUps[name] ?? {}) as [CallName, string][]).flatMap(([call, caption]) => {
    const exchange = walk.exchanges[call];
    return exchange ? [{ ...madeCall(call, exchange, walk), caption }] : [];
  });
}

function tokenIn(name: StepName, { call, answer }: Pick<ShownCall, "call" | "answer">): HTMLElement | undefined {
  const exchange = answer ? { call, answer } : undefined;
  const idToken = fieldOf(exchange, "id_token");
  if (idToken !== "") return decodedToken(idToken, "The ID token, decoded", wide());
  const token = fieldOf(exchange, "accessToken");
  if (token === "") return undefined;
  const open = name === "callback" && wide();
  return decodedToken(token, name === "callback" ? "The access token, decoded" : "The new access token, decoded", open);
}

/** On a phone it would push the next step far down. */
function wide(): boolean {
  return matchMedia("(min-width: 64rem)").matches;
}
