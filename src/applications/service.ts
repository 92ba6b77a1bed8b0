import type { Actor, Audit } from "../audit/audit.ts";
import type { ClientInfo } from "../lib/client-info.ts";
import type { Clock } from "../lib/clock.ts";
import { applicationNotFound } from "../lib/errors.ts";
import { newId, type Random } from "../lib/random.ts";
import { checkedRedirectUris } from "../lib/redirect-uris.ts";
import type { RevocationRecords } from "../revocations/records.ts";
import type { AuthMethods, SignInMethod } from "../storage/column-types.ts";
import { createLastUses } from "../storage/queries/last-uses.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import { idIsTaken, type Application } from "./application.ts";
import {
  changeByApp,
  changedApplication,
  changedFields,
  type ApplicationChange,
  type KnowsProvider,
} from "./change.ts";
import { noStats, readAllStats, readStats, sweepCounters, type ApplicationStats } from "./counter-store.ts";
import { recordApiKeyUse } from "./key-store.ts";
import { ids } from "./ids.ts";
import { createApiKeys } from "./keys.ts";
import { createLookup, type DemoApp } from "./lookup.ts";
import { applicationFrom } from "./new-application.ts";
import type { NewApplication } from "./new-application.ts";
import {
  deleteApplication,
  deleteSomeUsers,
  findApplication,
  insertApplication,
  listApplications,
  listProviderNames,
  saveApplication,
  lockApplication,
} from "./store.ts";

/** The application in answers (docs/spec/http-api.md, 2.4). */
export type ApplicationAnswer = Pick<
  Application,
  "id" | "name" | "domain" | "redirectUris" | "authMethods" | "branding"
> & {
  stats: ApplicationStats;
};

export type Applications = ReturnType<typeof createApplications>;

