/** Operators: users of the console's application with a role (docs/decisions/0056). */
import { consoleApplication, consoleAppId, consoleCallbackPath } from "../applications/console-app.ts";
import { refuseConsole } from "../applications/related-origins.ts";
import { findApplication, insertApplication, lockApplication, lockId, saveApplication } from "../applications/store.ts";
import { isAddressOrNetwork } from "../config/network.ts";
import * as invites from "../credentials/mailed/invites.ts";
import * as passkeys from "../credentials/passkeys/service.ts";
import { day, hour, isoTime } from "../lib/clock.ts";
import { canonicalEmail } from "../lib/email.ts";
import { AppError, invalidRequest } from "../lib/errors.ts";
import { amongNetworks } from "../lib/networks.ts";
import { changeOf, type Wanted } from "../lib/wanted.ts";
import * as audit from "../records/audit/audit.ts";
import type { By } from "../records/audit/audit.ts";
import { withinTransaction, type Context } from "../runtime/context.ts";
import { findMetadata, replaceMetadata } from "../secrets/store.ts";
import { operatorRoles, type OperatorRole } from "../storage/column-types.ts";
import type { Handle } from "../storage/storage.ts";
import * as profiles from "../people/profile.ts";
import * as users from "../users/service.ts";
import { lockUser } from "../users/store.ts";
import type { User } from "../users/user.ts";
import { countOwners, listOperators, saveOperator, sweepOperatorSessions, type OperatorRow } from "./store.ts";

export type OperatorAnswer = {
  id: string;
  email: string | null;
  name: string | null;
  role: OperatorRole;
  /** `expired`: invited, and the link works no more. `disabled`: by `user disable`. */
  state: "invited" | "expired" | "active" | "disabled";
  /** Until when the invitation works. */
  invitedUntil: string | null;
  createdAt: string;
  lastLoginAt: string | null;
  /** The last page of the console, while that session is live, or the last sign-in. */
  lastSeenAt: string | null;
};

/** `link` is null if it was mailed, and for a dry run. */
export type OperatorInviteAnswer = Pick<OperatorAnswer, "email" | "role"> & {
  id: string | null;
  link: string | null;
  sent: boolean;
  expiresAt: string;
};

type Options = { dryRun?: boolean };

/** A session ends after this time without a request, as `authsvc console` does. */
export const idleSession = hour;
/** At the latest. */
export const longestSession = day / 2;

const networksFact = "console-networks";

function checkedRole(role: string): OperatorRole {
  const found = operatorRoles.find((each) => each === role);
  if (!found) throw invalidRequest("role", `one of ${operatorRoles.join(", ")}`);
  return found;
}

/** Operators return to the console's URL of the configuration. */
export async function followConfiguration(ctx: Context): Promise<void> {
  const origin = originOf(ctx);
  const application = await findApplication(ctx.storage.reader, consoleAppId);
  if (!application || application.redirectUris.includes(`${origin}${consoleCallbackPath}`)) return;
  await ctx.storage.write((tx) => ensureApplication(ctx, tx, origin, ctx.clock()));
}

/** Creates the console's application, or corrects its redirect URI. */
async function ensureApplication(ctx: Context, tx: Handle, origin: string, now: number): Promise<void> {
  await lockId(tx, consoleAppId, now);
  const application = consoleApplication(origin, now);
  const existing = await lockApplication(tx, consoleAppId, now);
  if (existing) await saveApplication(tx, { ...existing, redirectUris: application.redirectUris });
  else {
    await refuseConsole(ctx, tx, application, now);
    await insertApplication(tx, application);
  }
}

/** Throws USER_NOT_FOUND. */
export async function get(ctx: Context, id: string): Promise<OperatorAnswer> {
  const found = (await list(ctx)).find((operator) => operator.id === id);
  if (!found) throw notAnOperator();
  return found;
}

async function answerFor(ctx: Context, handle: Handle, row: OperatorRow): Promise<OperatorAnswer> {
  const { userId, email, name, role, createdAt, lastLoginAt, seenAt, disabledAt, hasPasskey } = row;
  const until = hasPasskey ? undefined : await invites.openUntil(ctx, handle, userId);
  const timeOf = (at: number | null): string | null => (at === null ? null : isoTime(at));
  const state = disabledAt !== null ? "disabled" : hasPasskey ? "active" : until === undefined ? "expired" : "invited";
  return {
    id: userId,
    email,
    name,
    role,
    state,
    invitedUntil: timeOf(until ?? null),
    createdAt: isoTime(createdAt),
    lastLoginAt: timeOf(lastLoginAt),
    lastSeenAt: timeOf(seenAt ?? lastLoginAt),
  };
}

