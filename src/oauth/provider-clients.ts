import type { Applications } from "../applications/service.ts";
import type { Actor, Audit } from "../audit/audit.ts";
import { isoTime, type Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import { identitiesToMove } from "./directories.ts";
import { countIdentities, moveIdentities } from "./identity-store.ts";
import {
  directoryOf,
  endpointsOf,
  knownDirectory,
  mintAppleSecret,
  recipientsOf,
  type ConfiguredProvider,
} from "./provider.ts";
import { ProviderFailure } from "./provider-fetch.ts";
import {
  deleteProvider,
  findProvider,
  listAllProviders,
  listProviders,
  saveProvider,
  type OpenProviderRow,
  type ProviderRow,
} from "./provider-store.ts";
import { providerRow, providerSecretContext, type ProviderInput } from "./provider-input.ts";
import { providerDisplayName, providerTemplate, type Endpoints } from "./providers.ts";

/** A provider as shown by commands, without its secret. */
export type ProviderAnswer = {
  name: string;
  displayName: string;
  clientId: string;
  enabled: boolean;
  /** To be registered with the provider. */
  callbackUrl: string;
  endpoints: Partial<Endpoints>;
  /** Whether an address that it calls verified counts as proven. */
  trustsEmail: boolean;
  updatedAt: string;
};

/** An app's settings for a provider; null where the table's values apply. */
export type ProviderSettings = Omit<ProviderRow, "appId" | "encryptedSecret" | "createdAt" | "updatedAt"> & {
  /** Decrypted on demand, for comparing desired and current state. */
  secret(): string;
};

/** Identities from `issuer`, which is not the provider's current directory. */
export type StrandedIdentities = { provider: string; directory: string; issuer: string; identities: number };

export type OfferedProvider = { name: string; displayName: string; formTargets: string[] };

/** Per application, on its sign-in page. */
const maxProviders = 50;

export type ProviderClients = ReturnType<typeof createProviderClients>;

export function createProviderClients(deps: {
  storage: Storage;
  applications: Applications;
  audit: Audit;
  keyring: Keyring;
  clock: Clock;
  baseUrl: string;
  /** Completes an issuer's endpoints from its discovery document; throws ProviderFailure. */
  discover(issuer: string): Promise<Endpoints>;
  /** Whether this is a stand-in of development mode. */
  isStandIn(row: ProviderRow): boolean;
  /** Whether stand-ins may be used through this process. */
  standInsAct: boolean;
}) {
  const { storage, applications, audit, keyring, clock, baseUrl, discover, isStandIn, standInsAct } = deps;

  const isUsable = (row: ProviderRow): boolean => standInsAct || !isStandIn(row);

  async function usableProviders(appId: string, handle: Handle = storage.reader): Promise<ProviderRow[]> {
    return (await listProviders(handle, appId)).filter(isUsable);
  }

  async function usableProvider(appId: string, name: string): Promise<ProviderRow | undefined> {
    const row = await findProvider(storage.reader, appId, name);
    return row && isUsable(row) ? row : undefined;
  }

  function answerFor(row: OpenProviderRow, enabled: string[]): ProviderAnswer {
    const { name, clientId, updatedAt } = row;
    const { displayName, provesEmail } = providerTemplate(name);
    return {
      name,
      displayName,
      clientId,
      enabled: enabled.includes(name),
      callbackUrl: `${baseUrl}/oauth/${name}/callback`,
      endpoints: endpointsOf(row),
      trustsEmail: row.trustsEmail ?? provesEmail,
      updatedAt: isoTime(updatedAt),
    };
  }

  function secretOf(row: ProviderRow, issuer: string | undefined): string {
    const { clientId, teamId, keyId } = row;
    try {
      const secret = keyring.decrypt(row.encryptedSecret, providerSecretContext(row.appId, row.name));
      if (teamId === null || keyId === null) return secret;
      return mintAppleSecret({ clientId, teamId, keyId, privateKeyPem: secret, issuer: issuer ?? "" }, clock());
    } catch (error) {
      throw new ProviderFailure("the stored secret is not usable", error);
    }
  }

  return {
    displayName: providerDisplayName,

    recipientsOf,

    /**
     * Sets an app's account with a provider and enables it. `keepIdentities`: new endpoints are the
     * same directory; `onlyCounts`: for plans, counts the identities in `keptIdentities` and moves
     * none. Throws APP_NOT_FOUND, INVALID_REQUEST naming the field, CONFLICT.
     */
    async set(
      appId: string,
      input: ProviderInput,
      actor: Actor,
      {
        dryRun = false,
        keepIdentities = false,
        onlyCounts = false,
      }: { dryRun?: boolean; keepIdentities?: boolean; onlyCounts?: boolean } = {},
    ): Promise<ProviderAnswer & { keptIdentities?: number }> {
      const now = clock();
      const name = input.name.toLowerCase();
      const row = providerRow(appId, name, input, now);
      if (dryRun) {
        const enabled = [...(await applications.get(appId)).authMethods.oauth.providers, name];
        const move = await identitiesToMove(storage.reader, row, keepIdentities);
        return { ...answerFor(row, enabled), ...(move && { keptIdentities: move.count }) };
      }
      return await storage.write(async (tx) => {
        const { providers } = await applications.changeProviders(
          tx,
          appId,
          (oauth) => ({ enabled: true, providers: [...new Set([...oauth.providers, name])] }),
          now,
        );
        const move = await identitiesToMove(tx, row, keepIdentities);
        if (move && !onlyCounts)
          await moveIdentities(tx, { appId, provider: name, from: move.from, to: directoryOf(row) });
        const kept = move && { keptIdentities: move.count };
        const encryptedSecret = await keyring.encrypt(tx, input.secret.trim(), providerSecretContext(appId, name));
        await saveProvider(tx, { ...row, encryptedSecret });
        if ((await listProviders(tx, appId)).length > maxProviders)
          throw new AppError("CONFLICT", "The application has the maximum number of providers.", {
            details: `providers: at most ${maxProviders}`,
          });
        await audit.record(
          tx,
          { actor, action: "provider.set", result: "success", appId, details: { provider: name, ...kept } },
          now,
        );
        return { ...answerFor(row, providers), ...kept };
      });
    },

    /** Throws APP_NOT_FOUND. */
    async list(appId: string): Promise<ProviderAnswer[]> {
      const { authMethods } = await applications.get(appId);
      return (await listProviders(storage.reader, appId)).map((row) => answerFor(row, authMethods.oauth.providers));
    },

    async settings(appId: string): Promise<ProviderSettings[]> {
      const rows = await listProviders(storage.reader, appId);
      return rows.map((row) => {
        const { encryptedSecret, createdAt: _, updatedAt: __, ...settings } = row;
        const secret = (): string => keyring.decrypt(encryptedSecret, providerSecretContext(appId, row.name));
        return { ...settings, secret };
      });
    },

    /** Removes an app's client of a provider. Throws APP_NOT_FOUND, METHOD_NOT_FOUND. */
    async remove(
      appId: string,
      providerName: string,
      actor: Actor,
      { dryRun = false }: { dryRun?: boolean } = {},
    ): Promise<void> {
      const now = clock();
      const name = providerName.toLowerCase();
      if (dryRun) {
        await applications.get(appId);
        if (!(await findProvider(storage.reader, appId, name))) throw providerNotFound();
        return;
      }
      await storage.write(async (tx) => {
        await applications.changeProviders(
          tx,
          appId,
          (oauth) => ({ ...oauth, providers: oauth.providers.filter((provider) => provider !== name) }),
          now,
        );
        if (!(await deleteProvider(tx, appId, name))) throw providerNotFound();
        await audit.record(
          tx,
          { actor, action: "provider.remove", result: "success", appId, details: { provider: name } },
          now,
        );
      });
    },

    /** The app's configured providers, with the origins that form-action must allow for them. */
    async offered(appId: string): Promise<OfferedProvider[]> {
      return (await usableProviders(appId)).map((row) => ({
        name: row.name,
        displayName: providerDisplayName(row.name),
        formTargets: formTargetsOf(row),
      }));
    },

    /** Identities that cannot sign in, because their directory is not their provider's. */
    async strandedIdentities(appId: string): Promise<StrandedIdentities[]> {
      const rows = await listProviders(storage.reader, appId);
      const found = await Promise.all(
        rows.map(async (row) => {
          const directory = directoryOf(row);
          const counts = await countIdentities(storage.reader, appId, row.name);
          return [...counts]
            .filter(([issuer]) => issuer !== directory && issuer !== "")
            .map(([issuer, identities]) => ({ provider: row.name, directory, issuer, identities }));
        }),
      );
      return found.flat();
    },

    /** The directory of each of an app's providers, for identities without one; "" if unknown. */
    async directories(appId: string, handle: Handle): Promise<(provider: string) => string> {
      const rows = await listProviders(handle, appId);
      const own = new Map(rows.map((row) => [row.name, directoryOf(row)]));
      return (provider) => own.get(provider) ?? knownDirectory(provider);
    },

    async isConfigured(appId: string, name: string): Promise<boolean> {
      return (await usableProvider(appId, name)) !== undefined;
    },

    /** The providers that may be used. */
    async configured(appId: string, handle: Handle): Promise<string[]> {
      return (await usableProviders(appId, handle)).map(({ name }) => name);
    },

    /** The existing providers that may not be used. */
    async unusable(appId: string): Promise<string[]> {
      if (standInsAct) return [];
      return (await listProviders(storage.reader, appId)).filter(isStandIn).map(({ name }) => name);
    },

    /** The stand-ins of all applications, whether or not they may be used. */
    async standIns(): Promise<{ appId: string; name: string }[]> {
      return (await listAllProviders(storage.reader)).filter(isStandIn).map(({ appId, name }) => ({ appId, name }));
    },

    /**
     * A provider with all its endpoints; undefined without a client there. Throws ProviderFailure.
     */
    async find(appId: string, name: string): Promise<ConfiguredProvider | undefined> {
      const row = await usableProvider(appId, name);
      if (!row) return undefined;
      const own = endpointsOf(row);
      const { authorizationUrl, tokenUrl, jwksUrl, userinfoUrl, issuer } = own;
      const template = providerTemplate(name);
      const complete =
        authorizationUrl !== undefined &&
        tokenUrl !== undefined &&
        (template.source !== "id-token" || jwksUrl !== undefined);
      const endpoints = complete
        ? { authorizationUrl, tokenUrl, jwksUrl, userinfoUrl, issuer }
        : { ...(await discover(issuer?.replace(/\/$/u, "") ?? "")), ...defined({ ...own, issuer: undefined }) };
      return {
        ...template,
        provesEmail: row.trustsEmail ?? template.provesEmail,
        secretIn: endpoints.secretIn ?? template.secretIn,
        name,
        endpoints,
        directory: directoryOf(row),
        clientId: row.clientId,
        clientSecret: async () => secretOf(row, endpoints.issuer),
      };
    },
  };
}

/** What is known without asking the provider. */
function formTargetsOf(row: ProviderRow): string[] {
  const { authorizationUrl, issuer } = endpointsOf(row);
  const address = authorizationUrl ?? issuer ?? "";
  // A damaged row must not break the whole page.
  return [...(URL.canParse(address) ? [new URL(address).origin] : []), ...providerTemplate(row.name).hops];
}

function providerNotFound(): AppError {
  return new AppError("METHOD_NOT_FOUND", "The application has no such provider.");
}

function defined(endpoints: Partial<Endpoints>): Partial<Endpoints> {
  return Object.fromEntries(Object.entries(endpoints).filter(([, address]) => address !== undefined));
}
