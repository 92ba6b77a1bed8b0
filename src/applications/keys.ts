/** The API keys of applications' servers. */
import { day, isoTime } from "../lib/clock.ts";
import { credentialRule, isPossibleCredential, newCredential } from "../lib/credentials.ts";
import { AppError, applicationNotFound, invalidRequest } from "../lib/errors.ts";
import { checkedName } from "../lib/names.ts";
import { digestOf, newId } from "../lib/random.ts";
import * as audit from "../records/audit/audit.ts";
import type { Actor } from "../records/audit/audit.ts";
import type { CoreContext } from "../runtime/context.ts";
import type { Handle } from "../storage/storage.ts";
import { refuseConsoleApp } from "./console-app.ts";
import {
  countLiveApiKeys,
  expireApiKeys,
  findApiKey,
  findApiKeyByDigest,
  insertApiKey,
  listApiKeys,
  removeApiKey,
  removeApiKeysEndedBefore,
  revokeApiKey,
  type ApiKey,
} from "./key-store.ts";
import { findApplication, lockApplication } from "./store.ts";

const longestKeyOverlap = 90 * day;
/** Live keys per application: enough for every node and every stage of a rotation. */
const maxKeys = 50;
/** Ended keys stay visible as long as the audit log mentions them. */
const endedKeysAreKept = 90 * day;

/** A new key, shown only once. */
export type NewApiKeyAnswer = { id: string; appId: string; label: string | null; apiKey: string; createdAt: string };

/** A key without its secret. */
export type ApiKeyAnswer = {
  id: string;
  appId: string;
  label: string | null;
  state: "live" | "expired" | "revoked";
  createdAt: string;
  /** Accurate to an hour; null if never used. */
  lastUsedAt: string | null;
  expiresAt: string | null;
  revokedAt: string | null;
};

/** Throws INVALID_REQUEST. */
function checkedLabel(label: string | undefined): string | null {
  return label === undefined ? null : checkedName("label", label, 64);
}

function answerFor(key: ApiKey, now: number): ApiKeyAnswer {
  const { id, appId, label, createdAt, lastUsedAt, expiresAt, revokedAt } = key;
  const expired = expiresAt !== null && expiresAt <= now;
  return {
    id,
    appId,
    label,
    state: revokedAt === null ? (expired ? "expired" : "live") : "revoked",
    createdAt: isoTime(createdAt),
    lastUsedAt: lastUsedAt === null ? null : isoTime(lastUsedAt),
    expiresAt: expiresAt === null ? null : isoTime(expiresAt),
    revokedAt: revokedAt === null ? null : isoTime(revokedAt),
  };
}

async function note(
  ctx: CoreContext,
  tx: Handle,
  actor: Actor,
  action: string,
  key: ApiKey,
  now: number,
): Promise<void> {
  const { appId, id: keyId } = key;
  await audit.record(ctx, tx, { actor, action, result: "success", appId, details: { keyId }, target: keyId }, now);
}

/** Throws INVALID_REQUEST if the operator's own key is not acceptable. */
export function chosenOrNew(ctx: CoreContext, chosen: string | undefined): string {
  if (chosen !== undefined && !isPossibleCredential(chosen)) throw invalidRequest("apiKey", credentialRule);
  return chosen ?? newCredential("ak", ctx.random);
}

export async function insert(
  ctx: CoreContext,
  tx: Handle,
  { appId, apiKey, label = null }: { appId: string; apiKey: string; label?: string | null | undefined },
  actor: Actor,
  now: number,
): Promise<NewApiKeyAnswer> {
  if ((await countLiveApiKeys(tx, appId, now)) >= maxKeys)
    throw new AppError("CONFLICT", "The application has the maximum number of API keys.", {
      details: `live API keys: at most ${maxKeys}`,
    });
  const id = newId("key", now, ctx.random);
  const keyDigest = digestOf(apiKey);
  const key = { id, appId, keyDigest, label, lastUsedAt: null, createdAt: now, expiresAt: null, revokedAt: null };
  if (!(await insertApiKey(tx, key))) throw new AppError("CONFLICT", "This API key is already in use.");
  await note(ctx, tx, actor, "api-key.create", key, now);
  return { id, appId, label, apiKey, createdAt: isoTime(now) };
}

