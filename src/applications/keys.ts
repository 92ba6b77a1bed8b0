import type { Actor, Audit } from "../audit/audit.ts";
import { day, isoTime, type Clock } from "../lib/clock.ts";
import { AppError, invalidRequest } from "../lib/errors.ts";
import { digestOf, newId, type Random } from "../lib/random.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import { isPossibleApiKey, newApiKey } from "./api-keys.ts";
import { applicationNotFound } from "./application.ts";
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
import { findApplication, takeApplication } from "./store.ts";

const longestKeyOverlap = 90 * day;
/** Live ones of one application: every node and every stage of a rotation has room. */
const mostKeys = 50;
/** A key that has ended stays to be seen for as long as the audit log tells of it. */
const endedKeysAreKept = 90 * day;

/** A new key, shown this once. */
export type NewApiKeyAnswer = { id: string; appId: string; apiKey: string; createdAt: string };

/** A key as it is shown afterwards. */
export type ApiKeyAnswer = {
  id: string;
  appId: string;
  state: "live" | "expired" | "revoked";
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
};

/** The credentials of applications' servers. */
export function createApiKeys(deps: { storage: Storage; audit: Audit; clock: Clock; random: Random }) {
  const { storage, audit, clock, random } = deps;

  function answerFor({ id, appId, createdAt, expiresAt, revokedAt }: ApiKey, now: number): ApiKeyAnswer {
    const expired = expiresAt !== null && expiresAt <= now;
    return {
      id,
      appId,
      state: revokedAt === null ? (expired ? "expired" : "live") : "revoked",
      createdAt: isoTime(createdAt),
      expiresAt: expiresAt === null ? null : isoTime(expiresAt),
      revokedAt: revokedAt === null ? null : isoTime(revokedAt),
    };
  }

  async function note(tx: Handle, actor: Actor, action: string, key: ApiKey, now: number): Promise<void> {
    const { appId, id: keyId } = key;
    await audit.record(tx, { actor, action, result: "success", appId, details: { keyId } }, now);
  }

  /** Throws INVALID_REQUEST for a key that an operator has chosen badly. */
  function chosenOrNew(chosen: string | undefined): string {
    if (chosen !== undefined && !isPossibleApiKey(chosen)) {
      throw invalidRequest(
        "apiKey: 32 to 256 letters, digits, '.', '_' or '-' (a key in authsvc's own form must be complete)",
      );
    }
    return chosen ?? newApiKey(random);
  }

  async function insert(
    tx: Handle,
    appId: string,
    apiKey: string,
    actor: Actor,
    now: number,
  ): Promise<NewApiKeyAnswer> {
    if ((await countLiveApiKeys(tx, appId, now)) >= mostKeys)
      throw new AppError("CONFLICT", "The application has as many API keys as it may.", {
        details: `live API keys: at most ${mostKeys}`,
      });
    const id = newId("key", now, random);
    const key = { id, appId, keyDigest: digestOf(apiKey), createdAt: now, expiresAt: null, revokedAt: null };
    if (!(await insertApiKey(tx, key))) throw new AppError("CONFLICT", "This API key is in use already.");
    await note(tx, actor, "api-key.create", key, now);
    return { id, appId, apiKey, createdAt: isoTime(now) };
  }

  return {
    chosenOrNew,
    insert,

    /** Removes keys that ended long ago. */
    async sweep(tx: Handle, now: number): Promise<void> {
      await removeApiKeysEndedBefore(tx, now - endedKeysAreKept);
    },

    commands: {
      /** Another API key of an application. Throws APP_NOT_FOUND, INVALID_REQUEST, CONFLICT. */
      async createKey(input: { appId: string; apiKey?: string | undefined }, actor: Actor): Promise<NewApiKeyAnswer> {
        const apiKey = chosenOrNew(input.apiKey);
        const now = clock();
        return await storage.write(async (tx) => {
          // Taken, so that of two keys made at once the later one counts the other.
          if (!(await takeApplication(tx, input.appId, now))) throw applicationNotFound();
          return await insert(tx, input.appId, apiKey, actor, now);
        });
      },

      /** The key with this text, of whichever application; undefined when there is none. */
      async findKey(apiKey: string): Promise<ApiKeyAnswer | undefined> {
        const key = await findApiKeyByDigest(storage.reader, digestOf(apiKey));
        return key && answerFor(key, clock());
      },

      /** All keys, or those of one application, oldest first. Throws APP_NOT_FOUND. */
      async listKeys(appId?: string): Promise<ApiKeyAnswer[]> {
        if (appId !== undefined && !(await findApplication(storage.reader, appId))) throw applicationNotFound();
        const now = clock();
        return (await listApiKeys(storage.reader, appId)).map((key) => answerFor(key, now));
      },

      /**
       * A new key; those that the application has end after `overlap` milliseconds (0: now), unless they end sooner. They are listed as `ending`.
       * Throws APP_NOT_FOUND, INVALID_REQUEST, CONFLICT.
       */
      async rotateKey(
        input: { appId: string; overlap: number; apiKey?: string | undefined },
        actor: Actor,
      ): Promise<NewApiKeyAnswer & { ending: ApiKeyAnswer[] }> {
        const { appId, overlap } = input;
        if (!Number.isInteger(overlap) || overlap < 0 || overlap > longestKeyOverlap)
          throw invalidRequest(`overlap: from 0 to ${longestKeyOverlap / day} days`);
        const apiKey = chosenOrNew(input.apiKey);
        const now = clock();
        return await storage.write(async (tx) => {
          // Taken, so that of two rotations at once each sees the other's key.
          if (!(await takeApplication(tx, appId, now))) throw applicationNotFound();
          const ending = await expireApiKeys(tx, appId, now + overlap);
          for (const key of ending) await note(tx, actor, "api-key.expire", key, now);
          return {
            ...(await insert(tx, appId, apiKey, actor, now)),
            ending: ending.map((key) => answerFor(key, now)),
          };
        });
      },

      /** Lets another application have the key. Only for one whose application is on its way out: a key that has ended stays to be seen. */
      async removeKey(id: string): Promise<void> {
        await storage.write((tx) => removeApiKey(tx, id));
      },

      /** Ends a key at once, or finds it ended. Throws KEY_NOT_FOUND. */
      async revokeKey(id: string, actor: Actor): Promise<ApiKeyAnswer> {
        const now = clock();
        return await storage.write(async (tx) => {
          const revoked = await revokeApiKey(tx, id, now);
          if (revoked) await note(tx, actor, "api-key.revoke", revoked, now);
          const key = revoked ?? (await findApiKey(tx, id));
          if (!key) throw new AppError("KEY_NOT_FOUND", "There is no API key with this id.");
          return answerFor(key, now);
        });
      },
    },
  };
}
