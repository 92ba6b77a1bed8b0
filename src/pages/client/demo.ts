// The browser code of the demo page: plays the server of an app called Acme that uses this service.
import { fieldOf, send, succeeded } from "./demo/api.ts";
import { callFor } from "./demo/calls.ts";
import { startClock } from "./demo/countdown.ts";
import { watchDeliveries } from "./demo/deliveries.ts";
import { control, speak } from "./demo/element.ts";
import { readFacts } from "./demo/facts.ts";
import { recordFurther } from "./demo/further-calls.ts";
import { showControls } from "./demo/show-controls.ts";
import { showFurther } from "./demo/show-further.ts";
import { showSteps } from "./demo/show-steps.ts";
import {
  callsOfApp,
  loadWalk,
  newWalk,
  returnOf,
  saveWalk,
  type CallName,
  type Method,
  type Walk,
  type WikiVisit,
} from "./demo/walk.ts";

const facts = readFacts();
const demoUrl = `${facts.baseUrl}/dev/demo`;
let walk: Walk;
let isCalling = false;

// Storage belongs to an origin: a walk that began at 127.0.0.1 would be lost when the browser
// returns to localhost.
if (location.origin === facts.baseUrl) void start();
else location.replace(demoUrl);

async function start(): Promise<void> {
  // A walk stored by an older version lacks new fields.
  const fresh = await newWalk();
  walk = { ...fresh, ...loadWalk() };
  const cameBack = recordReturn(fresh.wiki);
  show();
  startClock();
  watchDeliveries(() => walk);
  listen();
  if (cameBack === undefined) return;
  // Step 3 goes to the top so that step 4 is visible too: its code expires after a minute.
  document.querySelector(`#${cameBack}`)?.scrollIntoView();
  document.querySelector<HTMLElement>(`#${cameBack} h2`)?.focus({ preventScroll: true });
}

/**
 * Reads the result from the URL and records it for its step. Reloading the page changes nothing.
 */
function recordReturn(newVisit: WikiVisit): "return" | "add-method" | "wiki" | undefined {
  const { pathname, search, origin } = location;
  if (origin + pathname !== facts.callbackUrl || search === "") return undefined;
  if (search === walk.returned?.query || search === walk.added || search === walk.wiki.returned) return undefined;
  const query = new URLSearchParams(search);
  if (query.get("state") === walk.wiki.state) {
    if (query.has("code")) walk.wiki.returned = search;
    else if (!query.has("error")) walk.wiki.isOver = true;
    return "wiki";
  }
  if (query.get("state") === walk.addState) {
    walk.added = search;
    return "add-method";
  }
  walk.returned = { query: search, at: Date.now() };
  if (returnOf(walk)?.verdict === "code") {
    // Another sign-in with the same state: the curl command of step 1 can start any number.
    const { initiate } = walk.exchanges;
    walk.exchanges = { ...callsOfApp(walk), ...(initiate && { initiate }) };
    delete walk.tokens;
    delete walk.added;
    walk.wiki = newVisit;
  }
  return "return";
}

function show(): void {
  saveWalk(walk);
  showSteps(walk, facts);
  showControls(walk, facts);
  showFurther(walk, facts);
}

function listen(): void {
  const calls: CallName[] = [
    "initiate",
    "callback",
    "validate",
    "profile",
    "methods",
    "refresh",
    "old-refresh",
    "logout",
    "dead-token",
    "wiki",
    "wiki-userinfo",
    "rename",
    "add-method",
    "remove-method",
    "application",
    "rename-app",
    "endpoint",
    "sample",
    "remove-endpoint",
    "config",
    "verify-token",
    "current-user",
  ];
  for (const name of calls) control(name)?.addEventListener("click", () => void make(name));
  const startAgain = control("start-again") as HTMLButtonElement | null;
  startAgain?.addEventListener("click", () => void beginAnew());
  if (startAgain) startAgain.disabled = false;
  for (const input of document.querySelectorAll<HTMLInputElement | HTMLSelectElement>("main input, main select")) {
    input.addEventListener("change", () => {
      choose(input);
      show();
    });
  }
  // Restored from the back-forward cache: another page may have continued the walk.
  addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    walk = loadWalk() ?? walk;
    show();
  });
}

function choose(input: HTMLInputElement | HTMLSelectElement): void {
  const checked = "checked" in input && input.checked;
  if (input.id === "pkce") walk.pkce = checked;
  else if (input.id === "all-sessions") walk.allSessions = checked;
  else if (input.id === "person-name") walk.personName = input.value;
  else if (input.id === "app-name") walk.appName = input.value;
  else if (input.id === "add-type") walk.addType = input.value;
  else walk.method = input.value as Method;
}

async function make(name: CallName): Promise<void> {
  if (isCalling || control(name)?.ariaDisabled === "true") return;
  isCalling = true;
  const caller = walk;
  const exchange = await send(callFor(name, walk, facts));
  isCalling = false;
  // The walk was restarted meanwhile: the answer belongs to the old one.
  if (walk !== caller) return;
  walk.exchanges[name] = exchange;
  const access = fieldOf(exchange, "accessToken");
  const refresh = fieldOf(exchange, "refreshToken");
  if (succeeded(exchange) && name === "callback") {
    walk.tokens = { access, refresh };
  }
  // Remove the code from the address bar and the history.
  if (succeeded(exchange) && (name === "callback" || name === "wiki"))
    history.replaceState(null, "", facts.callbackUrl);
  if (succeeded(exchange) && name === "refresh") {
    // The grace period returned the same successor, so there is no new generation.
    const before = walk.tokens?.refresh === refresh ? walk.tokens.spent : walk.tokens?.refresh;
    walk.tokens = { access, refresh, ...(before !== undefined && { spent: before }), refreshedAt: Date.now() };
    delete walk.exchanges["old-refresh"];
  }
  recordFurther(walk, name, exchange);
  show();
  bringAnswerIntoView(name);
  const { call, answer } = exchange;
  speak(`${call.method} ${call.path}: ${answer ? `${answer.status} ${answer.statusText}` : "no answer"}`);
}

/** On a phone or in a low window, the answer is below the visible area. */
function bringAnswerIntoView(name: CallName): void {
  const answer = [...(control(name)?.closest(".step")?.querySelectorAll(".answer") ?? [])].at(-1);
  if (!answer || answer.getBoundingClientRect().top < innerHeight * 0.75) return;
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  answer.scrollIntoView({ block: "center", behavior: calm ? "instant" : "smooth" });
}

async function beginAnew(): Promise<void> {
  const { method, pkce, appName, hook } = walk;
  walk = { ...(await newWalk()), method, pkce, appName, hook, exchanges: callsOfApp(walk) };
  history.replaceState(null, "", demoUrl);
  show();
  scrollTo({ top: 0 });
  document.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
}
