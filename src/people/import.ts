import * as providers from "../applications/providers/provider-clients.ts";
import type { AddressRefusal } from "../applications/sign-up/rules.ts";
import * as signUpRules from "../applications/sign-up/service.ts";
import * as applications from "../applications/service.ts";
import * as factors from "../factors/service.ts";
import { isUsablePublicKey } from "../credentials/passkeys/webauthn.ts";
import {
  affordable,
  foreignHash,
  firebaseHash,
  type FirebaseParameters,
  type ForeignHash,
} from "../credentials/passwords/foreign-hashes.ts";
import { AppError, applicationNotFound } from "../lib/errors.ts";
import { factsFrom, factsOn } from "../lib/profile-facts.ts";
import { newId, newSecret } from "../lib/random.ts";
import { imported } from "../pictures/service.ts";
import * as audit from "../records/audit/audit.ts";
import type { Actor } from "../records/audit/audit.ts";
import { unmarked, type Mark } from "../credentials/passwords/store.ts";
import type { Context } from "../runtime/context.ts";
import type { ProfileField, ProfileValues } from "../storage/column-types.ts";
import type { Handle } from "../storage/storage.ts";
import { countUsers } from "../users/counter-store.ts";
import {
  findGroupIds,
  findTaken,
  identityKey,
  insertRows,
  type IdentityKey,
  type NewRows,
  type Taken,
} from "./import-store.ts";
import { parseUserLine, type LineProblem, type UserLine } from "./user-line.ts";
import { changedProfile } from "../users/profile-fields.ts";
import { newUser } from "../users/user.ts";

/**
 * "unchanged": the user exists and is not changed. `leftOut`: invalid optional fields of a new
 * user. `refusedRule`: the sign-up rule that refuses the address; an import overrides it.
 */
export type LineOutcome = { line: number } & (
  | { outcome: "created"; leftOut: LineProblem[]; refusedRule?: AddressRefusal }
  | { outcome: "unchanged" }
  | ({ outcome: "refused" } & LineProblem)
);

type Options = {
  /** The parameters of hashes with a separate `salt`. */
  firebase?: FirebaseParameters | undefined;
  /** Accepts hashes whose check costs more than about 250 ms or 128 MiB. */
  allowExpensiveHashes?: boolean;
  /** Checks everything, also against stored users, and writes nothing. */
  dryRun: boolean;
};

/** Rows, and second factors that are yet to be encrypted. */
type NewUsers = NewRows & { factors: { userId: string; secret: string; recoveryDigests: string[] }[] };

type Candidate = { line: number; user: UserLine; leftOut: LineProblem[]; passwordHash: string | undefined };

/**
 * A candidate whose identities have a directory: from the line, or from the application's provider.
 * `profile`: what its fields allow.
 */
type Placed = Candidate & {
  identities: (IdentityKey & { email: string | null })[];
  profile: ProfileValues | null;
};

const maxTries = 5;
const noAaguid = "00000000-0000-0000-0000-000000000000";

/** Checks everything that needs no database, including checks that need other libraries. */
async function check(line: number, json: string, options: Options): Promise<Candidate | LineOutcome> {
  const parsed = parseUserLine(json);
  if ("rule" in parsed) return { line, outcome: "refused", ...parsed };
  const { leftOut, ...user } = parsed;
  for (const [position, { publicKey }] of (user.passkeys ?? []).entries()) {
    if (await isUsablePublicKey(publicKey)) continue;
    const rule = "a COSE key in base64url, for EdDSA, ES256 or RS256";
    return { line, outcome: "refused", field: `passkeys[${position}].publicKey`, rule };
  }
  const allowExpensive = options.allowExpensiveHashes === true;
  const read = user.password && affordable(readHash(user.password, options), { allowExpensive });
  if (read && "problem" in read) {
    const [field = "", rule = ""] = read.problem.split(": ");
    return { line, outcome: "refused", field, rule };
  }
  return { line, user, leftOut, passwordHash: read?.hash };
}

function readHash({ hash, salt }: NonNullable<UserLine["password"]>, { firebase }: Options): ForeignHash {
  if (salt === null || salt === undefined) return foreignHash(hash);
  if (!firebase) return { problem: "password.salt: needs the parameters of the Firebase project" };
  return firebaseHash({ hash, salt }, firebase);
}