export function createApplications(deps: {
  storage: Storage;
  revocations: RevocationRecords;
  audit: Audit;
  clock: Clock;
  random: Random;
  /** Whether a provider of this name is in the service's own table. */
  isKnownProvider: KnowsProvider;
  demoApp: DemoApp;
  demoAppActs: boolean;
}) {
  const { storage, revocations, audit, clock, random, isKnownProvider } = deps;
  const keys = createApiKeys(deps);
  const keyUses = createLastUses({ storage, record: recordApiKeyUse });

  async function withStats(application: Application): Promise<ApplicationAnswer> {
    return answerFor(application, await readStats(storage.reader, application.id, clock()));
  }

  async function insert(
    tx: Handle,
    application: Application,
    actor: Actor,
    options: { mayReuseId?: boolean | undefined } = {},
  ): Promise<void> {
    await ids.claimId(tx, application.id, application.createdAt, options);
    if (!(await insertApplication(tx, application))) throw idIsTaken("application");
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

  /**
   * Locks an existing application and applies `change` to its current state. Throws APP_NOT_FOUND.
   */
  async function lockAndChange(
    tx: Handle,
    id: string,
    change: (application: Application) => Application | Promise<Application>,
    now: number,
  ): Promise<{ before: Application; after: Application }> {
    const before = await lockApplication(tx, id, now);
    if (!before) throw applicationNotFound();
    const after = await change(before);
    await saveApplication(tx, after);
    return { before, after };
  }

  async function changeIt(tx: Handle, application: Application, change: ApplicationChange): Promise<Application> {
    const own = await listProviderNames(tx, application.id);
    return changedApplication(application, change, (name) => isKnownProvider(name) || own.includes(name));
  }

  /** Whether a sign-in by this method (and provider, for oauth) may start and continue now. */
  function allows({ authMethods }: Application, method: SignInMethod, provider: string | null): boolean {
    return authMethods[method].enabled && (provider === null || authMethods.oauth.providers.includes(provider));
  }

  return {
    /** Like `create`, without changing anything. Throws INVALID_REQUEST, CONFLICT. */
    async check(input: NewApplication): Promise<ApplicationAnswer> {
      const application = newApplication(input);
      await ids.refuseTakenId(storage.reader, application.id);
      return answerFor(application, noStats);
    },

    /**
     * Creates an application without an API key, for operators who bring their own. Throws
     * INVALID_REQUEST, CONFLICT.
     */
    async create(input: NewApplication, actor: Actor): Promise<ApplicationAnswer> {
      const application = newApplication(input);
      await storage.write((tx) => insert(tx, application, actor));
      return answerFor(application, noStats);
    },

    /**
     * Creates an application with its first API key, in one transaction. The key is shown only
     * here. `mayReuseId`: also allows the id of a deleted application. Throws INVALID_REQUEST,
     * CONFLICT.
     */
    async createWithKey(
      input: NewApplication,
      key: { apiKey?: string | undefined },
      actor: Actor,
      options: { mayReuseId?: boolean } = {},
    ): Promise<{ application: ApplicationAnswer; apiKey: string }> {
      const application = newApplication(input);
      const apiKey = keys.chosenOrNew(key.apiKey);
      await storage.write(async (tx) => {
        await insert(tx, application, actor, options);
        await keys.insert(tx, { appId: application.id, apiKey }, actor, application.createdAt);
      });
      return { application: await withStats(application), apiKey };
    },

    ...keys.commands,
    keyUses,

    /** Like `update`, without changing anything. Returns the application with its settings. */
    async checkUpdate(
      id: string,
      change: ApplicationChange,
    ): Promise<ApplicationAnswer & Pick<Application, "branding" | "settings" | "claims">> {
      const application = await findApplication(storage.reader, id);
      if (!application) throw applicationNotFound();
      const changed = await changeIt(storage.reader, application, change);
      const { branding, settings, claims } = changed;
      return { ...(await withStats(changed)), branding, settings, claims };
    },

    /**
     * Changes an application, completely or not at all. Keeps concurrent changes of other fields.
     * Throws APP_NOT_FOUND, INVALID_REQUEST naming the field.
     */
    async update(
      id: string,
      change: ApplicationChange,
      actor: Actor,
      { clientInfo }: { clientInfo?: ClientInfo } = {},
    ): Promise<ApplicationAnswer> {
      const now = clock();
      const changed = await storage.write(async (tx) => {
        const { before, after } = await lockAndChange(
          tx,
          id,
          (application) => {
            const allowed = actor.kind === "app" ? changeByApp(application, change) : change;
            return changeIt(tx, application, allowed);
          },
          now,
        );
        // A rename by the application's server may pin `settings.mailName`; that is not logged as a
        // change.
        const isOwn = actor.kind === "app";
        const fields = changedFields(before, after)
          .filter((field) => !isOwn || field !== "settings")
          .join(", ");
        if (fields !== "")
          await audit.record(
            tx,
            { actor, action: "application.update", result: "success", appId: id, clientInfo, details: { fields } },
            now,
          );
        return after;
      });
      return await withStats(changed);
    },

    /**
     * Deletes an application with its keys and users; its id is never reused. Throws APP_NOT_FOUND.
     */
    async delete(id: string, actor: Actor): Promise<void> {
      if (!(await findApplication(storage.reader, id))) throw applicationNotFound();
      await storage.write((tx) => revocations.application(tx, id, clock()));
      // In batches: a million users in one transaction would block everyone else.
      while (await storage.write((tx) => deleteSomeUsers(tx, id)));
      const now = clock();
      await storage.write(async (tx) => {
        if (!(await deleteApplication(tx, id, now))) throw applicationNotFound();
        await audit.record(tx, { actor, action: "application.delete", result: "success", appId: id }, now);
      });
    },

    /** Changes and returns the settings for an application's providers. Throws APP_NOT_FOUND. */
    async changeProviders(
      tx: Handle,
      id: string,
      change: (oauth: AuthMethods["oauth"]) => AuthMethods["oauth"],
      now: number,
    ): Promise<AuthMethods["oauth"]> {
      const { after } = await lockAndChange(
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

    /**
     * Adds redirect URIs. Throws APP_NOT_FOUND; INVALID_REQUEST with an index into the new ones.
     */
    async addRedirectUris(id: string, uris: readonly string[], actor: Actor): Promise<void> {
      const now = clock();
      const added = checkedRedirectUris(uris);
      await storage.write(async (tx) => {
        const add = (application: Application) =>
          changedApplication(application, { redirectUris: [...application.redirectUris, ...added] }, isKnownProvider);
        const { before } = await lockAndChange(tx, id, add, now);
        if (added.every((uri) => before.redirectUris.includes(uri))) return;
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

    /**
     * Whether a completed sign-in with this method (and provider) may be redeemed and refreshed
     * now.
     */
    accepts(application: Application, method: SignInMethod, provider: string | null): boolean {
      const { passkey } = application.authMethods;
      if (passkey.enabled && passkey.required && method !== "passkey") return false;
      return allows(application, method, provider);
    },

    allows,

    ...ids,

    /** Removes rows that are no longer needed. */
    async sweep(): Promise<boolean> {
      const now = clock();
      await keyUses.flush();
      await storage.write(async (tx) => {
        await sweepCounters(tx, now);
        await keys.sweep(tx, now);
      });
      return false;
    },

    ...createLookup({ ...deps, keyUses }),
  };
}

function answerFor(application: Application, stats: ApplicationStats): ApplicationAnswer {
  const { id, name, domain, redirectUris, authMethods, branding } = application;
  const { logo, primaryColor, companyName, homeUrl = null } = branding;
  // The contract has the first three (docs/spec/http-api.md, 2.4).
  const shown = { logo, primaryColor, companyName, ...(homeUrl === null ? {} : { homeUrl }) };
  return { id, name, domain, redirectUris, authMethods, branding: shown, stats };
}
