import { isDeepStrictEqual } from "node:util";
import type { Actor, Audit, Origin } from "../audit/audit.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError, invalidApiKey } from "../lib/errors.ts";
import { digestOf, newId, type Random } from "../lib/random.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import { isPossibleApiKey } from "./api-keys.ts";
import {
  applicationFrom,
  applicationNotFound,
  type Application,
  type AuthMethods,
  type NewApplication,
  type SignInMethod,
} from "./application.ts";
import { changedApplication, type ApplicationChange, type KnowsProvider } from "./change.ts";
import { noStats, readAllStats, readStats, sweepCounters, type ApplicationStats } from "./counter-store.ts";
import { createApiKeys } from "./keys.ts";
import {
  deleteApplication,
  deleteSomeUsers,
  findApplication,
  findApplicationByKey,
  insertApplication,
  listApplications,
  listProviderNames,
  listTwoApplications,
  saveApplication,
  takeApplication,
} from "./store.ts";

/** The application as the contract shows it (2.4). */
export type ApplicationAnswer = Pick<
  Application,
  "id" | "name" | "domain" | "redirectUris" | "authMethods" | "branding"
> & {
  stats: ApplicationStats;
};

export type Applications = ReturnType<typeof createApplications>;

export function createApplications(deps: {
  storage: Storage;
  audit: Audit;
  clock: Clock;
  random: Random;
  /** Whether a provider of this name is in the service's own table. */
  isKnownProvider: KnowsProvider;
}) {
  const { storage, audit, clock, random, isKnownProvider } = deps;
  const keys = createApiKeys(deps);

  async function withStats(application: Application): Promise<ApplicationAnswer> {
    return answerFor(application, await readStats(storage.reader, application.id, clock()));
  }

  async function insert(tx: Handle, application: Application, actor: Actor): Promise<void> {
    if (!(await insertApplication(tx, application)))
      throw new AppError("CONFLICT", "An application with this id exists already.");
    await audit.record(
      tx,
      { actor, action: "application.create", result: "success", appId: application.id },
      application.createdAt,
    );
  }

  function newApplication(input: NewApplication): Application {
    const now = clock();
    return applicationFrom(input, newId("app", now, random), isKnownProvider, now);
  }

  /** Changes an application that is there as `change` says, with everything that others change at the same time. Throws APP_NOT_FOUND. */
  async function takeAndChange(
    tx: Handle,
    id: string,
    change: (application: Application) => Application | Promise<Application>,
    now: number,
  ): Promise<{ before: Application; after: Application }> {
    const before = await takeApplication(tx, id, now);
    if (!before) throw applicationNotFound();
    const after = await change(before);
    await saveApplication(tx, after);
    return { before, after };
  }

  async function changeIt(tx: Handle, application: Application, change: ApplicationChange): Promise<Application> {
    const own = await listProviderNames(tx, application.id);
    return changedApplication(application, change, (name) => isKnownProvider(name) || own.includes(name));
  }

  /** Whether a sign-in by this method (and, for oauth, this provider) may begin and go on now. */
  function allows({ authMethods }: Application, method: SignInMethod, provider: string | null): boolean {
    return authMethods[method].enabled && (provider === null || authMethods.oauth.providers.includes(provider));
  }

  return {
    /** The application as `create` would make it; changes nothing. Throws INVALID_REQUEST. */
    check(input: NewApplication): ApplicationAnswer {
      return answerFor(newApplication(input), noStats);
    },

    /** An application without an API key, for those who bring their own. Throws INVALID_REQUEST, CONFLICT. */
    async create(input: NewApplication, actor: Actor): Promise<ApplicationAnswer> {
      const application = newApplication(input);
      await storage.write((tx) => insert(tx, application, actor));
      return answerFor(application, noStats);
    },

    /** The application and its first API key, or neither. The key is shown here and never again. Throws INVALID_REQUEST, CONFLICT. */
    async createWithKey(
      input: NewApplication,
      key: { apiKey?: string | undefined },
      actor: Actor,
    ): Promise<{ application: ApplicationAnswer; apiKey: string }> {
      const application = newApplication(input);
      const apiKey = keys.chosenOrNew(key.apiKey);
      await storage.write(async (tx) => {
        await insert(tx, application, actor);
        await keys.insert(tx, application.id, apiKey, actor, application.createdAt);
      });
      return { application: await withStats(application), apiKey };
    },

    ...keys.commands,

    /** The application, with its settings, as `update` would make it; changes nothing. Throws what `update` throws. */
    async checkUpdate(
      id: string,
      change: ApplicationChange,
    ): Promise<ApplicationAnswer & Pick<Application, "settings">> {
      const application = await findApplication(storage.reader, id);
      if (!application) throw applicationNotFound();
      const changed = await changeIt(storage.reader, application, change);
      return { ...(await withStats(changed)), settings: changed.settings };
    },

    /**
     * The application after `change`, which is all written or not at all. Changes of other things at the same time are kept.
     * Throws APP_NOT_FOUND, INVALID_REQUEST naming the field.
     */
    async update(
      id: string,
      change: ApplicationChange,
      actor: Actor,
      { origin }: { origin?: Origin } = {},
    ): Promise<ApplicationAnswer> {
      const now = clock();
      const changed = await storage.write(async (tx) => {
        const { before, after } = await takeAndChange(tx, id, (application) => changeIt(tx, application, change), now);
        const fields = changedFields(before, after).join(", ");
        if (fields !== "")
          await audit.record(
            tx,
            { actor, action: "application.update", result: "success", appId: id, origin, details: { fields } },
            now,
          );
        return after;
      });
      return await withStats(changed);
    },

    /** Removes an application with its keys, its users and all that is theirs. Throws APP_NOT_FOUND. */
    async delete(id: string, actor: Actor): Promise<void> {
      if (!(await findApplication(storage.reader, id))) throw applicationNotFound();
      // In batches: a million users in one transaction would keep everybody else waiting.
      while (await storage.write((tx) => deleteSomeUsers(tx, id)));
      const now = clock();
      await storage.write(async (tx) => {
        if (!(await deleteApplication(tx, id))) throw applicationNotFound();
        await audit.record(tx, { actor, action: "application.delete", result: "success", appId: id }, now);
      });
    },

    /** Changes what an application lets people do with providers; the result. Throws APP_NOT_FOUND. */
    async changeProviders(
      tx: Handle,
      id: string,
      change: (oauth: AuthMethods["oauth"]) => AuthMethods["oauth"],
      now: number,
    ): Promise<AuthMethods["oauth"]> {
      const { after } = await takeAndChange(
        tx,
        id,
        (application) => ({
          ...application,
          authMethods: { ...application.authMethods, oauth: change(application.authMethods.oauth) },
        }),
        now,
      );
      return after.authMethods.oauth;
    },

    /** Registers one more address. Throws APP_NOT_FOUND. */
    async addRedirectUri(id: string, uri: string, actor: Actor): Promise<void> {
      const now = clock();
      await storage.write(async (tx) => {
        const add = (application: Application) =>
          changedApplication(application, { redirectUris: [...application.redirectUris, uri] }, isKnownProvider);
        const { before } = await takeAndChange(tx, id, add, now);
        if (before.redirectUris.includes(uri)) return;
        const details = { fields: "redirectUris" };
        await audit.record(tx, { actor, action: "application.update", result: "success", appId: id, details }, now);
      });
    },

    async list(): Promise<ApplicationAnswer[]> {
      const stats = await readAllStats(storage.reader, clock());
      const applications = await listApplications(storage.reader);
      return applications.map((application) => answerFor(application, stats.get(application.id) ?? noStats));
    },

    /** Throws APP_NOT_FOUND. */
    async get(id: string): Promise<ApplicationAnswer> {
      const application = await findApplication(storage.reader, id);
      if (!application) throw applicationNotFound();
      return await withStats(application);
    },

    /** Whether a sign-in that has ended with this method (and provider) may be redeemed and refreshed now. */
    accepts(application: Application, method: SignInMethod, provider: string | null): boolean {
      const { passkey } = application.authMethods;
      if (passkey.enabled && passkey.required && method !== "passkey") return false;
      return allows(application, method, provider);
    },

    allows,

    /** Removes what nobody asks for any more. */
    async sweep(): Promise<boolean> {
      const now = clock();
      await storage.write(async (tx) => {
        await sweepCounters(tx, now);
        await keys.sweep(tx, now);
      });
      return false;
    },

    /** As it is now: a command may have changed it a moment ago. Undefined when there is none. */
    async find(id: string, handle: Handle = storage.reader): Promise<Application | undefined> {
      return await findApplication(handle, id);
    },

    /** The one application of a service that has just one; undefined otherwise. */
    async findOnly(): Promise<Application | undefined> {
      const [only, ...others] = await listTwoApplications(storage.reader);
      return others.length === 0 ? only : undefined;
    },

    /** The application that an API key speaks for. Throws INVALID_API_KEY. */
    async authenticate(apiKey: string): Promise<Application> {
      const application = isPossibleApiKey(apiKey)
        ? await findApplicationByKey(storage.reader, digestOf(apiKey), clock())
        : undefined;
      if (!application) throw invalidApiKey();
      return application;
    },
  };
}

function answerFor(application: Application, stats: ApplicationStats): ApplicationAnswer {
  const { id, name, domain, redirectUris, authMethods, branding } = application;
  return { id, name, domain, redirectUris, authMethods, branding, stats };
}

/** The names of what is not the same. */
function changedFields(before: Application, after: Application): string[] {
  const fields = ["name", "domain", "redirectUris", "authMethods", "branding", "settings"] as const;
  return fields.filter((field) => !isDeepStrictEqual(before[field], after[field]));
}
