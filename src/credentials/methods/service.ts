/** A user's sign-in methods: listing, renaming, removing. They are created elsewhere. */
import * as providers from "../../applications/providers/provider-clients.ts";
import { providerDisplayName } from "../../applications/providers/providers.ts";
import * as applications from "../../applications/service.ts";
import { demandOn } from "../../factors/service.ts";
import { AppError, invalidRequest, userNotFound } from "../../lib/errors.ts";
import { personsSource } from "../../lib/request-source.ts";
import { displayName } from "../../lib/text.ts";
import * as audit from "../../records/audit/audit.ts";
import type { By } from "../../records/audit/audit.ts";
import * as events from "../../records/webhooks/events.ts";
import type { Context } from "../../runtime/context.ts";
import { outdateProofsOfUser } from "../../sessions/browser-session-store.ts";
import * as ends from "../../sessions/login-ends.ts";
import type { Handle } from "../../storage/storage.ts";
import * as users from "../../users/service.ts";
import { lockUserForChange } from "../../users/store.ts";
import type { User } from "../../users/user.ts";
import * as notices from "../mailed/notices.ts";
import * as passkeys from "../passkeys/service.ts";
import { canDoWithout, canSignIn, methodAnswer, type Method, type MethodAnswer, type Availability } from "./method.ts";
import { deleteMethod, listMethods, renamePasskey } from "./store.ts";

/** The longest name of a passkey. */
export const maxLabelCharacters = 100;

function nameOf(method: Method): string | null {
  if (method.type === "passkey") return method.name;
  return method.type === "oauth" ? providerDisplayName(method.provider) : null;
}

/** The audit log and the application's server learn of it; not its mail. */
async function noteRemoval(
  ctx: Context,
  tx: Handle,
  about: { user: User; by: By },
  method: Method,
  now: number,
): Promise<void> {
  await note(ctx, tx, "method.removed", about, method, now);
  const { appId, id: userId } = about.user;
  const source = personsSource(about.by);
  const event = { kind: "method.removed", appId, userId, authMethod: method.type, source } as const;
  await events.record(ctx, tx, { ...event, sessionId: null }, now);
}

async function note(
  ctx: Context,
  tx: Handle,
  action: string,
  { user, by }: { user: User; by: By },
  method: Method,
  now: number,
): Promise<void> {
  const { appId, id: userId } = user;
  const details = { method: method.type, methodId: method.id };
  await audit.record(ctx, tx, { ...by, action, result: "success", appId, userId, details }, now);
}

/**
 * A user's methods, oldest first, including those that the application does not accept now.
 */
export async function list(handle: Handle, userId: string): Promise<Method[]> {
  return await listMethods(handle, userId);
}

/** The user's methods as visible to a token with these scopes. */
export async function answersFor(ctx: Context, userId: string, scopes: string[]): Promise<MethodAnswer[]> {
  return (await listMethods(ctx.storage.reader, userId)).map((method) => methodAnswer(method, scopes));
}

/** The facts by which a user's methods can be used now. Throws USER_NOT_FOUND. */
async function readAvailability(ctx: Context, handle: Handle, user: User): Promise<Availability> {
  const application = await applications.find(ctx, handle, user.appId);
  if (!application) throw userNotFound();
  const { isRequired, hasFactor } = await demandOn(handle, application, user.id);
  return {
    application,
    configuredProviders: await providers.configured(ctx, user.appId, handle),
    passkeysAvailable: passkeys.available(ctx),
    hasEmail: user.email !== null,
    needsPasskey: application.authMethods.passkey.required || (isRequired && !hasFactor),
  };
}

/** Like `list`, with whether each works now, and whether the user could sign in without it. */
export async function examined(
  ctx: Context,
  user: User,
): Promise<{ method: Method; works: boolean; isRemovable: boolean }[]> {
  const availability = await readAvailability(ctx, ctx.storage.reader, user);
  const all = await listMethods(ctx.storage.reader, user.id);
  return all.map((method) => ({
    method,
    works: canSignIn(method, availability),
    isRemovable: canDoWithout(method, all, availability),
  }));
}

/**
 * Removes a method and ends all logins except `keep`. The user gets a mail. Throws
 * USER_NOT_FOUND, METHOD_NOT_FOUND; INVALID_REQUEST if the user could not sign in without it,
 * unless `evenLast`.
 */
export async function remove(
  ctx: Context,
  userId: string,
  methodId: string,
  by: By,
  options: { keep?: ends.AccessEnd["keep"]; evenLast?: boolean; dryRun?: boolean } = {},
): Promise<void> {
  const { keep = {}, evenLast = false, dryRun = false } = options;
  const now = ctx.clock();
  await ctx.storage.write<void>(async (tx, rollBack) => {
    // Lock first: of two concurrent removals, the later one sees the other's result.
    const user = await lockUserForChange(tx, userId, now);
    if (!user) throw userNotFound();
    const methods = await listMethods(tx, userId);
    const method = methods.find(({ id }) => id === methodId);
    if (!method) throw methodNotFound();
    if (!evenLast && !canDoWithout(method, methods, await readAvailability(ctx, tx, user))) {
      throw invalidRequest("methodId", "the last method that can sign the user in cannot be removed");
    }
    await deleteMethod(tx, userId, method);
    // Browsers may stay signed in, but their proofs end, because they may rely on this method.
    if (keep.browserSession === undefined) await outdateProofsOfUser(tx, userId);
    await ends.endAccess(ctx, tx, userId, { reason: "method-removed", by, keep }, now);
    await noteRemoval(ctx, tx, { user, by }, method, now);
    const notice = { type: method.type, name: nameOf(method) };
    await notices.methodRemoved(ctx, tx, { user, source: personsSource(by) ?? undefined }, notice, now);
    if (dryRun) throw rollBack(undefined);
  });
}

/**
 * Removes methods of a locked user, in a transaction that ends all access. Sends no mail, because
 * the person sees the methods listed.
 */
export async function removeFrom(
  ctx: Context,
  tx: Handle,
  about: { user: User; by: By },
  removed: Method[],
  now: number,
): Promise<void> {
  for (const method of removed) {
    await deleteMethod(tx, about.user.id, method);
    await noteRemoval(ctx, tx, about, method, now);
  }
}

/**
 * Renames a passkey. Throws METHOD_NOT_FOUND for anything else, INVALID_REQUEST naming the
 * rule, USER_NOT_FOUND.
 */
export async function rename(ctx: Context, userId: string, methodId: string, name: string, by: By): Promise<void> {
  const now = ctx.clock();
  const label = displayName(name);
  if (!label || label.length > maxLabelCharacters) {
    throw invalidRequest("name", `1 to ${maxLabelCharacters} characters, no control characters`);
  }
  await ctx.storage.write(async (tx) => {
    const user = await users.find(tx, userId);
    if (!user) throw userNotFound();
    if (!(await renamePasskey(tx, userId, methodId, label))) throw methodNotFound();
    const [method] = (await listMethods(tx, userId)).filter(({ id }) => id === methodId);
    if (method) await note(ctx, tx, "method.renamed", { user, by }, method, now);
  });
}

function methodNotFound(): AppError {
  return new AppError("METHOD_NOT_FOUND", "The user has no such method.");
}
