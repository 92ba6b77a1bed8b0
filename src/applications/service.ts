import type { Actor, Audit } from "../audit/audit.ts";
import { day, isoTime, type Clock } from "../lib/clock.ts";
import { AppError, invalidApiKey, invalidRequest } from "../lib/errors.ts";
import { digestOf, newId, type Random } from "../lib/random.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import { isPossibleApiKey, newApiKey } from "./api-keys.ts";
import {
  applicationFrom,
  checkedRedirectUris,
  type Application,
  type AuthMethods,
  type NewApplication,
  type SignInMethod,
} from "./application.ts";
import {
  countUsers,
  findApplication,
  findApplicationByKey,
  insertApiKey,
  insertApplication,
  listApplications,
  setAuthMethods,
  setRedirectUris,
  takeApplication,
  type ApplicationStats,
} from "./store.ts";

/** A user counts as active for this long after a sign-in. */
const activeFor = 30 * day;

/** The application as the contract shows it (2.4). */
export type ApplicationAnswer = Pick<
  Application,
  "id" | "name" | "domain" | "redirectUris" | "authMethods" | "branding"
> & {
  stats: ApplicationStats;
};

export type ApiKeyAnswer = { id: string; appId: string; apiKey: string; createdAt: string };

export type Applications = ReturnType<typeof createApplications>;

export function createApplications(deps: { storage: Storage; audit: Audit; clock: Clock; random: Random }) {
  const { storage, audit, clock, random } = deps;

  async function answerFor(application: Application): Promise<ApplicationAnswer> {
    const { id, name, domain, redirectUris, authMethods, branding } = application;
    const stats = await countUsers(storage.reader, id, clock() - activeFor);
    return { id, name, domain, redirectUris, authMethods, branding, stats };
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

  async function insertKey(
    tx: Handle,
    appId: string,
    apiKey: string,
    actor: Actor,
    now: number,
  ): Promise<ApiKeyAnswer> {
    const id = newId("key", now, random);
    if (!(await insertApiKey(tx, { id, appId, keyDigest: digestOf(apiKey), createdAt: now }))) {
      throw new AppError("CONFLICT", "This API key is in use already.");
    }
    await audit.record(tx, { actor, action: "api-key.create", result: "success", appId, details: { keyId: id } }, now);
    return { id, appId, apiKey, createdAt: isoTime(now) };
  }

  function chosenOrNewKey(chosen: string | undefined): string {
    if (chosen !== undefined && !isPossibleApiKey(chosen)) {
      throw invalidRequest(
        "apiKey: 32 to 256 letters, digits, '.', '_' or '-' (a key in authsvc's own form must be complete)",
      );
    }
    return chosen ?? newApiKey(random);
  }

  function newApplication(input: NewApplication): Application {
    const now = clock();
    return applicationFrom(input, newId("app", now, random), now);
  }

  return {
    /** The application as `create` would make it; changes nothing. Throws INVALID_REQUEST. */
    check(input: NewApplication): ApplicationAnswer {
      const { id, name, domain, redirectUris, authMethods, branding } = newApplication(input);
      return {
        id,
        name,
        domain,
        redirectUris,
        authMethods,
        branding,
        stats: { totalUsers: 0, activeUsers: 0, totalLogins: 0 },
      };
    },

    /** The application and its first API key, or neither. The key is shown here and never again. Throws INVALID_REQUEST, CONFLICT. */
    async createWithKey(
      input: NewApplication,
      key: { apiKey?: string | undefined },
      actor: Actor,
    ): Promise<{ application: ApplicationAnswer; apiKey: string }> {
      const application = newApplication(input);
      const apiKey = chosenOrNewKey(key.apiKey);
      await storage.write(async (tx) => {
        await insert(tx, application, actor);
        await insertKey(tx, application.id, apiKey, actor, application.createdAt);
      });
      return { application: await answerFor(application), apiKey };
    },

    /** Another API key of an application. Throws APP_NOT_FOUND, INVALID_REQUEST, CONFLICT. */
    async createKey(input: { appId: string; apiKey?: string | undefined }, actor: Actor): Promise<ApiKeyAnswer> {
      const apiKey = chosenOrNewKey(input.apiKey);
      const now = clock();
      return await storage.write(async (tx) => {
        if (!(await findApplication(tx, input.appId))) throw applicationNotFound();
        return await insertKey(tx, input.appId, apiKey, actor, now);
      });
    },

    /** Changes what an application lets people do with providers; the result. Throws APP_NOT_FOUND. */
    async changeProviders(
      tx: Handle,
      id: string,
      change: (oauth: AuthMethods["oauth"]) => AuthMethods["oauth"],
      now: number,
    ): Promise<AuthMethods["oauth"]> {
      const application = await takeApplication(tx, id, now);
      if (!application) throw applicationNotFound();
      const oauth = change(application.authMethods.oauth);
      await setAuthMethods(tx, id, { ...application.authMethods, oauth }, now);
      return oauth;
    },

    /** Registers one more address. Throws APP_NOT_FOUND. */
    async addRedirectUri(id: string, uri: string, actor: Actor): Promise<void> {
      const now = clock();
      await storage.write(async (tx) => {
        const application = await takeApplication(tx, id, now);
        if (!application) throw applicationNotFound();
        if (application.redirectUris.includes(uri)) return;
        await setRedirectUris(tx, id, checkedRedirectUris([...application.redirectUris, uri]), now);
        await audit.record(
          tx,
          { actor, action: "application.update", result: "success", appId: id, details: { field: "redirectUris" } },
          now,
        );
      });
    },

    async list(): Promise<ApplicationAnswer[]> {
      return await Promise.all((await listApplications(storage.reader)).map(answerFor));
    },

    /** Throws APP_NOT_FOUND. */
    async get(id: string): Promise<ApplicationAnswer> {
      const application = await findApplication(storage.reader, id);
      if (!application) throw applicationNotFound();
      return await answerFor(application);
    },

    /** Whether a sign-in by this method (and, for oauth, this provider) may begin, go on or be refreshed now. */
    allows(application: Application, method: SignInMethod, provider: string | null): boolean {
      const { oauth } = application.authMethods;
      return application.authMethods[method].enabled && (provider === null || oauth.providers.includes(provider));
    },

    /** As it is now: a command may have changed it a moment ago. Undefined when there is none. */
    async find(id: string, handle: Handle = storage.reader): Promise<Application | undefined> {
      return await findApplication(handle, id);
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

function applicationNotFound(): AppError {
  return new AppError("APP_NOT_FOUND", "There is no application with this id.");
}
