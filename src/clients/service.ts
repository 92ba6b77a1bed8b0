import type { Applications } from "../applications/service.ts";
import type { Actor, Audit } from "../audit/audit.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError, applicationNotFound, invalidRequest } from "../lib/errors.ts";
import { newId, type Random } from "../lib/random.ts";
import { isRegistered } from "../lib/redirect-uris.ts";
import { createLastUses } from "../storage/queries/last-uses.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import { sweepAll } from "../storage/queries/sweep.ts";
import type { LoginEnds } from "../tokens/login-ends.ts";
import type { LogoutReceivers } from "../webhooks/logout-receivers.ts";
import {
  applicationAsClient,
  clientAnswer,
  clientNotFound,
  type Client,
  type ClientAnswer,
  type UsableClient,
} from "./client.ts";
import { changedClient, changedFields, clientFrom, type ClientChange, type NewClient } from "./rules.ts";
import { createClientSecrets } from "./secrets.ts";
import {
  deleteClient,
  findClient,
  insertClient,
  listClients,
  lockClient,
  lockClientForChange,
  recordClientUse,
  saveClient,
  sweepAssertions,
} from "./store.ts";

/** `dryRun`: checks everything, changes nothing. */
export type ClientCall = { actor: Actor; dryRun?: boolean };

export type Clients = ReturnType<typeof createClients>;

