import { fieldOf, succeeded } from "./api.ts";
import { countDown, stopCountdown } from "./countdown.ts";
import { control, part } from "./element.ts";
import type { Facts } from "./facts.ts";
import { endOfToken } from "./token.ts";
import { isOver, returnOf, type CallName, type Walk } from "./walk.ts";

const codeMilliseconds = 60_000;
const graceMilliseconds = 10_000;

/** Updates the left side of every step: available buttons and remaining times. */
export function showControls(walk: Walk, facts: Facts): void {
  const { exchanges, tokens } = walk;
  const isBack = returnOf(walk)?.verdict === "code";
  const isStarted = succeeded(exchanges.initiate) || isBack;
  const isSignedOut = succeeded(exchanges.logout);
  setButton("initiate", isStarted ? "used" : "ready");
  setButton("callback", tokens ? "used" : isBack ? "ready" : "not-yet");
  setButton("validate", tokens ? "ready" : "not-yet");
  setButton("profile", tokens ? "ready" : "not-yet");
  setButton("methods", tokens ? "ready" : "not-yet");
  setButton("refresh", tokens ? "ready" : "not-yet");
  setButton("logout", isSignedOut ? "used" : tokens ? "ready" : "not-yet");
  setButton("old-refresh", "ready");
  setButton("dead-token", "ready");
  show("old-refresh", tokens?.spent !== undefined);
  show("dead-token", isSignedOut);
  setLink("hosted", isStarted && !isBack ? fieldOf(exchanges.initiate, "authUrl") : "");
  setLink("account", tokens && !isSignedOut ? `/account?app_id=${encodeURIComponent(facts.appId)}` : "");
  showChoices(walk, isStarted, isSignedOut);
  showTimers(walk, isBack);
}

/** A used button keeps its focus: it is marked as disabled and does nothing. */
export function setButton(act: CallName, state: "not-yet" | "ready" | "used"): void {
  const button = control(act) as HTMLButtonElement | null;
  if (!button) return;
  button.disabled = state === "not-yet";
  button.ariaDisabled = state === "used" ? "true" : null;
}

export function show(name: string, visible: boolean): void {
  const shown = part(document, name);
  if (shown) shown.hidden = !visible;
}

export function setLink(act: "hosted" | "account" | "add-page" | "wiki-page" | "wiki-out", address: string): void {
  const link = control(act);
  if (!link) return;
  if (address === "") link.removeAttribute("href");
  else link.setAttribute("href", address);
  link.ariaDisabled = address === "" ? "true" : null;
}

/** Also after a reload, when the browser would restore old choices. */
function showChoices(walk: Walk, isStarted: boolean, isSignedOut: boolean): void {
  for (const radio of document.querySelectorAll<HTMLInputElement>("[name=method]")) {
    radio.checked = radio.value === walk.method;
    radio.disabled = isStarted;
  }
  tick("pkce", walk.pkce, isStarted);
  tick("all-sessions", walk.allSessions, isSignedOut);
}

function tick(id: string, checked: boolean, disabled: boolean): void {
  const box = document.querySelector<HTMLInputElement>(`#${id}`);
  if (!box) return;
  box.checked = checked;
  box.disabled = disabled;
}

function showTimers(walk: Walk, isBack: boolean): void {
  const { exchanges, tokens, returned } = walk;
  const sessionEnd = Date.parse(fieldOf(exchanges.initiate, "expiresAt"));
  setTimer(
    "session",
    isBack ? undefined : sessionEnd,
    "The session is open for {time}",
    "The session has timed out: start again",
  );
  const codeEnd = isBack && returned && !tokens ? returned.at + codeMilliseconds : undefined;
  setTimer("code", codeEnd, "The code is good for {time}", "The code has expired: start again");
  const accessEnd = tokens && !isOver(walk) ? endOfToken(tokens.access) : undefined;
  setTimer("access", accessEnd, "The access token is good for {time}", "The access token has expired: refresh");
  const refreshedAt = isOver(walk) ? undefined : tokens?.refreshedAt;
  const graceEnd = refreshedAt === undefined ? undefined : refreshedAt + graceMilliseconds;
  setTimer(
    "grace",
    graceEnd,
    "For {time} the old refresh token still gets this same answer",
    "The old refresh token now counts as stolen: using it ends the sign-in",
  );
}

function setTimer(name: string, until: number | undefined, words: string, over: string): void {
  const target = document.querySelector<HTMLElement>(`[data-timer="${name}"]`);
  if (!target) return;
  if (until === undefined || Number.isNaN(until)) stopCountdown(target);
  else countDown(target, { until, words, over });
}
