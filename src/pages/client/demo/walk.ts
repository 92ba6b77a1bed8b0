import { succeeded, type Exchange } from "./api.ts";
import { challengeFor, randomText, webhookSecret } from "./random.ts";

export type CallName =
  | "initiate"
  | "callback"
  | "validate"
  | "profile"
  | "methods"
  | "refresh"
  | "old-refresh"
  | "logout"
  | "dead-token"
  | FurtherCall;
export type FurtherStep = "wiki" | "rename" | "add-method" | "application" | "endpoint" | "config";
export type FurtherCall =
  | FurtherStep
  | "wiki-userinfo"
  | "remove-method"
  | "rename-app"
  | "sample"
  | "remove-endpoint"
  | "verify-token"
  | "current-user";
export type StepName =
  | "initiate"
  | "hosted"
  | "return"
  | "callback"
  | "validate"
  | "profile"
  | "refresh"
  | "logout"
  | FurtherStep;
export type Method = "any" | "passkey" | "password";

/**
 * The state of one sign-in through the demo. Kept in this tab's storage, because the hosted page
 * comes in between.
 */
export type Walk = {
  method: Method;
  pkce: boolean;
  allSessions: boolean;
  state: string;
  codeVerifier: string;
  codeChallenge: string;
  exchanges: Partial<Record<CallName, Exchange>>;
  /** The query of the redirect back to the app, and its time. */
  returned?: { query: string; at: number };
  /** `spent` is the refresh token before the last refresh, at `refreshedAt`. */
  tokens?: { access: string; refresh: string; spent?: string; refreshedAt?: number };
  /** Input of the further steps. */
  personName: string;
  appName: string;
  addType: string;
  /** The state of the session that adds a method, and the query of its redirect back. */
  addState: string;
  added?: string;
  /**
   * This browser's webhook inbox: its part of the URL, its secret, and its endpoint once
   * registered.
   */
  hook: { inbox: string; secret: string; endpointId?: string };
  wiki: WikiVisit;
};

/**
 * A sign-in to the second program, which is an OpenID Connect client. `returned`: the query with
 * its code. `isOver`: it has signed out, and the app with it.
 */
export type WikiVisit = {
  state: string;
  nonce: string;
  codeVerifier: string;
  codeChallenge: string;
  returned?: string;
  isOver?: true;
};

export async function newWalk(): Promise<Walk> {
  const codeVerifier = randomText();
  const codeChallenge = await challengeFor(codeVerifier);
  const wikiVerifier = randomText();
  const choice = { method: "any", pkce: false, allSessions: false } as const;
  return {
    ...choice,
    state: randomText(),
    codeVerifier,
    codeChallenge,
    exchanges: {},
    personName: "Ada Byron",
    appName: "Acme",
    addType: "passkey",
    addState: randomText(),
    hook: { inbox: randomText(), secret: webhookSecret() },
    wiki: {
      state: randomText(),
      nonce: randomText(),
      codeVerifier: wikiVerifier,
      codeChallenge: await challengeFor(wikiVerifier),
    },
  };
}

/** Calls of the app, not of one sign-in: a new sign-in keeps them. */
export function callsOfApp({ exchanges }: Walk): Walk["exchanges"] {
  const names: CallName[] = ["application", "rename-app", "endpoint", "sample", "remove-endpoint", "config"];
  return Object.fromEntries(names.flatMap((name) => (exchanges[name] ? [[name, exchanges[name]]] : [])));
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
    // Storage is disabled: the walk ends at the hosted page, because its state is lost.
  }
}

/**
 * What a return to the redirect URI means; `state` decides first. "elsewhere": not started by this
 * tab, perhaps by the developer's program. "foreign": this tab started another sign-in.
 */
export type Return = {
  parameters: [name: string, value: string][];
  verdict: "code" | "error" | "foreign" | "elsewhere";
};

export function returnOf({ returned, state, exchanges }: Walk): Return | undefined {
  if (returned === undefined) return undefined;
  const query = new URLSearchParams(returned.query);
  const parameters = [...query];
  if (query.get("state") !== state) return { parameters, verdict: exchanges.initiate ? "foreign" : "elsewhere" };
  return { parameters, verdict: query.has("code") ? "code" : "error" };
}

export function parameterOf(walk: Walk, name: string): string {
  return new URLSearchParams(walk.returned?.query).get(name) ?? "";
}

/**
 * Whether the tokens' login has ended: signed out, here or at the second program, or ended by a
 * late reuse of a spent refresh token.
 */
export function isOver({ exchanges, wiki }: Walk): boolean {
  return wiki.isOver === true || succeeded(exchanges.logout) || exchanges["old-refresh"]?.answer?.status === 401;
}

/** The state of every step. "open": available, but another one is next. */
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
    return: isBack ? "done" : verdict === undefined ? "later" : verdict === "elsewhere" ? "open" : "failed",
    callback: tokens ? "done" : isBack ? "current" : "later",
    validate: withTokens(checked, true),
    profile: withTokens(read, checked),
    refresh: withTokens(refreshed, checked && read),
    logout: withTokens(succeeded(exchanges.logout), checked && read && refreshed),
    wiki: succeeded(exchanges.wiki) ? "done" : walk.wiki.returned === undefined ? "later" : "open",
    rename: withTokens(succeeded(exchanges.rename), false),
    "add-method": withTokens(walk.added?.includes("methodId=") === true, false),
    application: succeeded(exchanges.application) ? "done" : "open",
    endpoint: walk.hook.endpointId === undefined ? "open" : "done",
    config: succeeded(exchanges.config) ? "done" : "open",
  };
}
