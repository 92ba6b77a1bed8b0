import type { Actor, Audit, Origin } from "../audit/audit.ts";
import { day, second, type Clock } from "../lib/clock.ts";
import { AppError, invalidRequest } from "../lib/errors.ts";
import { newId, type Random } from "../lib/random.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import type { DeliveryAttempt } from "./delivery.ts";
import { removeDeliveries } from "./delivery-store.ts";
import {
  checkedEndpointId,
  checkedEvents,
  checkedUrl,
  endpointAnswer,
  endpointNotFound,
  secretContext,
  secretsOf,
  type EndpointAnswer,
} from "./endpoint.ts";
import {
  countEndpoints,
  findEndpoint,
  insertEndpoint,
  listEndpoints,
  lockEndpoints,
  removeEndpoint,
  takeEndpoint,
  updateEndpoint,
  type EndpointRow,
} from "./endpoint-store.ts";
import { bodyOf, sampleOf, type EventKind } from "./event.ts";
import type { Sender } from "./sender.ts";
import { checkedSecret, signedHeaders } from "./signature.ts";
import type { TargetPolicy } from "./target.ts";

const mostEndpoints = 20;
/** After a new secret, how long the old one signs as well. */
const usualOverlap = day;
const longestOverlap = 30 * day;

export type NewEndpoint = { id?: string | undefined; url: string; events: string[]; secret: string };

/** What is left out stays as it is. */
export type EndpointChange = {
  url?: string | undefined;
  events?: string[] | undefined;
  enabled?: boolean | undefined;
  secret?: string | undefined;
  /** Milliseconds for which the secret before a new one signs as well; a day when left out. */
  secretOverlap?: number | undefined;
};

/** Who asks: an app sees its own endpoints only, a command all of them. `dryRun`: check everything, change nothing. */
export type EndpointCall = { actor: Actor; appId?: string | undefined; origin?: Origin | undefined; dryRun?: boolean };

/** What a receiver made of a sample. */
export type TestAnswer = DeliveryAttempt & { delivered: boolean; event: EventKind; eventId: string };

export type Webhooks = ReturnType<typeof createWebhooks>;

