import { isoTime } from "../../lib/clock.ts";
import { AppError, invalidRequest } from "../../lib/errors.ts";
import { didYouMean, nearest } from "../../lib/nearest.ts";
import type { Keyring } from "../../secrets/keyring.ts";
import { eventKinds, type EventKind, type DisabledReason } from "../../storage/column-types.ts";
import type { EndpointRow } from "./endpoint-store.ts";
import { targetProblem, type TargetPolicy } from "./target.ts";

/** An endpoint as shown, without its secret. */
export type EndpointAnswer = {
  id: string;
  appId: string;
  url: string;
  events: EventKind[];
  enabled: boolean;
  disabledReason: DisabledReason | null;
  /** The first failure since the last success. */
  failingSince: string | null;
  /** Until when the previous secret also signs. */
  oldSecretUntil: string | null;
  createdAt: string;
  updatedAt: string;
};

export function endpointAnswer(endpoint: Omit<EndpointRow, "encryptedSecret">, now: number): EndpointAnswer {
  const { id, appId, url, events, enabled, disabledReason, failingSince, oldSecretUntil, createdAt, updatedAt } =
    endpoint;
  return {
    id,
    appId,
    url,
    events,
    enabled,
    disabledReason,
    failingSince: failingSince === null ? null : isoTime(failingSince),
    oldSecretUntil: oldSecretUntil === null || oldSecretUntil <= now ? null : isoTime(oldSecretUntil),
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  };
}

/** An endpoint that webhooks show and change; undefined for a receiver of logout tokens. */
export function asWebhook(endpoint: EndpointRow | undefined): EndpointRow | undefined {
  return endpoint?.clientId === null ? endpoint : undefined;
}

/** The same for unknown and foreign ids. */
export function endpointNotFound(): AppError {
  return new AppError("WEBHOOK_NOT_FOUND", "There is no webhook endpoint with this id.");
}

/** Throws INVALID_REQUEST naming the field, like the next one. */
export function checkedUrl(url: string, policy: TargetPolicy): string {
  const problem = targetProblem(url, policy);
  if (problem !== undefined) throw invalidRequest("url", problem);
  return url;
}

/** The kinds in a fixed order without duplicates. */
export function checkedEvents(events: string[]): EventKind[] {
  const unknown = events.findIndex((event) => !eventKinds.some((kind) => kind === event));
  if (unknown !== -1) {
    const meant = didYouMean(nearest(events[unknown] ?? "", eventKinds));
    throw invalidRequest(`events[${unknown}]`, `one of ${eventKinds.join(", ")}${meant}`);
  }
  if (events.length === 0) throw invalidRequest("events", "at least one");
  return eventKinds.filter((kind) => events.includes(kind));
}

/** Table and row, so that a secret cannot be moved to another endpoint. */
export function secretContext(endpointId: string): string {
  return `webhook_endpoints ${endpointId}`;
}

/** The secrets that sign now: the current one and, for a while, the previous one. */
export function secretsOf(endpoint: EndpointRow, keyring: Keyring, now: number): string[] {
  const { id, encryptedSecret, encryptedOldSecret, oldSecretUntil } = endpoint;
  const isOverlap = encryptedOldSecret !== null && oldSecretUntil !== null && oldSecretUntil > now;
  const encrypted = isOverlap ? [encryptedSecret, encryptedOldSecret] : [encryptedSecret];
  return encrypted.map((text) => keyring.decrypt(text, secretContext(id)));
}
