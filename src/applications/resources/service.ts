/** The resources of all applications: APIs that tokens are issued for (docs/decisions/0057). */
import { AppError, applicationNotFound, invalidRequest } from "../../lib/errors.ts";
import * as audit from "../../records/audit/audit.ts";
import type { Actor } from "../../records/audit/audit.ts";
import type { Context } from "../../runtime/context.ts";
import type { Handle } from "../../storage/storage.ts";
import { hasOrganizations } from "../application.ts";
import { organizationScope, resourceFields, type Client } from "../clients/client.ts";
import { listClients } from "../clients/store.ts";
import { refuseConsoleApp } from "../console-app.ts";
import * as ids from "../ids.ts";
import * as applications from "../service.ts";
import { lockId } from "../store.ts";
import { builtIn } from "./built-in.ts";
import { formsOf, isSame, mayAsk, resourceAnswer, resourceNotFound } from "./resource.ts";
import type { Asking, Resource, ResourceAnswer, ResourceChange } from "./resource.ts";
import { bareResource, changedFields, changedResource, checkedIdentifier, maxIdentifierCharacters } from "./rules.ts";
import { maxResources } from "./rules.ts";
import {
  countResources,
  deleteResource,
  findResource,
  insertResource,
  listResources,
  lockResource,
  saveResource,
} from "./store.ts";

/** `dryRun`: checks everything, changes nothing. */
export type ResourceCall = { actor: Actor; dryRun?: boolean };

export type NewResource = ResourceChange & { appId: string; identifier: string };

async function note(
  ctx: Context,
  tx: Handle,
  actor: Actor,
  action: "create" | "update" | "delete",
  { resource: { identifier, appId }, fields }: { resource: Resource; fields?: string },
  now: number,
): Promise<void> {
  const details = { resource: identifier, ...(fields === undefined ? {} : { fields }) };
  const about = { appId, details, target: identifier };
  await audit.record(ctx, tx, { actor, action: `resource.${action}`, result: "success", ...about }, now);
}

/**
 * The resource, if this client may request it now (RFC 8707 §2); undefined otherwise. `since`: when
 * the requesting login or token began; a newer resource is another one.
 */
export async function askedBy(
  handle: Handle,
  client: Asking,
  identifier: string,
  since = Number.POSITIVE_INFINITY,
): Promise<Resource | undefined> {
  if (identifier.length > maxIdentifierCharacters) return undefined;
  const resource = await findResource(handle, identifier);
  return resource && isSame(resource, since) && mayAsk(client, resource) ? resource : undefined;
}

/** The resource that a token of an application is for, if it is still there. */
export async function ofToken(
  ctx: Context,
  handle: Handle,
  { identifier, appId }: { identifier: string; appId: string },
): Promise<Resource | undefined> {
  if (identifier === ctx.baseUrl) return builtIn(ctx.baseUrl, appId);
  const resource = await findResource(handle, identifier);
  return resource?.appId === appId ? resource : undefined;
}

/** The same as `askedBy`, for a machine, which may request this service too. */
export async function askedByMachine(
  ctx: Context,
  handle: Handle,
  machine: Asking,
  identifier: string,
): Promise<Resource | undefined> {
  if (!formsOf(identifier).includes(ctx.baseUrl)) return await askedBy(handle, machine, identifier);
  return machine.resources.includes(ctx.baseUrl) ? builtIn(ctx.baseUrl, machine.appId) : undefined;
}

/** Of an application with organizations, it is not a resource's. Throws INVALID_REQUEST. */
async function refuseOrganizationScope(ctx: Context, tx: Handle, { appId, scopes }: Resource): Promise<void> {
  const index = scopes.findIndex(({ name }) => name === organizationScope);
  const application = index === -1 ? undefined : await applications.find(ctx, tx, appId);
  if (application && hasOrganizations(application))
    throw invalidRequest(`scopes[${index}]`, `not ${organizationScope}, which is the application's own`);
}