/** The endpoints of apps. No answer, log line or audit event holds a secret or an address. */
export function createWebhooks(deps: {
  storage: Storage;
  keyring: Keyring;
  audit: Audit;
  sender: Sender;
  policy: TargetPolicy;
  findApplication(id: string, handle: Handle): Promise<unknown>;
  clock: Clock;
  random: Random;
}) {
  const { storage, keyring, audit, sender, policy, findApplication, clock, random } = deps;

  async function record(
    tx: Handle,
    action: "create" | "update" | "delete" | "test",
    { id, appId }: EndpointRow,
    { actor, origin, fields }: EndpointCall & { fields?: string },
    now: number,
  ): Promise<void> {
    const details = { endpointId: id, ...(fields === undefined ? {} : { fields }) };
    await audit.record(tx, { actor, action: `webhook.${action}`, result: "success", appId, origin, details }, now);
  }

  async function find(handle: Handle, id: string, { appId }: Pick<EndpointCall, "appId">): Promise<EndpointRow> {
    const endpoint = await findEndpoint(handle, id);
    if (!endpoint || (appId !== undefined && endpoint.appId !== appId)) throw endpointNotFound();
    return endpoint;
  }

  function changed(endpoint: EndpointRow, change: EndpointChange, now: number): EndpointRow {
    const { url, events, enabled, secret, secretOverlap: overlap } = change;
    if (secret === undefined && overlap !== undefined) throw invalidRequest("secretOverlapSeconds: only with secret");
    return {
      ...endpoint,
      url: url === undefined ? endpoint.url : checkedUrl(url, policy),
      events: events === undefined ? endpoint.events : checkedEvents(events),
      // Enabling gives an endpoint that was failing a new start, and so does another address.
      ...(url === undefined || url === endpoint.url ? {} : { failingSince: null }),
      ...(enabled === true ? { enabled, disabledReason: null, failingSince: null } : {}),
      ...(enabled === false && endpoint.enabled ? { enabled, disabledReason: "operator" } : {}),
      ...(secret === undefined ? {} : rotated(endpoint, secret, overlap ?? usualOverlap, now)),
      updatedAt: now,
    };
  }

  function rotated(endpoint: EndpointRow, secret: string, overlap: number, now: number): Partial<EndpointRow> {
    if (!Number.isInteger(overlap) || overlap < 0 || overlap > longestOverlap)
      throw invalidRequest(`secretOverlapSeconds: from 0 to ${longestOverlap / second}`);
    return {
      encryptedSecret: encrypt(endpoint.id, secret),
      encryptedOldSecret: overlap === 0 ? null : endpoint.encryptedSecret,
      oldSecretUntil: overlap === 0 ? null : now + overlap,
    };
  }

  function encrypt(id: string, secret: string): string {
    return keyring.encrypt(checkedSecret(secret), secretContext(id));
  }

  return {
    /** Throws INVALID_REQUEST, APP_NOT_FOUND; CONFLICT when the id is taken. */
    async create(appId: string, input: NewEndpoint, call: EndpointCall): Promise<EndpointAnswer> {
      const now = clock();
      const id = input.id === undefined ? newId("whe", now, random) : checkedEndpointId(input.id);
      const endpoint: EndpointRow = {
        id,
        appId,
        url: checkedUrl(input.url, policy),
        events: checkedEvents(input.events),
        encryptedSecret: encrypt(id, input.secret),
        encryptedOldSecret: null,
        oldSecretUntil: null,
        enabled: true,
        disabledReason: null,
        failingSince: null,
        createdAt: now,
        updatedAt: now,
      };
      const isTaken = new AppError("CONFLICT", "A webhook endpoint with this id exists already.");
      const check = async (handle: Handle): Promise<void> => {
        if (!(await findApplication(appId, handle)))
          throw new AppError("APP_NOT_FOUND", "There is no application with this id.");
        if ((await countEndpoints(handle, appId)) >= mostEndpoints)
          throw new AppError("CONFLICT", "The application has as many webhook endpoints as it may.", {
            details: `webhook endpoints: at most ${mostEndpoints}`,
          });
      };
      if (call.dryRun) {
        await check(storage.reader);
        if (await findEndpoint(storage.reader, id)) throw isTaken;
      } else {
        await storage.write(async (tx) => {
          await lockEndpoints(tx, appId);
          await check(tx);
          if (!(await insertEndpoint(tx, endpoint))) throw isTaken;
          await record(tx, "create", endpoint, call, now);
        });
      }
      return endpointAnswer(endpoint, now);
    },

    /** The oldest first; without `appId` those of all applications. */
    async list(appId?: string): Promise<EndpointAnswer[]> {
      const now = clock();
      return (await listEndpoints(storage.reader, appId)).map((endpoint) => endpointAnswer(endpoint, now));
    },

    /** Throws WEBHOOK_NOT_FOUND. */
    async get(id: string, call: Pick<EndpointCall, "appId"> = {}): Promise<EndpointAnswer> {
      return endpointAnswer(await find(storage.reader, id, call), clock());
    },

    /** The secret that signs now, for who compares a wanted state with what is; never to be shown. Throws WEBHOOK_NOT_FOUND. */
    async secret(id: string): Promise<string> {
      const [present = ""] = secretsOf(await find(storage.reader, id, {}), keyring, clock());
      return present;
    },

    /** Throws WEBHOOK_NOT_FOUND, INVALID_REQUEST. */
    async update(id: string, change: EndpointChange, call: EndpointCall): Promise<EndpointAnswer> {
      const now = clock();
      if (call.dryRun) return endpointAnswer(changed(await find(storage.reader, id, call), change, now), now);
      return await storage.write(async (tx) => {
        await takeEndpoint(tx, id);
        const endpoint = changed(await find(tx, id, call), change, now);
        await updateEndpoint(tx, id, endpoint);
        await record(tx, "update", endpoint, { ...call, fields: fieldsOf(change) }, now);
        return endpointAnswer(endpoint, now);
      });
    },

    /** With everything that waits for it. Throws WEBHOOK_NOT_FOUND. */
    async remove(id: string, call: EndpointCall): Promise<void> {
      const now = clock();
      const endpoint = await find(storage.reader, id, call);
      if (call.dryRun) return;
      await storage.write((tx) => updateEndpoint(tx, id, { enabled: false }));
      // A backlog may be long, and one transaction must not be.
      let removed: string | undefined = "";
      while (removed !== undefined) {
        const after: string = removed;
        removed = await storage.write((tx) => removeDeliveries(tx, id, after));
      }
      await storage.write(async (tx) => {
        if (await removeEndpoint(tx, id)) await record(tx, "delete", endpoint, call, now);
      });
    },

    /** Sends a sample at once, to a disabled endpoint as well, and says what the receiver answered; nothing of it is kept. Throws WEBHOOK_NOT_FOUND, INVALID_REQUEST. */
    async test(id: string, call: EndpointCall, wanted?: string): Promise<TestAnswer> {
      const now = clock();
      const endpoint = await find(storage.reader, id, call);
      const [kind] = wanted === undefined ? endpoint.events : checkedEvents([wanted]);
      const sample = sampleOf(kind ?? "user.login", now);
      const eventId = `evt_test${newId("evt", now, random).slice(3)}`;
      await storage.write((tx) => record(tx, "test", endpoint, call, now));
      const body = bodyOf(sample);
      const headers = signedHeaders({ id: eventId, body }, secretsOf(endpoint, keyring, now), now);
      const { at, status, durationMilliseconds, error, response, delivered } = await sender.send({
        url: endpoint.url,
        headers,
        body,
      });
      return { delivered, event: sample.kind, eventId, at, status, durationMilliseconds, error, response };
    },
  };
}

/** The names of what is changed, for the audit log. */
function fieldsOf(change: EndpointChange): string {
  return Object.entries(change)
    .flatMap(([name, value]) => (value === undefined ? [] : name))
    .join(",");
}