function addRows(
  ctx: Context,
  rows: NewUsers,
  appId: string,
  { user: line, passwordHash, identities, profile }: Placed,
  groupIds: ReadonlyMap<string, string>,
  now: number,
): void {
  const createdAt = line.createdAt ?? now;
  const userId = line.id ?? newId("usr", now, ctx.random);
  const methodId = (): string => newId("mth", now, ctx.random);
  const { picture: given = null } = line;
  const uploaded = typeof given === "object" && given !== null ? imported(ctx, userId, given, now) : undefined;
  if (uploaded) rows.pictures.push(uploaded.row);
  const facts = { ...line, picture: uploaded?.address ?? (typeof given === "string" ? given : null) };
  rows.users.push(
    newUser(
      {
        id: userId,
        appId,
        email: line.email ?? null,
        emailVerified: line.emailVerified ?? false,
        ...factsFrom(factsOn("lines"), (name) => facts[name] ?? null),
        handle: line.handle ?? newSecret(ctx.random),
        createdAt,
        disabledAt: line.disabled || line.state ? now : null,
        pendingAt: line.state ? now : null,
        profile,
        publicMetadata: line.publicMetadata ?? null,
        privateMetadata: line.privateMetadata ?? null,
      },
      now,
    ),
  );
  for (const name of line.groups ?? [])
    rows.memberships.push({ groupId: groupIds.get(name) ?? "", userId, createdAt: now });
  if (passwordHash !== undefined)
    rows.passwords.push({
      id: methodId(),
      userId,
      hash: passwordHash,
      createdAt,
      updatedAt: now,
      lastUsedAt: null,
      setAt: line.password?.setAt ?? null,
      ...markOf(line, now),
    });
  if (typeof line.totpSecret === "string")
    rows.factors.push({ userId, secret: line.totpSecret, recoveryDigests: line.recoveryDigests ?? [] });
  for (const passkey of line.passkeys ?? [])
    rows.passkeys.push({
      id: methodId(),
      userId,
      credentialId: passkey.credentialId,
      publicKey: passkey.publicKey,
      signCount: passkey.signCount ?? 0,
      transports: passkey.transports ?? [],
      aaguid: passkey.aaguid ?? noAaguid,
      backedUp: passkey.backedUp ?? false,
      // A passkey that is not backed up may still be eligible.
      backupEligible: passkey.backedUp === true ? true : null,
      discoverable: passkey.discoverable ?? true,
      name: passkey.name ?? "Passkey",
      createdAt: passkey.createdAt ?? createdAt,
      lastUsedAt: null,
    });
  for (const identity of identities)
    rows.identities.push({ id: methodId(), appId, userId, ...identity, createdAt, lastUsedAt: null });
}

/** Decides on the candidates by the state that `handle` sees. */
async function decide(
  ctx: Context,
  handle: Handle,
  appId: string,
  candidates: Candidate[],
  now: number,
): Promise<{ rows: NewUsers; outcomes: LineOutcome[] }> {
  const directoryOf = await providers.directories(appId, handle);
  const fields = (await applications.find(ctx, handle, appId))?.settings.profileFields;
  const placed = candidates.map((candidate): Placed => {
    const { profile, leftOut } = fittingProfile(fields, candidate.user.profile);
    const identities = (candidate.user.identities ?? []).map(({ provider, issuer, subject, email }) => {
      return { provider, issuer: issuer ?? directoryOf(provider), subject, email: email ?? null };
    });
    return { ...candidate, identities, profile, leftOut: [...candidate.leftOut, ...leftOut] };
  });
  const taken = await findTaken(handle, appId, wantedBy(placed));
  const namesGroups = placed.some(({ user }) => (user.groups ?? []).length > 0);
  const groupIds = namesGroups ? await findGroupIds(handle, appId) : new Map<string, string>();
  const rows: NewUsers = {
    users: [],
    passwords: [],
    factors: [],
    passkeys: [],
    identities: [],
    memberships: [],
    pictures: [],
  };
  const application = await applications.find(ctx, handle, appId);
  const outcomes = placed.map((candidate): LineOutcome => {
    const { line, leftOut, user } = candidate;
    const problem = compare(candidate, taken, appId) ?? unknownGroup(candidate, groupIds);
    if (problem === "unchanged") return { line, outcome: "unchanged" };
    if (problem) return { line, outcome: "refused", ...problem };
    addRows(ctx, rows, appId, candidate, groupIds, now);
    reserve(candidate, rows.users.at(-1)?.id ?? "", taken, appId);
    const refusedRule = user.email && application && signUpRules.problemWith(ctx, application, user.email);
    return { line, outcome: "created", leftOut, ...(refusedRule && { refusedRule }) };
  });
  return { rows, outcomes };
}

/** Undefined if another writer was first. */
async function write(
  ctx: Context,
  appId: string,
  candidates: Candidate[],
  actor: Actor,
): Promise<LineOutcome[] | undefined> {
  const now = ctx.clock();
  return await ctx.storage.write<LineOutcome[] | undefined>(async (tx, rollBack) => {
    if (!(await applications.find(ctx, tx, appId))) throw applicationNotFound();
    const { rows, outcomes } = await decide(ctx, tx, appId, candidates, now);
    if (rows.users.length === 0) return outcomes;
    if (!(await insertRows(tx, rows))) throw rollBack(undefined);
    for (const { userId, ...factor } of rows.factors) await factors.importFactor(ctx, tx, userId, factor, now);
    countUsers(tx, rows.users, 1);
    const overridden = outcomes.filter((one) => one.outcome === "created" && one.refusedRule !== undefined).length;
    const details = { users: rows.users.length, ...(overridden > 0 && { overridesRules: overridden }) };
    await audit.record(ctx, tx, { actor, action: "user.import", result: "success", appId, details }, now);
    return outcomes;
  });
}