/** Throws APP_NOT_FOUND, INVALID_REQUEST naming the field, CONFLICT for a known identifier. */
export async function create(
  ctx: Context,
  { appId, identifier, ...change }: NewResource,
  { actor, dryRun = false }: ResourceCall,
): Promise<ResourceAnswer> {
  refuseConsoleApp(appId);
  const now = ctx.clock();
  const bare = bareResource(checkedIdentifier(identifier, ctx.baseUrl), appId, now);
  const resource = changedResource(bare, change);
  return await ctx.storage.write<ResourceAnswer>(async (tx, rollBack) => {
    // Locked, so that concurrent calls count each other.
    if (!(await ids.lock(tx, appId, now))) throw applicationNotFound();
    const [form = identifier] = formsOf(identifier).toSorted();
    await lockId(tx, form, now);
    if (await findResource(tx, identifier))
      throw new AppError("CONFLICT", "This service already has a resource with this identifier.");
    await refuseOrganizationScope(ctx, tx, resource);
    await insertResource(tx, resource);
    if ((await countResources(tx, appId)) > maxResources)
      throw invalidRequest("identifier", `an application can have at most ${maxResources} resources`);
    if (dryRun) throw rollBack(resourceAnswer(resource));
    await note(ctx, tx, actor, "create", { resource }, now);
    return resourceAnswer(resource);
  });
}

/** By identifier; of all applications without `appId`. Throws APP_NOT_FOUND. */
export async function list(ctx: Context, appId?: string): Promise<ResourceAnswer[]> {
  if (appId !== undefined && !(await applications.find(ctx, ctx.storage.reader, appId))) throw applicationNotFound();
  return (await listResources(ctx.storage.reader, appId)).map(resourceAnswer);
}

/** Throws RESOURCE_NOT_FOUND. */
export async function get(ctx: Context, identifier: string): Promise<ResourceAnswer> {
  const resource = await findResource(ctx.storage.reader, identifier);
  if (!resource) throw resourceNotFound();
  return resourceAnswer(resource);
}

/** Its next tokens follow. Throws RESOURCE_NOT_FOUND, INVALID_REQUEST naming the field. */
export async function update(
  ctx: Context,
  identifier: string,
  change: ResourceChange,
  { actor, dryRun = false }: ResourceCall,
): Promise<ResourceAnswer> {
  const now = ctx.clock();
  return await ctx.storage.write<ResourceAnswer>(async (tx, rollBack) => {
    const before = await lockResource(tx, identifier, now);
    if (!before) throw resourceNotFound();
    const after = changedResource(before, change);
    await refuseOrganizationScope(ctx, tx, after);
    if (dryRun) throw rollBack(resourceAnswer(after));
    await saveResource(tx, after);
    const fields = changedFields(before, after);
    if (fields.length > 0) await note(ctx, tx, actor, "update", { resource: after, fields: fields.join(", ") }, now);
    return resourceAnswer(after);
  });
}

/**
 * Deletes a resource: introspection no longer knows its tokens, its logins cannot be refreshed, and
 * consents do not apply to a later resource with its identifier. Throws RESOURCE_NOT_FOUND,
 * CONFLICT if a client names it.
 */
export async function remove(ctx: Context, identifier: string, { actor, dryRun = false }: ResourceCall): Promise<void> {
  const now = ctx.clock();
  await ctx.storage.write<void>(async (tx, rollBack) => {
    const resource = await lockResource(tx, identifier, now);
    if (!resource) throw resourceNotFound();
    const naming = (client: Client) => resourceFields.find((field) => client[field].includes(resource.identifier));
    const client = (await listClients(tx, resource.appId)).find(naming);
    if (client)
      throw new AppError(
        "CONFLICT",
        `The client ${client.id} names this resource. Change its ${naming(client)} first.`,
      );
    if (dryRun) throw rollBack();
    await deleteResource(tx, resource.identifier);
    await note(ctx, tx, actor, "delete", { resource }, now);
  });
}
