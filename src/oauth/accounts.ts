import { createPrivateKey } from "node:crypto";
import type { Applications } from "../applications/service.ts";
import type { Actor, Audit } from "../audit/audit.ts";
import { didYouMean } from "../config/nearest.ts";
import { isoTime, type Clock } from "../lib/clock.ts";
import { AppError, invalidRequest } from "../lib/errors.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { Storage } from "../storage/storage.ts";
import { isSafeAddress } from "./discovery.ts";
import { endpointsOf, mintAppleSecret, type ConfiguredProvider } from "./provider.ts";
import { ProviderFailure } from "./provider-fetch.ts";
import { deleteProvider, findProvider, listProviders, saveProvider, type ProviderRow } from "./provider-store.ts";
import {
  isKnownProvider,
  nearestKnownProvider,
  providerDisplayName,
  providerNameForm,
  providerTemplate,
  type Endpoints,
} from "./providers.ts";

/** What `app provider set` takes. Addresses override the table's (GitHub Enterprise, tests) or complete an issuer of one's own. */
export type ProviderInput = {
  name: string;
  clientId: string;
  /** The client secret; for Apple the .p8 key in PEM. */
  secret: string;
  teamId?: string | undefined;
  keyId?: string | undefined;
  issuer?: string | undefined;
  authorizationUrl?: string | undefined;
  tokenUrl?: string | undefined;
  userinfoUrl?: string | undefined;
  jwksUrl?: string | undefined;
};

/** A provider as a command shows it: never its secret. */
export type ProviderAnswer = {
  name: string;
  displayName: string;
  clientId: string;
  enabled: boolean;
  /** What to register with the provider. */
  callbackUrl: string;
  endpoints: Partial<Endpoints>;
  updatedAt: string;
};

/** An app's account with a provider as it was set; null where the table's own holds. */
export type ProviderSettings = Omit<ProviderRow, "appId" | "encryptedSecret" | "createdAt" | "updatedAt"> & {
  /** Decrypted when it is asked for: for who compares a wanted state with what is. */
  secret(): string;
};

export type OfferedProvider = { name: string; displayName: string; formTargets: string[] };

/** Of one application: what its sign-in page can offer. */
const mostProviders = 50;

const addressFields = ["issuer", "authorizationUrl", "tokenUrl", "userinfoUrl", "jwksUrl"] as const;

export type ProviderAccounts = ReturnType<typeof createProviderAccounts>;

