/**
 * How long logins and browser sessions live (docs/decisions/0102). Instants and lives are
 * milliseconds.
 */
import type { Application } from "../applications/application.ts";
import type { Client } from "../applications/clients/client.ts";
import { hour, second } from "../lib/clock.ts";
import { sessionLives } from "../storage/column-types.ts";
import type { BrowserSession } from "./browser-session-store.ts";
import type { Login } from "./login.ts";

const usualIdle = sessionLives.idle * second;
const usualAbsolute = sessionLives.absolute * second;
/** A login without refresh tokens ends with the browser session that opened it, or by then. */
const loginWithoutRefreshLastsFor = 12 * hour;
const browserSessionLasts = 12 * hour;

/** The lives of an application's and a client's logins, where one of them sets any. */
export type Lives = { idle: number; sinceProof: number; sinceStart: number };

export type ClientLives = Pick<Client, "loginIdleSeconds" | "loginAbsoluteSeconds">;

/** Undefined: the built-in lives, which move no login's end. */
export function livesOf({ settings }: Pick<Application, "settings">, client?: ClientLives): Lives | undefined {
  const { sessionIdleSeconds: idle, sessionAbsoluteSeconds: absolute } = settings;
  const ofClient = { idle: client?.loginIdleSeconds ?? undefined, absolute: client?.loginAbsoluteSeconds ?? undefined };
  const isSet = (seconds: number | undefined) => seconds !== undefined;
  if (!isSet(idle) && !isSet(absolute) && !isSet(ofClient.idle) && !isSet(ofClient.absolute)) return undefined;
  const shorter = (usual: number, seconds = Number.POSITIVE_INFINITY) => Math.min(usual, seconds * second);
  return {
    idle: shorter(idle === undefined ? usualIdle : idle * second, ofClient.idle),
    sinceProof: absolute === undefined ? Number.POSITIVE_INFINITY : absolute * second,
    sinceStart: shorter(absolute === undefined ? usualAbsolute : Number.POSITIVE_INFINITY, ofClient.absolute),
  };
}

/** Since when a login must have been refreshed. */
export function idleSince(lives: Lives | undefined, now: number): number {
  return now - (lives?.idle ?? usualIdle);
}

type Begun = Pick<Login, "createdAt" | "signedInAt">;

/** When a login ends at the latest, in use or not. */
export function absoluteEnd({ createdAt, signedInAt }: Begun, lives: Lives | undefined): number {
  if (!lives) return createdAt + usualAbsolute;
  return Math.min(createdAt + lives.sinceStart, signedInAt + lives.sinceProof);
}

/**
 * The end of a login that is used now. Stored in its row, so that everything that asks whether it
 * is live agrees.
 */
export function endOfUsed(login: Begun, lives: Lives | undefined, now: number): number {
  const end = absoluteEnd(login, lives);
  return lives ? Math.min(end, now + lives.idle) : end;
}

/** The same for one without refresh tokens, whose use nobody sees. */
export function endWithoutRefresh(login: Begun, lives: Lives | undefined): number {
  const end = login.createdAt + loginWithoutRefreshLastsFor;
  return lives ? Math.min(end, absoluteEnd(login, lives)) : end;
}

/**
 * The end of a browser session that is used now. The application's settings only make it shorter.
 */
export function endOfBrowserSession(
  { createdAt }: Pick<BrowserSession, "createdAt">,
  { settings }: Pick<Application, "settings">,
  now: number,
): number {
  const { sessionIdleSeconds: idle, sessionAbsoluteSeconds: absolute } = settings;
  return Math.min(
    createdAt + browserSessionLasts,
    createdAt + (absolute ?? Number.POSITIVE_INFINITY) * second,
    now + (idle ?? Number.POSITIVE_INFINITY) * second,
  );
}