/**
 * Imports the accepted lines of a batch in one transaction. Existing users, by id or address, are
 * not changed, so an interrupted import can be repeated. Throws APP_NOT_FOUND.
 */
export async function importLines(
  ctx: Context,
  appId: string,
  lines: { line: number; json: string }[],
  options: Options,
  actor: Actor,
): Promise<LineOutcome[]> {
  const checked: (Candidate | LineOutcome)[] = [];
  for (const { line, json } of lines) checked.push(await check(line, json, options));
  const refused = checked.filter((one) => "outcome" in one);
  const candidates = checked.filter((one) => "user" in one);
  for (let tries = 1; ; tries += 1) {
    const decided = options.dryRun
      ? (await decide(ctx, ctx.storage.reader, appId, candidates, ctx.clock())).outcomes
      : await write(ctx, appId, candidates, actor);
    if (decided) return [...refused, ...decided].toSorted((one, other) => one.line - other.line);
    if (tries === maxTries) throw new AppError("CONFLICT", "Other processes keep changing the same users. Try again.");
  }
}

/** The values that the application's fields allow. Null stays: the person was asked. */
function fittingProfile(
  fields: readonly ProfileField[] | null | undefined,
  values: UserLine["profile"],
): { profile: ProfileValues | null; leftOut: LineProblem[] } {
  let profile: ProfileValues | null = null;
  const leftOut: LineProblem[] = [];
  for (const [name, value] of Object.entries(values ?? {})) {
    try {
      profile = changedProfile(fields, profile, { [name]: value }, "import");
    } catch (error) {
      if (!(error instanceof AppError) || !error.rejected) throw error;
      leftOut.push(error.rejected);
    }
  }
  return { profile, leftOut };
}

function wantedBy(candidates: Placed[]) {
  const users = candidates.map(({ user }) => user);
  return {
    ids: users.flatMap(({ id }) => id ?? []),
    emails: users.flatMap(({ email }) => email ?? []),
    handles: users.flatMap(({ handle }) => handle ?? []),
    credentials: users.flatMap(({ passkeys }) => passkeys?.map(({ credentialId }) => credentialId) ?? []),
    identities: candidates.flatMap(({ identities }) => identities),
  };
}

/** Whether the user exists, or conflicts with another one; undefined if it can be created. */
function compare({ user, identities }: Placed, taken: Taken, appId: string): "unchanged" | LineProblem | undefined {
  const { id, email, handle } = user;
  const sameId = typeof id === "string" ? taken.ids.get(id) : undefined;
  if (sameId) {
    if (sameId.appId !== appId) return { field: "id", rule: "belongs to a user of another application" };
    return sameId.email === (email ?? null)
      ? "unchanged"
      : { field: "id", rule: "belongs to a user with another email" };
  }
  if (typeof id === "string" && taken.clientIds.has(id))
    return { field: "id", rule: "belongs or belonged to a client" };
  if (typeof email === "string" && taken.emails.has(email))
    return typeof id === "string" ? { field: "email", rule: "belongs to a user with another id" } : "unchanged";
  if (typeof handle === "string" && taken.handles.has(handle))
    return { field: "handle", rule: "belongs to another user" };
  const credentials = user.passkeys?.map(({ credentialId }) => credentialId) ?? [];
  const passkey = firstTaken(credentials, taken.credentials);
  if (passkey !== -1) return { field: `passkeys[${passkey}].credentialId`, rule: "already registered" };
  const identity = firstTaken(identities.map(identityKey), taken.identities);
  return identity === -1 ? undefined : { field: `identities[${identity}].subject`, rule: "belongs to another user" };
}

/** Groups grant access, so an import creates none. */
function unknownGroup({ user }: Placed, groupIds: ReadonlyMap<string, string>): LineProblem | undefined {
  const unknown = user.groups?.findIndex((name) => !groupIds.has(name)) ?? -1;
  return unknown === -1 ? undefined : { field: `groups[${unknown}]`, rule: "not a group of this application" };
}

/** The position of a key that is taken or a duplicate; -1 if there is none. */
function firstTaken(keys: string[], taken: Set<string>): number {
  return keys.findIndex((key, position) => taken.has(key) || keys.indexOf(key) < position);
}

function reserve({ user, identities }: Placed, id: string, taken: Taken, appId: string): void {
  taken.ids.set(id, { appId, email: user.email ?? null });
  if (user.email) taken.emails.set(user.email, id);
  if (user.handle) taken.handles.add(user.handle);
  for (const { credentialId } of user.passkeys ?? []) taken.credentials.add(credentialId);
  for (const identity of identities) taken.identities.add(identityKey(identity));
}

/** Later than what the line also brings, which may prove the person. */
function markOf({ email, emailVerified, password }: UserLine, now: number): Mark {
  if (password?.mustChange !== true) return unmarked;
  return { mustChangeAt: now + 1, mustChangeEmail: emailVerified === true ? (email ?? null) : null };
}