export async function list(ctx: Context): Promise<OperatorAnswer[]> {
  const { reader } = ctx.storage;
  const rows = await listOperators(reader);
  return await Promise.all(rows.map(async (row) => await answerFor(ctx, reader, row)));
}

/** Throws CONFLICT if the configuration has no console for a team. */
function originOf({ config }: Context): string {
  if (config.console) return config.console.baseUrl;
  throw new AppError("CONFLICT", "There is no console to sign in to. Set console.listen and console.baseUrl first.");
}

/**
 * Invites a person, possibly again; an operator by id with the role that they have. Throws
 * CONFLICT, INVALID_REQUEST, RATE_LIMITED, USER_NOT_FOUND.
 */
export async function invite(
  ctx: Context,
  input: { email: string; role: string; name: string | null } | { id: string },
  { dryRun = false, link = false }: Options & { link?: boolean },
  by: By,
): Promise<OperatorInviteAnswer> {
  const origin = originOf(ctx);
  const now = ctx.clock();
  return await ctx.storage.write<OperatorInviteAnswer>(async (tx, rollBack) => {
    await ensureApplication(ctx, tx, origin, now);
    const { role, ...person } =
      "id" in input ? await operatorIn(tx, input.id) : { ...input, role: checkedRole(input.role) };
    const invitation = { appId: consoleAppId, email: person.email ?? "", name: person.name, locale: null };
    const made = await invites.invite(withinTransaction(ctx, tx), invitation, { link, dryRun }, by);
    const { email, userId: id, sent, expiresAt } = made;
    const answer = { id, email, role, link: made.link, sent, expiresAt };
    if (id !== null) await saveOperator(tx, { userId: id, role, createdAt: now });
    // A dry run does not create the user of a new operator.
    if (role !== "owner") await demandOwner(tx);
    if (dryRun || id === null) throw rollBack(answer);
    await record(ctx, tx, { action: "operator.invite", by, id, role }, now);
    return answer;
  });
}

/** Changes a role. Throws CONFLICT, INVALID_REQUEST, USER_NOT_FOUND. */
export async function update(
  ctx: Context,
  idOrEmail: string,
  wanted: Wanted<{ role: string }, { role: string }>,
  { dryRun = false }: Options,
  by: By,
): Promise<OperatorAnswer> {
  if (typeof wanted !== "function") checkedRole(wanted.role);
  const now = ctx.clock();
  return await ctx.storage.write<OperatorAnswer>(async (tx, rollBack) => {
    await lockApplication(tx, consoleAppId, now);
    const { id } = await userOf(tx, idOrEmail);
    refuseOneself(id, by);
    const before = (await listOperators(tx)).find(({ userId }) => userId === id);
    const role = checkedRole(changeOf(wanted, { role: before?.role ?? "" }).role);
    await saveOperator(tx, { userId: id, role, createdAt: now });
    await demandOwner(tx);
    const answer = await answerFor(ctx, tx, await operatorIn(tx, id));
    if (dryRun) throw rollBack(answer);
    await record(ctx, tx, { action: "operator.update", by, id, role }, now);
    return answer;
  });
}

/**
 * Deletes an operator with their passkeys, and ends their sessions. Throws CONFLICT,
 * USER_NOT_FOUND.
 */
export async function remove(
  ctx: Context,
  idOrEmail: string,
  { dryRun = false }: Options,
  by: By,
): Promise<{ id: string; email: string | null }> {
  return await removeAs(ctx, "operator.remove", idOrEmail, { dryRun }, by);
}

/**
 * Removes an operator who has no passkey yet: their link stops working. Throws CONFLICT,
 * USER_NOT_FOUND.
 */
export async function withdraw(
  ctx: Context,
  idOrEmail: string,
  { dryRun = false }: Options,
  by: By,
): Promise<{ id: string; email: string | null }> {
  return await removeAs(ctx, "operator.invite-withdrawn", idOrEmail, { dryRun }, by);
}

