/**
 * The endpoints of apps. Answers, log lines and audit events never contain a secret or address.
 */
import * as applications from "../../applications/service.ts";
import { day, minute, second } from "../../lib/clock.ts";
import { AppError, applicationNotFound, invalidRequest } from "../../lib/errors.ts";
import { checkedId } from "../../lib/names.ts";
import { newId } from "../../lib/random.ts";
import type { RequestSource } from "../../lib/request-source.ts";
import type { Context } from "../../runtime/context.ts";
import type { DeliveryAttempt, EventKind } from "../../storage/column-types.ts";
import type { Handle } from "../../storage/storage.ts";
import * as audit from "../audit/audit.ts";
import type { Actor } from "../audit/audit.ts";
import { countWaitingDeliveries, hasFailedAttempts, measureWaiting } from "./delivery-list-store.ts";
import { removeDeliveries } from "./delivery-store.ts";
import {
  countEndpoints,
  listFailingEndpoints,
  findEndpoint,
  insertEndpoint,
  listEndpoints,
  lockEndpoints,
  removeEndpoint,
  lockEndpoint,
  updateEndpoint,
  type EndpointPage,
  type EndpointRow,
} from "./endpoint-store.ts";
import {
  asWebhook,
  checkedEvents,
  checkedUrl,
  endpointAnswer,
  endpointNotFound,
  secretContext,
  secretsOf,
  type EndpointAnswer,
} from "./endpoint.ts";
import { bodyOf, sampleOf } from "./event.ts";
import { sender } from "./sender.ts";
import { checkedSecret, signedHeaders } from "./signature.ts";
import { policyOf } from "./target.ts";

const maxEndpoints = 20;
/** So many failed attempts in a row are more than a restart of the receiver. */
const silentAfter = 10;
const maxSilent = 50;
const testsPerMinute = 10;
/** How long the previous secret also signs, by default. */
const usualOverlap = day;
const longestOverlap = 30 * day;

export type NewEndpoint = { id?: string | undefined; url: string; events: string[]; secret: string };

/** Omitted fields stay unchanged. */
export type EndpointChange = {
  url?: string | undefined;
  events?: string[] | undefined;
  enabled?: boolean | undefined;
  secret?: string | undefined;
  /** How long the previous secret also signs, in milliseconds; a day by default. */
  secretOverlap?: number | undefined;
};

/**
 * The caller: an app sees only its own endpoints, a command all. `dryRun`: checks everything,
 * changes nothing.
 */
export type EndpointCall = {
  actor: Actor;
  appId?: string | undefined;
  source?: RequestSource | undefined;
  dryRun?: boolean;
};

/** A receiver's reaction to a sample. */
export type TestAnswer = DeliveryAttempt & { delivered: boolean; event: EventKind; eventId: string };

async function record(
  ctx: Context,
  tx: Handle,
  action: "create" | "update" | "delete" | "test",
  { id, appId }: Pick<EndpointRow, "id" | "appId">,
  { actor, source, fields }: EndpointCall & { fields?: string },
  now: number,
): Promise<void> {
  const details = { endpointId: id, ...(fields === undefined ? {} : { fields }) };
  await audit.record(ctx, tx, { actor, action: `webhook.${action}`, result: "success", appId, source, details }, now);
}

async function find(handle: Handle, id: string, { appId }: Pick<EndpointCall, "appId">): Promise<EndpointRow> {
  const endpoint = asWebhook(await findEndpoint(handle, id));
  if (!endpoint || (appId !== undefined && endpoint.appId !== appId)) throw endpointNotFound();
  return endpoint;
}

async function changed(
  ctx: Context,
  handle: Handle,
  endpoint: EndpointRow,
  change: EndpointChange,
  now: number,
): Promise<EndpointRow> {
  const { url, events, enabled, secret, secretOverlap: overlap } = change;
  if (secret === undefined && overlap !== undefined) throw invalidRequest("secretOverlapSeconds", "only with secret");
  return {
    ...endpoint,
    url: url === undefined ? endpoint.url : checkedUrl(url, policyOf(ctx)),
    events: events === undefined ? endpoint.events : checkedEvents(events),
    // Enabling a failing endpoint gives it a new start, and so does another address.
    ...(url === undefined || url === endpoint.url ? {} : { failingSince: null }),
    ...(enabled === true ? { enabled, disabledReason: null, failingSince: null } : {}),
    ...(enabled === false && endpoint.enabled ? { enabled, disabledReason: "operator" } : {}),
    ...(secret === undefined ? {} : await rotated(ctx, handle, endpoint, secret, overlap ?? usualOverlap, now)),
    updatedAt: now,
  };
}