/** Removes keys that ended long ago. */
export async function sweep(tx: Handle, now: number): Promise<void> {
  await removeApiKeysEndedBefore(tx, now - endedKeysAreKept);
}

/**
 * Creates another API key for an application. Throws APP_NOT_FOUND, INVALID_REQUEST,
 * CONFLICT.
 */
export async function createKey(
  ctx: CoreContext,
  input: { appId: string; apiKey?: string | undefined; label?: string | undefined },
  actor: Actor,
): Promise<NewApiKeyAnswer> {
  const { appId } = input;
  refuseConsoleApp(appId);
  const apiKey = chosenOrNew(ctx, input.apiKey);
  const label = checkedLabel(input.label);
  const now = ctx.clock();
  return await ctx.storage.write(async (tx) => {
    // Locked, so that two concurrent calls count each other's key.
    if (!(await lockApplication(tx, appId, now))) throw applicationNotFound();
    return await insert(ctx, tx, { appId, apiKey, label }, actor, now);
  });
}

/** The key with this text, of any application; undefined if there is none. */
export async function findKey(ctx: CoreContext, apiKey: string): Promise<ApiKeyAnswer | undefined> {
  const key = await findApiKeyByDigest(ctx.storage.reader, digestOf(apiKey));
  return key && answerFor(key, ctx.clock());
}

/** All keys or those of one application, oldest first. Throws APP_NOT_FOUND. */
export async function listKeys(ctx: CoreContext, appId?: string): Promise<ApiKeyAnswer[]> {
  if (appId !== undefined && !(await findApplication(ctx.storage.reader, appId))) throw applicationNotFound();
  const now = ctx.clock();
  return (await listApiKeys(ctx.storage.reader, appId)).map((key) => answerFor(key, now));
}

/**
 * Creates a key and ends the existing ones after `overlap` milliseconds (0: now) unless they
 * end sooner; these are returned as `ending`. Throws APP_NOT_FOUND, INVALID_REQUEST,
 * CONFLICT.
 */
export async function rotateKey(
  ctx: CoreContext,
  input: { appId: string; overlap: number; apiKey?: string | undefined; label?: string | undefined },
  actor: Actor,
): Promise<NewApiKeyAnswer & { ending: ApiKeyAnswer[] }> {
  const { appId, overlap } = input;
  if (!Number.isInteger(overlap) || overlap < 0 || overlap > longestKeyOverlap)
    throw invalidRequest("overlap", `from 0 to ${longestKeyOverlap / day} days`);
  const apiKey = chosenOrNew(ctx, input.apiKey);
  const label = checkedLabel(input.label);
  const now = ctx.clock();
  return await ctx.storage.write(async (tx) => {
    // Locked, so that two concurrent rotations see each other's key.
    if (!(await lockApplication(tx, appId, now))) throw applicationNotFound();
    const end = { expiresAt: now + overlap, revokedAt: overlap === 0 ? now : null };
    const ending = await expireApiKeys(tx, appId, end);
    for (const key of ending) await note(ctx, tx, actor, "api-key.expire", key, now);
    return {
      ...(await insert(ctx, tx, { appId, apiKey, label }, actor, now)),
      ending: ending.map((key) => answerFor(key, now)),
    };
  });
}

/**
 * Frees the key for another application. Only for an application that is being removed: ended
 * keys otherwise stay visible.
 */
export async function removeKey(ctx: CoreContext, id: string): Promise<void> {
  await ctx.storage.write((tx) => removeApiKey(tx, id));
}

/** Ends a key at once; does nothing if it has ended. Throws KEY_NOT_FOUND. */
export async function revokeKey(ctx: CoreContext, id: string, actor: Actor): Promise<ApiKeyAnswer> {
  const now = ctx.clock();
  return await ctx.storage.write(async (tx) => {
    const revoked = await revokeApiKey(tx, id, now);
    if (revoked) await note(ctx, tx, actor, "api-key.revoke", revoked, now);
    const key = revoked ?? (await findApiKey(tx, id));
    if (!key) throw new AppError("KEY_NOT_FOUND", "There is no API key with this id.");
    return answerFor(key, now);
  });
}
