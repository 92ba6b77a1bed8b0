/** The secrets of clients. */
import { day, isoTime } from "../../lib/clock.ts";
import { credentialRule, isPossibleCredential, newCredential } from "../../lib/credentials.ts";
import { AppError, invalidRequest } from "../../lib/errors.ts";
import { digestOf, newId } from "../../lib/random.ts";
import * as audit from "../../records/audit/audit.ts";
import type { Actor } from "../../records/audit/audit.ts";
import * as revocationRecords from "../../records/revocations/records.ts";
import type { Context } from "../../runtime/context.ts";
import type { Handle } from "../../storage/storage.ts";
import { clientNotFound, type Client } from "./client.ts";
import { refuseSecrets } from "./rules.ts";
import * as store from "./secret-store.ts";
import type { ClientSecret } from "./secret-store.ts";
import { findClient, lockClientForChange } from "./store.ts";

const longestOverlap = 90 * day;
/** Live secrets per client: enough for every stage of a rotation. */
const maxSecrets = 10;
/** Ended secrets stay visible as long as the audit log mentions them. */
const endedSecretsAreKept = 90 * day;

/** A new secret, shown only once. */
export type NewSecretAnswer = { id: string; clientId: string; secret: string; createdAt: string };

/** A secret without its text. */
export type SecretAnswer = {
  id: string;
  clientId: string;
  state: "live" | "expired" | "revoked";
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
};

function isLive({ expiresAt, revokedAt }: ClientSecret, now: number): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > now);
}

function secretAnswer(secret: ClientSecret, now: number): SecretAnswer {
  const { id, clientId, createdAt, expiresAt, revokedAt } = secret;
  return {
    id,
    clientId,
    state: revokedAt === null ? (isLive(secret, now) ? "live" : "expired") : "revoked",
    createdAt: isoTime(createdAt),
    expiresAt: expiresAt === null ? null : isoTime(expiresAt),
    revokedAt: revokedAt === null ? null : isoTime(revokedAt),
  };
}

async function note(
  ctx: Context,
  tx: Handle,
  actor: Actor,
  action: string,
  { client: { id: clientId, appId }, secretId }: { client: Pick<Client, "id" | "appId">; secretId: string },
  now: number,
): Promise<void> {
  const about = { appId, details: { clientId, secretId }, target: clientId };
  await audit.record(ctx, tx, { actor, action, result: "success", ...about }, now);
}

/** Throws INVALID_REQUEST if the operator's own secret is not acceptable. */
export function chosenOrNew(ctx: Context, chosen: string | undefined): string {
  if (chosen !== undefined && !isPossibleCredential(chosen)) throw invalidRequest("secret", credentialRule);
  return chosen ?? newCredential("cs", ctx.random);
}

/** Throws CONFLICT. The client must be locked: concurrent calls count each other's secrets. */
export async function insert(
  ctx: Context,
  tx: Handle,
  client: Client,
  secret: string,
  actor: Actor,
  now: number,
): Promise<NewSecretAnswer> {
  const { id: clientId } = client;
  refuseSecrets(client);
  if ((await store.countLiveSecrets(tx, clientId, now)) >= maxSecrets)
    throw new AppError("CONFLICT", "The client has the maximum number of secrets.", {
      details: `live secrets: at most ${maxSecrets}`,
    });
  const id = newId("sec", now, ctx.random);
  const secretDigest = digestOf(secret);
  const row = { id, clientId, secretDigest, createdAt: now, expiresAt: null, revokedAt: null };
  if (!(await store.insertSecret(tx, row))) throw new AppError("CONFLICT", "This client secret is already in use.");
  await note(ctx, tx, actor, "client-secret.create", { client, secretId: id }, now);
  return { id, clientId, secret, createdAt: isoTime(now) };
}

/** Throws CONFLICT if the client has live secrets, which its profile does not allow. */
export async function refuseLive(handle: Handle, { id, profile }: Client, now: number): Promise<void> {
  if ((await store.countLiveSecrets(handle, id, now)) === 0) return;
  throw new AppError(
    "CONFLICT",
    `A client with the profile ${profile} signs with its keys. Revoke its secrets first.`,
    {
      details: `To find them: authsvc client secret list ${id}`,
    },
  );
}

async function locked(tx: Handle, clientId: string, now: number): Promise<Client> {
  const client = await lockClientForChange(tx, clientId, now);
  if (!client) throw clientNotFound();
  return client;
}