async function removeAs(
  ctx: Context,
  action: "operator.remove" | "operator.invite-withdrawn",
  idOrEmail: string,
  { dryRun }: { dryRun: boolean },
  by: By,
): Promise<{ id: string; email: string | null }> {
  const now = ctx.clock();
  return await ctx.storage.write<{ id: string; email: string | null }>(async (tx, rollBack) => {
    await lockApplication(tx, consoleAppId, now);
    const { id, email } = await userOf(tx, idOrEmail);
    refuseOneself(id, by);
    // Locked: the person may be accepting the invitation.
    await lockUser(tx, id);
    if (action === "operator.invite-withdrawn" && (await passkeys.hasAny(tx, id)))
      throw new AppError(
        "CONFLICT",
        "This operator has accepted the invitation. To remove them: authsvc operator remove",
      );
    await record(ctx, tx, { action, by, id }, now);
    await profiles.removeAnybody(ctx, tx, id, by);
    if ((await listOperators(tx)).length > 0) await demandOwner(tx);
    if (dryRun) throw rollBack({ id, email });
    return { id, email };
  });
}

/** Nobody can remove their own role by mistake, which only others could restore. */
function refuseOneself(id: string, { actor }: By): void {
  if (actor.kind === "operator" && actor.name === id)
    throw new AppError("CONFLICT", "You cannot change your own role or remove yourself. Ask another owner.");
}

/**
 * If no operator could invite another, only a command could repair the console. Lock the
 * application first, so that two concurrent changes also leave one.
 */
async function demandOwner(tx: Handle): Promise<void> {
  if ((await countOwners(tx)) === 0)
    throw new AppError("CONFLICT", "One operator must be an owner. Make another one an owner first.");
}

function notAnOperator(): AppError {
  return new AppError("USER_NOT_FOUND", "There is no operator with this id or address.");
}

async function operatorIn(tx: Handle, id: string): Promise<OperatorRow> {
  const found = (await listOperators(tx)).find(({ userId }) => userId === id);
  if (!found) throw notAnOperator();
  return found;
}

async function userOf(tx: Handle, idOrEmail: string): Promise<User> {
  const email = canonicalEmail(idOrEmail);
  const user = email === undefined ? await users.find(tx, idOrEmail) : await users.findByEmail(tx, consoleAppId, email);
  if (user?.appId !== consoleAppId) throw notAnOperator();
  return user;
}

async function record(
  ctx: Context,
  tx: Handle,
  { action, by, id, role }: { action: string; by: By; id: string; role?: OperatorRole },
  now: number,
): Promise<void> {
  const event = { ...by, action, result: "success", appId: consoleAppId, userId: id } as const;
  await audit.record(ctx, tx, { ...event, details: role === undefined ? {} : { role } }, now);
}

/** The networks that operators may connect from; empty: any. */
export async function networks(ctx: Context): Promise<string[]> {
  return await networksIn(ctx.storage.reader);
}

async function networksIn(handle: Handle): Promise<string[]> {
  return JSON.parse((await findMetadata(handle, networksFact)) ?? "[]") as string[];
}

/** Throws INVALID_REQUEST. */
export async function setNetworks(
  ctx: Context,
  wanted: Wanted<readonly string[], string[]>,
  { dryRun = false }: Options,
  by: By,
): Promise<string[]> {
  const now = ctx.clock();
  return await ctx.storage.write<string[]>(async (tx, rollBack) => {
    await lockId(tx, consoleAppId, now);
    const allowed = changeOf(wanted, await networksIn(tx));
    const wrong = allowed.findIndex((each) => !isAddressOrNetwork(each));
    if (wrong !== -1) throw invalidRequest(`networks[${wrong}]`, "an IP address or a network such as 10.0.0.0/8");
    if (dryRun) throw rollBack([...allowed]);
    await replaceMetadata(tx, networksFact, JSON.stringify(allowed));
    const details = { networks: allowed.join(" ") };
    await audit.record(ctx, tx, { ...by, action: "operator.networks", result: "success", details }, now);
    return [...allowed];
  });
}

/** Whether operators may connect from this canonical address. */
export async function isAllowedFrom(ctx: Context, address: string): Promise<boolean> {
  const allowed = await networks(ctx);
  return allowed.length === 0 || amongNetworks(allowed)(address);
}

/** Removes a batch of sessions that ended; true if more may be left. */
export async function sweep(ctx: Context): Promise<boolean> {
  return await ctx.storage.write((tx) => sweepOperatorSessions(tx, ctx.clock() - idleSession));
}