async function rotated(
  ctx: Context,
  handle: Handle,
  endpoint: EndpointRow,
  secret: string,
  overlap: number,
  now: number,
): Promise<Partial<EndpointRow>> {
  if (!Number.isInteger(overlap) || overlap < 0 || overlap > longestOverlap)
    throw invalidRequest("secretOverlapSeconds", `from 0 to ${longestOverlap / second}`);
  return {
    encryptedSecret: await encrypt(ctx, handle, endpoint.id, checkedSecret(secret)),
    encryptedOldSecret: overlap === 0 ? null : endpoint.encryptedSecret,
    oldSecretUntil: overlap === 0 ? null : now + overlap,
  };
}

async function encrypt(ctx: Context, handle: Handle, id: string, secret: string): Promise<string> {
  return await ctx.keyring.encrypt(handle, secret, secretContext(id));
}

/** Counted by the audit log, which API and commands share. */
async function admitTest(tx: Handle, { id, appId }: EndpointRow, now: number): Promise<void> {
  const recent = await audit.recent(tx, { appId, action: "webhook.test", since: now - minute + 1 });
  const oldest = recent.filter(({ details }) => details["endpointId"] === id).at(testsPerMinute - 1);
  if (oldest === undefined) return;
  throw new AppError(
    "RATE_LIMITED",
    `A webhook endpoint can be tested ${testsPerMinute} times a minute; wait a moment.`,
    {
      retryAfterSeconds: Math.max(1, Math.ceil((oldest.at + minute - now) / second)),
    },
  );
}

/**
 * Throws INVALID_REQUEST, APP_NOT_FOUND, or CONFLICT if the id is taken, and for the console's
 * application.
 */
export async function create(
  ctx: Context,
  appId: string,
  input: NewEndpoint,
  call: EndpointCall,
): Promise<EndpointAnswer> {
  applications.refuseConsoleApp(appId);
  const now = ctx.clock();
  const id = input.id === undefined ? newId("whe", now, ctx.random) : checkedId(input.id);
  const secret = checkedSecret(input.secret);
  const endpoint: Omit<EndpointRow, "encryptedSecret"> = {
    id,
    appId,
    clientId: null,
    url: checkedUrl(input.url, policyOf(ctx)),
    events: checkedEvents(input.events),
    encryptedOldSecret: null,
    oldSecretUntil: null,
    enabled: true,
    disabledReason: null,
    failingSince: null,
    createdAt: now,
    updatedAt: now,
  };
  const isTaken = new AppError("CONFLICT", "A webhook endpoint with this id already exists.");
  const check = async (handle: Handle): Promise<void> => {
    if (!(await applications.find(ctx, handle, appId))) throw applicationNotFound();
    if ((await countEndpoints(handle, appId)) >= maxEndpoints)
      throw new AppError("INVALID_REQUEST", "The application has the maximum number of webhook endpoints.", {
        details: `webhook endpoints: at most ${maxEndpoints}`,
        rejected: { field: "webhook endpoints", rule: `at most ${maxEndpoints}` },
      });
  };
  if (call.dryRun) {
    await check(ctx.storage.reader);
    if (await findEndpoint(ctx.storage.reader, id)) throw isTaken;
  } else {
    await ctx.storage.write(async (tx) => {
      await lockEndpoints(tx, appId);
      await check(tx);
      const encryptedSecret = await encrypt(ctx, tx, id, secret);
      if (!(await insertEndpoint(tx, { ...endpoint, encryptedSecret }))) throw isTaken;
      await record(ctx, tx, "create", endpoint, call, now);
    });
  }
  return endpointAnswer(endpoint, now);
}

/** Oldest first; without `appId`, of all applications. */
export async function list(ctx: Context, appId?: string): Promise<EndpointAnswer[]> {
  const now = ctx.clock();
  return (await listEndpoints(ctx.storage.reader, appId)).map((endpoint) => endpointAnswer(endpoint, now));
}

/**
 * Like `list`, with the number of waiting deliveries. For operators only, because counting many
 * takes a while.
 */
export async function listWithWaiting(ctx: Context, appId?: string): Promise<(EndpointAnswer & { waiting: number })[]> {
  const waiting = await countWaitingDeliveries(ctx.storage.reader);
  return (await list(ctx, appId)).map((endpoint) => ({ ...endpoint, waiting: waiting.get(endpoint.id) ?? 0 }));
}

/** A part of `list`, for pages of any number of endpoints. */
export async function listPage(
  ctx: Context,
  appId: string | undefined,
  page: EndpointPage,
): Promise<(EndpointAnswer & EndpointBacklog)[]> {
  const now = ctx.clock();
  const rows = await listEndpoints(ctx.storage.reader, appId, page);
  return await Promise.all(
    rows.map(async (row) => ({ ...endpointAnswer(row, now), ...(await backlogOf(ctx, row.id)) })),
  );
}

/** How many fail, or were disabled for it; at most `limit`. Of all applications without `appId`. */
export async function countFailing(ctx: Context, appId: string | undefined, limit: number): Promise<number> {
  return (await listFailingEndpoints(ctx.storage.reader, appId, limit)).length;
}

/** Nothing arrives there: its last ten attempts failed, or it was disabled for it. */
export type SilentEndpoint = { id: string; appId: string; url: string; since: number; isDisabled: boolean };