/** The OpenID Connect clients of all applications. */
export function createClients(deps: {
  storage: Storage;
  applications: Applications;
  loginEnds: LoginEnds;
  logoutReceivers: LogoutReceivers;
  /** The names of an application's groups. */
  groupNames(appId: string, handle: Handle): Promise<string[]>;
  audit: Audit;
  clock: Clock;
  random: Random;
  /** The issuer, without a trailing slash. */
  baseUrl: string;
}) {
  const { storage, applications, loginEnds, logoutReceivers, groupNames, audit, clock, random } = deps;
  const { urlProblem } = logoutReceivers;
  const secrets = createClientSecrets(deps);
  const uses = createLastUses({ storage, record: recordClientUse });

  async function note(
    tx: Handle,
    actor: Actor,
    action: "create" | "update" | "delete",
    { client, fields }: { client: Client; fields?: string },
    now: number,
  ): Promise<void> {
    const { id: clientId, appId } = client;
    const details = { clientId, ...(fields === undefined ? {} : { fields }) };
    await audit.record(tx, { actor, action: `client.${action}`, result: "success", appId, details }, now);
  }

  async function setReceiver(tx: Handle, { id, appId, backchannelLogoutUri: url }: Client, now: number): Promise<void> {
    await logoutReceivers.set(tx, { clientId: id, appId, url }, now);
  }

  async function applicationOf(handle: Handle, appId: string) {
    const application = await applications.find(appId, handle);
    if (!application) throw applicationNotFound();
    return application;
  }

  async function changed(handle: Handle, client: Client, change: ClientChange, now: number): Promise<Client> {
    const after = changedClient(client, change, await applicationOf(handle, client.appId), urlProblem, now);
    if (change.allowedGroups) await refuseUnknownGroups(handle, client.appId, change.allowedGroups);
    return after;
  }

  /** A misspelled name would lock everybody out. */
  async function refuseUnknownGroups(handle: Handle, appId: string, names: readonly string[]): Promise<void> {
    const known = await groupNames(appId, handle);
    const unknown = names.findIndex((name) => !known.includes(name));
    if (unknown !== -1) throw invalidRequest(`allowedGroups[${unknown}]: the application has no such group`);
  }

  /** The enabled client of a row; without a row the application with this id. */
  async function usable(id: string, client: Client | undefined, handle: Handle): Promise<UsableClient | undefined> {
    if (client && client.disabledAt !== null) return undefined;
    const application = await applications.find(client?.appId ?? id, handle);
    return application && { client: client ?? applicationAsClient(application), application };
  }

  /** The client of a row; an App ID names its application as client. Throws CLIENT_NOT_FOUND. */
  async function known(id: string): Promise<Client> {
    const client = await findClient(storage.reader, id);
    if (client) return client;
    const application = await applications.find(id);
    if (!application) throw clientNotFound();
    return applicationAsClient(application);
  }

  /** Throws CLIENT_NOT_FOUND, and CONFLICT for an App ID, which has no row to change. */
  async function refuseApplication(id: string): Promise<void> {
    const { appId } = await known(id);
    if (appId !== id) return;
    throw new AppError("CONFLICT", "This client is the application itself: change it with app update and key create.");
  }

  return {
    ...secrets.commands,
    isLiveSecret: secrets.isLiveSecret,
    uses,
    issuer: deps.baseUrl,

    /** An enabled client by its id; undefined if there is none. An App ID names its application. */
    async find(id: string, handle: Handle = storage.reader): Promise<UsableClient | undefined> {
      return await usable(id, await findClient(handle, id), handle);
    },

    /**
     * The same, and locks it: it can neither change nor be deleted until the transaction ends. Lock
     * it before users (docs/decisions/0042).
     */
    async lock(tx: Handle, id: string): Promise<UsableClient | undefined> {
      return await usable(id, await lockClient(tx, id), tx);
    },

    /**
     * Whether a client's tokens may do for their user what the application's own may: not those of
     * other people's programs (docs/spec/openid.md, 5).
     */
    async isOwnProgram(id: string): Promise<boolean> {
      const client = await findClient(storage.reader, id);
      return client?.disabledAt === null && client.consent === "none";
    },

    /** Whether this client may get responses at this address. */
    allowsRedirect({ kind, redirectUris }: Client, redirectUri: string): boolean {
      return isRegistered(redirectUri, redirectUris, { anyLoopbackPort: kind === "native" });
    },

    /**
     * Creates a client, and with kind `web` its first secret, which is shown only here: `secret`,
     * or a generated one if it has no keys either. Throws APP_NOT_FOUND, INVALID_REQUEST, CONFLICT.
     */
    async create(
      input: NewClient,
      { secret: chosen, mayGenerate = true }: { secret?: string | undefined; mayGenerate?: boolean },
      { actor, dryRun = false }: ClientCall,
    ): Promise<{ client: ClientAnswer; secret: string | null }> {
      const now = clock();
      const application = await applicationOf(storage.reader, input.appId);
      const client = clientFrom(input, application, newId("cli", now, random), urlProblem, now);
      if (input.allowedGroups) await refuseUnknownGroups(storage.reader, input.appId, input.allowedGroups);
      const needsSecret = chosen !== undefined || (mayGenerate && client.kind === "web" && client.jwks === null);
      const secret = needsSecret ? secrets.chosenOrNew(chosen) : null;
      if (dryRun) {
        await applications.refuseTakenId(storage.reader, client.id);
        return { client: clientAnswer(client), secret: null };
      }
      await storage.write(async (tx) => {
        await applications.claimId(tx, client.id, now);
        // Again: it may have been deleted.
        await applicationOf(tx, input.appId);
        await insertClient(tx, client);
        await setReceiver(tx, client, now);
        await note(tx, actor, "create", { client }, now);
        if (secret !== null) await secrets.insert(tx, client, secret, actor, now);
      });
      return { client: clientAnswer(client), secret };
    },

    /** Oldest first; of all applications without `appId`. Not the applications themselves. */
    async list(appId?: string): Promise<ClientAnswer[]> {
      if (appId !== undefined) await applicationOf(storage.reader, appId);
      return (await listClients(storage.reader, appId)).map(clientAnswer);
    },

    /** A client, enabled or not; an App ID names its application. Throws CLIENT_NOT_FOUND. */
    get: async (id: string): Promise<ClientAnswer> => clientAnswer(await known(id)),

    /** Throws CLIENT_NOT_FOUND, INVALID_REQUEST naming the field, CONFLICT for an application. */
    async update(id: string, change: ClientChange, { actor, dryRun = false }: ClientCall): Promise<ClientAnswer> {
      const now = clock();
      await refuseApplication(id);
      if (dryRun) return clientAnswer(await changed(storage.reader, await known(id), change, now));
      return await storage.write(async (tx) => {
        const before = await lockClientForChange(tx, id, now);
        if (!before) throw clientNotFound();
        const after = await changed(tx, before, change, now);
        await saveClient(tx, after);
        const fields = changedFields(before, after);
        if (fields.includes("backchannelLogoutUri")) await setReceiver(tx, after, now);
        if (fields.length > 0) await note(tx, actor, "update", { client: after, fields: fields.join(", ") }, now);
        return clientAnswer(after);
      });
    },

    /**
     * Deletes a client and ends its logins; its id is never reused. Throws CLIENT_NOT_FOUND,
     * CONFLICT for an application.
     */
    async delete(id: string, { actor, dryRun = false }: ClientCall): Promise<void> {
      await refuseApplication(id);
      if (dryRun) return;
      const now = clock();
      // First it can start no login, then the existing ones end, in batches.
      await storage.write(async (tx) => {
        const client = await lockClientForChange(tx, id, now);
        if (client) await saveClient(tx, { ...client, disabledAt: client.disabledAt ?? now });
      });
      const end = { reason: "client-deleted", by: { actor } } as const;
      const endSome = async () => await storage.write((tx) => loginEnds.endOfClient(tx, id, end, now));
      await sweepAll(endSome, () => false);
      await storage.write(async (tx) => {
        const client = await lockClientForChange(tx, id, now);
        if (!client) throw clientNotFound();
        while (await loginEnds.endOfClient(tx, id, end, now));
        await deleteClient(tx, id);
        await applications.retireId(tx, id, now);
        await note(tx, actor, "delete", { client }, now);
      });
    },

    /** Removes rows that are no longer needed; true if more may be left. */
    async sweep(): Promise<boolean> {
      const now = clock();
      await uses.flush();
      return await storage.write(async (tx) => {
        await secrets.sweep(tx, now);
        return await sweepAssertions(tx, now);
      });
    },
  };
}
