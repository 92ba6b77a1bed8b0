import { succeeded, type Exchange } from "./api.ts";
import { challengeFor, randomText } from "./random.ts";

export type CallName =
  | "initiate"
  | "callback"
  | "validate"
  | "profile"
  | "methods"
  | "refresh"
  | "old-refresh"
  | "logout"
  | "dead-token";
export type StepName = "initiate" | "hosted" | "return" | "callback" | "validate" | "profile" | "refresh" | "logout";
export type Method = "any" | "passkey" | "password";

/** How far one sign-in has come. Kept in this tab's storage, because the way leads over the hosted page and back. */
export type Walk = {
  method: Method;
  pkce: boolean;
  allSessions: boolean;
  state: string;
  codeVerifier: string;
  codeChallenge: string;
  exchanges: Partial<Record<CallName, Exchange>>;
  /** The query of the address that the browser came back to, and when that was. */
  returned?: { query: string; at: number };
  /** `spent` is the refresh token before the last refresh, which was at `refreshedAt`. */
  tokens?: { access: string; refresh: string; spent?: string; refreshedAt?: number };
};

export async function newWalk(): Promise<Walk> {
  const codeVerifier = randomText();
  const codeChallenge = await challengeFor(codeVerifier);
  const choice = { method: "any", pkce: false, allSessions: false } as const;
  return { ...choice, state: randomText(), codeVerifier, codeChallenge, exchanges: {} };
}

const storageKey = "authsvc-demo";

export function loadWalk(): Walk | undefined {
  try {
    const text = sessionStorage.getItem(storageKey);
    return text === null ? undefined : (JSON.parse(text) as Walk);
  } catch {
    return undefined;
  }
}

export function saveWalk(walk: Walk): void {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(walk));
  } catch {
    // Storage is switched off: the walk ends at the hosted page, because nobody will know its state.
  }
}

/** What a return to the redirect address means to the app. Its `state` decides before anything else. */
export type Return = { parameters: [name: string, value: string][]; verdict: "code" | "error" | "foreign" };

export function returnOf({ returned, state }: Walk): Return | undefined {
  if (returned === undefined) return undefined;
  const query = new URLSearchParams(returned.query);
  const parameters = [...query];
  if (query.get("state") !== state) return { parameters, verdict: "foreign" };
  return { parameters, verdict: query.has("code") ? "code" : "error" };
}

export function parameterOf(walk: Walk, name: string): string {
  return new URLSearchParams(walk.returned?.query).get(name) ?? "";
}

/** Whether the login that the tokens belong to is over: signed out, or ended by a spent refresh token that came back too late. */
export function isOver({ exchanges }: Walk): boolean {
  return succeeded(exchanges.logout) || exchanges["old-refresh"]?.answer?.status === 401;
}

/** Where every step stands. "open": can be done, but another is next. */
export type StepState = "done" | "current" | "failed" | "open" | "later";

export function stepStates(walk: Walk): Record<StepName, StepState> {
  const { exchanges, tokens } = walk;
  const verdict = returnOf(walk)?.verdict;
  const hasSession = succeeded(exchanges.initiate);
  const withTokens = (isDone: boolean, isNext: boolean): StepState => {
    if (tokens === undefined) return "later";
    return isDone ? "done" : isNext && !isOver(walk) ? "current" : "open";
  };
  const checked = exchanges.validate !== undefined;
  const read = exchanges.profile !== undefined || exchanges.methods !== undefined;
  const refreshed = exchanges.refresh !== undefined;
  const isBack = verdict === "code";
  return {
    initiate: hasSession || isBack ? "done" : "current",
    hosted: isBack ? "done" : hasSession ? "current" : "later",
    return: isBack ? "done" : verdict === undefined ? "later" : "failed",
    callback: tokens ? "done" : isBack ? "current" : "later",
    validate: withTokens(checked, true),
    profile: withTokens(read, checked),
    refresh: withTokens(refreshed, checked && read),
    logout: withTokens(succeeded(exchanges.logout), checked && read && refreshed),
  };
}