export function createProviderAccounts(deps: {
  storage: Storage;
  applications: Applications;
  audit: Audit;
  keyring: Keyring;
  clock: Clock;
  baseUrl: string;
  /** Completes an issuer's endpoints from its discovery document; throws ProviderFailure. */
  discover(issuer: string): Promise<Endpoints>;
}) {
  const { storage, applications, audit, keyring, clock, baseUrl, discover } = deps;

  function answerFor(row: ProviderRow, enabled: string[]): ProviderAnswer {
    const { name, clientId, updatedAt } = row;
    const { displayName } = providerTemplate(name);
    return {
      name,
      displayName,
      clientId,
      enabled: enabled.includes(name),
      callbackUrl: `${baseUrl}/oauth/${name}/callback`,
      endpoints: endpointsOf(row),
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
      throw new ProviderFailure("the secret that is stored cannot be used", error);
    }
  }

  return {
    displayName: providerDisplayName,

    /** Sets an app's account with a provider, and lets people sign in with it. Throws APP_NOT_FOUND, INVALID_REQUEST naming the field. */
    async set(
      appId: string,
      input: ProviderInput,
      actor: Actor,
      { dryRun = false }: { dryRun?: boolean } = {},
    ): Promise<ProviderAnswer> {
      const now = clock();
      const name = input.name.toLowerCase();
      const row = providerRow(appId, name, input, keyring, now);
      if (dryRun) return answerFor(row, [...(await applications.get(appId)).authMethods.oauth.providers, name]);
      return await storage.write(async (tx) => {
        const { providers } = await applications.changeProviders(
          tx,
          appId,
          (oauth) => ({ enabled: true, providers: [...new Set([...oauth.providers, name])] }),
          now,
        );
        await saveProvider(tx, row);
        if ((await listProviders(tx, appId)).length > mostProviders)
          throw new AppError("CONFLICT", "The application has as many providers as it may.", {
            details: `providers: at most ${mostProviders}`,
          });
        await audit.record(
          tx,
          { actor, action: "provider.set", result: "success", appId, details: { provider: name } },
          now,
        );
        return answerFor(row, providers);
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

    /** Forgets an app's account with a provider; who signed in with it keeps the other methods. Throws APP_NOT_FOUND, METHOD_NOT_FOUND. */
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

    /** The app's providers that have an account, and the origins that a form which starts one must be allowed to lead to. */
    async offered(appId: string): Promise<OfferedProvider[]> {
      return (await listProviders(storage.reader, appId)).map((row) => ({
        name: row.name,
        displayName: providerDisplayName(row.name),
        formTargets: formTargetsOf(row),
      }));
    },

    async isConfigured(appId: string, name: string): Promise<boolean> {
      return (await findProvider(storage.reader, appId, name)) !== undefined;
    },

    /** A provider with all its endpoints; undefined when the app has no account with it. Throws ProviderFailure when discovery fails. */
    async find(appId: string, name: string): Promise<ConfiguredProvider | undefined> {
      const row = await findProvider(storage.reader, appId, name);
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
        name,
        endpoints,
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
  // A row that somebody damaged must not take the whole page with it.
  return [...(URL.canParse(address) ? [new URL(address).origin] : []), ...providerTemplate(row.name).hops];
}

function providerRow(appId: string, name: string, input: ProviderInput, keyring: Keyring, now: number): ProviderRow {
  if (!providerNameForm.test(name))
    throw invalidRequest("name: 1 to 32 lower-case letters, digits or '-', starting with a letter");
  // RFC 6749 appendix A.1.
  if (!/^[\x20-\x7E]{1,512}$/u.test(input.clientId.trim()))
    throw invalidRequest("clientId: 1 to 512 printable ASCII characters");
  if (input.secret.trim() === "" || input.secret.length > 8192) throw invalidRequest("secret: 1 to 8192 characters");
  if (!isKnownProvider(name) && input.issuer === undefined)
    throw invalidRequest(`issuer: required for a provider of your own${didYouMean(nearestKnownProvider(name))}`);
  const isApple = name === "apple";
  for (const field of ["teamId", "keyId"] as const) {
    const id = input[field];
    if (isApple && id === undefined) throw invalidRequest(`${field}: required for apple`);
    if (!isApple && id !== undefined) throw invalidRequest(`${field}: only for apple`);
    if (id !== undefined && !/^[A-Za-z0-9]{1,32}$/u.test(id)) throw invalidRequest(`${field}: letters and digits`);
  }
  if (isApple) requireP8Key(input.secret);
  for (const field of addressFields) requireAddress(field, input[field]);
  return {
    appId,
    name,
    clientId: input.clientId.trim(),
    encryptedSecret: keyring.encrypt(input.secret.trim(), providerSecretContext(appId, name)),
    teamId: input.teamId ?? null,
    keyId: input.keyId ?? null,
    // As the issuer writes it: an id_token must name it letter by letter, with the slash at the end that some have.
    issuer: input.issuer ?? null,
    authorizationUrl: input.authorizationUrl ?? null,
    tokenUrl: input.tokenUrl ?? null,
    userinfoUrl: input.userinfoUrl ?? null,
    jwksUrl: input.jwksUrl ?? null,
    createdAt: now,
    updatedAt: now,
  };
}

function requireAddress(field: string, address: string | undefined): void {
  if (address === undefined) return;
  // Stored and sent as it is written, so that nothing may be in it that a parser of addresses leaves away.
  if (!/^[\x21-\x7E]{1,2048}$/u.test(address) || address.includes("#") || !isSafeAddress(address))
    throw invalidRequest(`${field}: an https address (http only for this machine)`);
  if (field === "issuer" && address.includes("?")) throw invalidRequest("issuer: an address without a query");
}

function requireP8Key(pem: string): void {
  try {
    if (createPrivateKey(pem).asymmetricKeyDetails?.namedCurve === "prime256v1") return;
  } catch {
    // Said below.
  }
  throw invalidRequest("secret: the .p8 key that Apple gave you (PEM, P-256)");
}

function providerNotFound(): AppError {
  return new AppError("METHOD_NOT_FOUND", "The application has no such provider.");
}

function defined(endpoints: Partial<Endpoints>): Partial<Endpoints> {
  return Object.fromEntries(Object.entries(endpoints).filter(([, address]) => address !== undefined));
}

export function providerSecretContext(appId: string, name: string): string {
  return `oauth_providers/${appId}/${name}`;
}