/** The id of a live secret of the client. Takes the same time for every client and secret. */
export async function liveId(ctx: Context, clientId: string, secret: string): Promise<string | undefined> {
  const secretRow = await store.findSecretByDigest(ctx.storage.reader, digestOf(secret));
  return secretRow?.clientId === clientId && isLive(secretRow, ctx.clock()) ? secretRow.id : undefined;
}

/** Whether the secret with this id is a live one of the client. */
export async function isLiveId(handle: Handle, clientId: string, id: string, now: number): Promise<boolean> {
  const secretRow = await store.findSecret(handle, id);
  return secretRow?.clientId === clientId && isLive(secretRow, now);
}

/** Tells servers that verify tokens themselves that some tokens of a machine may have ended. */
export async function announceEnd(
  ctx: Context,
  tx: Handle,
  { id: userId, appId, kind }: Pick<Client, "id" | "appId" | "kind">,
  now: number,
): Promise<void> {
  if (kind === "machine") await revocationRecords.user(ctx, tx, { appId, userId }, now);
}

/** Removes secrets that ended long ago. */
export async function sweep(tx: Handle, now: number): Promise<void> {
  await store.removeSecretsEndedBefore(tx, now - endedSecretsAreKept);
}

/**
 * Creates another secret of a client. Throws CLIENT_NOT_FOUND, INVALID_REQUEST, CONFLICT.
 */
export async function createSecret(
  ctx: Context,
  { clientId, secret }: { clientId: string; secret?: string | undefined },
  actor: Actor,
): Promise<NewSecretAnswer> {
  const chosen = chosenOrNew(ctx, secret);
  const now = ctx.clock();
  return await ctx.storage.write(
    async (tx) => await insert(ctx, tx, await locked(tx, clientId, now), chosen, actor, now),
  );
}

/** The secret with this text, of any client; undefined if there is none. */
export async function findSecret(ctx: Context, secret: string): Promise<SecretAnswer | undefined> {
  const secretRow = await store.findSecretByDigest(ctx.storage.reader, digestOf(secret));
  return secretRow && secretAnswer(secretRow, ctx.clock());
}

/** All secrets or those of one client, oldest first. Throws CLIENT_NOT_FOUND. */
export async function listSecrets(ctx: Context, clientId?: string): Promise<SecretAnswer[]> {
  if (clientId !== undefined && !(await findClient(ctx.storage.reader, clientId))) throw clientNotFound();
  const now = ctx.clock();
  return (await store.listSecrets(ctx.storage.reader, clientId)).map((secret) => secretAnswer(secret, now));
}

/**
 * Creates a secret and ends the existing ones after `overlap` milliseconds (0: now) unless
 * they end sooner; these are returned as `ending`. Throws CLIENT_NOT_FOUND, INVALID_REQUEST,
 * CONFLICT.
 */
export async function rotateSecret(
  ctx: Context,
  { clientId, overlap, secret }: { clientId: string; overlap: number; secret?: string | undefined },
  actor: Actor,
): Promise<NewSecretAnswer & { ending: SecretAnswer[] }> {
  if (!Number.isInteger(overlap) || overlap < 0 || overlap > longestOverlap)
    throw invalidRequest("overlap", `from 0 to ${longestOverlap / day} days`);
  const chosen = chosenOrNew(ctx, secret);
  const now = ctx.clock();
  return await ctx.storage.write(async (tx) => {
    const client = await locked(tx, clientId, now);
    const end = { expiresAt: now + overlap, revokedAt: overlap === 0 ? now : null };
    const ending = await store.expireSecrets(tx, clientId, end);
    for (const { id: secretId } of ending)
      await note(ctx, tx, actor, "client-secret.expire", { client, secretId }, now);
    if (overlap === 0 && ending.length > 0) await announceEnd(ctx, tx, client, now);
    return {
      ...(await insert(ctx, tx, client, chosen, actor, now)),
      ending: ending.map((one) => secretAnswer(one, now)),
    };
  });
}

/** Ends a secret at once; does nothing if it has ended. Throws KEY_NOT_FOUND. */
export async function revokeSecret(ctx: Context, id: string, actor: Actor): Promise<SecretAnswer> {
  const now = ctx.clock();
  return await ctx.storage.write(async (tx) => {
    const revoked = await store.revokeSecret(tx, id, now);
    const client = revoked && (await findClient(tx, revoked.clientId));
    if (client) {
      await note(ctx, tx, actor, "client-secret.revoke", { client, secretId: id }, now);
      await announceEnd(ctx, tx, client, now);
    }
    const secret = revoked ?? (await store.findSecret(tx, id));
    if (!secret) throw new AppError("KEY_NOT_FOUND", "There is no client secret with this id.");
    return secretAnswer(secret, now);
  });
}