/** The first 50 of them, of all applications without `appId`. */
export async function silent(ctx: Context, appId: string | undefined): Promise<SilentEndpoint[]> {
  const { reader } = ctx.storage;
  const failing = await listFailingEndpoints(reader, appId, maxSilent);
  const found = await Promise.all(
    failing.map(async ({ enabled, failingSince, updatedAt, ...endpoint }) => {
      const since = failingSince ?? updatedAt;
      const isSilent =
        !enabled || (await hasFailedAttempts(reader, endpoint.id, { failingSince: since, attempts: silentAfter }));
      return isSilent ? [{ ...endpoint, since, isDisabled: !enabled }] : [];
    }),
  );
  return found.flat();
}

/** How many deliveries wait (at most 1,000), and for how long the first one has been due. */
export type EndpointBacklog = { waiting: number; overdue: number };

export async function backlogOf(ctx: Context, id: string): Promise<EndpointBacklog> {
  const { waiting, firstDueAt } = await measureWaiting(ctx.storage.reader, id);
  return { waiting, overdue: firstDueAt === null ? 0 : Math.max(0, ctx.clock() - firstDueAt) };
}

/** Throws WEBHOOK_NOT_FOUND. */
export async function get(ctx: Context, id: string, call: Pick<EndpointCall, "appId"> = {}): Promise<EndpointAnswer> {
  return endpointAnswer(await find(ctx.storage.reader, id, call), ctx.clock());
}

/**
 * The current secret, for comparing desired and current state; never to be shown. Throws
 * WEBHOOK_NOT_FOUND.
 */
export async function secret(ctx: Context, id: string): Promise<string> {
  const [present = ""] = secretsOf(await find(ctx.storage.reader, id, {}), ctx.keyring, ctx.clock());
  return present;
}

/** Throws WEBHOOK_NOT_FOUND, INVALID_REQUEST. */
export async function update(
  ctx: Context,
  id: string,
  change: EndpointChange,
  call: EndpointCall,
): Promise<EndpointAnswer> {
  const now = ctx.clock();
  if (call.dryRun) {
    const { reader } = ctx.storage;
    return endpointAnswer(await changed(ctx, reader, await find(reader, id, call), change, now), now);
  }
  return await ctx.storage.write(async (tx) => {
    await lockEndpoint(tx, id);
    const endpoint = await changed(ctx, tx, await find(tx, id, call), change, now);
    await updateEndpoint(tx, id, endpoint);
    await record(ctx, tx, "update", endpoint, { ...call, fields: fieldsOf(change) }, now);
    return endpointAnswer(endpoint, now);
  });
}

/** Removes an endpoint with its waiting deliveries. Throws WEBHOOK_NOT_FOUND. */
export async function remove(ctx: Context, id: string, call: EndpointCall): Promise<void> {
  const now = ctx.clock();
  const endpoint = await find(ctx.storage.reader, id, call);
  if (call.dryRun) return;
  await ctx.storage.write((tx) => updateEndpoint(tx, id, { enabled: false }));
  // In batches: the backlog may be long.
  let removed: string | undefined = "";
  while (removed !== undefined) {
    const after: string = removed;
    removed = await ctx.storage.write((tx) => removeDeliveries(tx, id, after));
  }
  await ctx.storage.write(async (tx) => {
    if (await removeEndpoint(tx, id)) await record(ctx, tx, "delete", endpoint, call, now);
  });
}

/**
 * Sends a sample at once, to disabled endpoints too, and returns the receiver's answer; stores
 * nothing. Throws WEBHOOK_NOT_FOUND, INVALID_REQUEST, and RATE_LIMITED after ten in a minute.
 */
export async function test(ctx: Context, id: string, call: EndpointCall, wanted?: string): Promise<TestAnswer> {
  const now = ctx.clock();
  const endpoint = await find(ctx.storage.reader, id, call);
  const [kind] = wanted === undefined ? endpoint.events : checkedEvents([wanted]);
  const sample = sampleOf(kind ?? "user.login", now);
  const eventId = `evt_test${newId("evt", now, ctx.random).slice(3)}`;
  await ctx.storage.write(async (tx) => {
    await lockEndpoint(tx, id);
    await admitTest(tx, endpoint, now);
    await record(ctx, tx, "test", endpoint, call, now);
  });
  const body = bodyOf(sample);
  const headers = signedHeaders({ id: eventId, body }, secretsOf(endpoint, ctx.keyring, now), now);
  const { at, status, durationMilliseconds, error, response, delivered } = await sender(ctx).send({
    url: endpoint.url,
    headers,
    body,
  });
  return { delivered, event: sample.kind, eventId, at, status, durationMilliseconds, error, response };
}

/** The names of the changed fields, for the audit log. */
function fieldsOf(change: EndpointChange): string {
  return Object.entries(change)
    .flatMap(([name, value]) => (value === undefined ? [] : name))
    .join(",");
}
