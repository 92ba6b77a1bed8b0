// The browser code of the demo page: plays the server of an app called Acme, which signs people in with this service.
import { fieldOf, send, succeeded } from "./demo/api.ts";
import { callFor } from "./demo/calls.ts";
import { startClock } from "./demo/countdown.ts";
import { control, speak } from "./demo/element.ts";
import { readFacts } from "./demo/facts.ts";
import { showControls } from "./demo/show-controls.ts";
import { showSteps } from "./demo/show-steps.ts";
import { loadWalk, newWalk, returnOf, saveWalk, type CallName, type Method, type Walk } from "./demo/walk.ts";

const facts = readFacts();
const demoUrl = `${facts.baseUrl}/dev/demo`;
let walk: Walk;
let isCalling = false;

// Storage belongs to an origin: a walk that began at 127.0.0.1 would be unknown when the browser comes back to localhost.
if (location.origin === facts.baseUrl) void start();
else location.replace(demoUrl);

async function start(): Promise<void> {
  walk = loadWalk() ?? (await newWalk());
  const cameBack = noteReturn();
  show();
  startClock();
  listen();
  if (!cameBack) return;
  // Step 3 to the top, so that step 4 is in sight too: its code is good for a minute.
  document.querySelector("#return")?.scrollIntoView();
  document.querySelector<HTMLElement>("#return h2")?.focus({ preventScroll: true });
}

/** The address says what came back; a reload of it says nothing new. */
function noteReturn(): boolean {
  const { pathname, search, origin } = location;
  if (origin + pathname !== facts.callbackUrl || search === "" || search === walk.returned?.query) return false;
  walk.returned = { query: search, at: Date.now() };
  if (returnOf(walk)?.verdict === "code") {
    // Another sign-in, which the same state asked for: the curl command of step 1 can start as many as one likes.
    const { initiate } = walk.exchanges;
    walk.exchanges = initiate ? { initiate } : {};
    delete walk.tokens;
  }
  return true;
}

function show(): void {
  saveWalk(walk);
  showSteps(walk, facts);
  showControls(walk, facts);
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
  ];
  for (const name of calls) control(name)?.addEventListener("click", () => void make(name));
  const startAgain = control("start-again") as HTMLButtonElement | null;
  startAgain?.addEventListener("click", () => void beginAnew());
  if (startAgain) startAgain.disabled = false;
  for (const input of document.querySelectorAll<HTMLInputElement>("main input")) {
    input.addEventListener("change", () => {
      if (input.id === "pkce") walk.pkce = input.checked;
      else if (input.id === "all-sessions") walk.allSessions = input.checked;
      else walk.method = input.value as Method;
      show();
    });
  }
  // Kept by the browser while another page was there, which may have taken the walk further.
  addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    walk = loadWalk() ?? walk;
    show();
  });
}

async function make(name: CallName): Promise<void> {
  if (isCalling || control(name)?.ariaDisabled === "true") return;
  isCalling = true;
  const caller = walk;
  const exchange = await send(callFor(name, walk, facts));
  isCalling = false;
  // Started again meanwhile: the answer belongs to the walk before.
  if (walk !== caller) return;
  walk.exchanges[name] = exchange;
  const access = fieldOf(exchange, "accessToken");
  const refresh = fieldOf(exchange, "refreshToken");
  if (succeeded(exchange) && name === "callback") {
    walk.tokens = { access, refresh };
    // The code has no more business in the address bar and the history.
    history.replaceState(null, "", facts.callbackUrl);
  }
  if (succeeded(exchange) && name === "refresh") {
    // The same successor again is not a new generation.
    const before = walk.tokens?.refresh === refresh ? walk.tokens.spent : walk.tokens?.refresh;
    walk.tokens = { access, refresh, ...(before !== undefined && { spent: before }), refreshedAt: Date.now() };
    delete walk.exchanges["old-refresh"];
  }
  show();
  bringAnswerIntoView(name);
  const { call, answer } = exchange;
  speak(`${call.method} ${call.path}: ${answer ? `${answer.status} ${answer.statusText}` : "no answer"}`);
}

/** On a phone, or in a low window, the answer lies below what can be seen. */
function bringAnswerIntoView(name: CallName): void {
  const answer = [...(control(name)?.closest(".step")?.querySelectorAll(".answer") ?? [])].at(-1);
  if (!answer || answer.getBoundingClientRect().top < innerHeight * 0.75) return;
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  answer.scrollIntoView({ block: "center", behavior: calm ? "instant" : "smooth" });
}

async function beginAnew(): Promise<void> {
  const { method, pkce } = walk;
  walk = { ...(await newWalk()), method, pkce };
  history.replaceState(null, "", demoUrl);
  show();
  scrollTo({ top: 0 });
  document.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
}
