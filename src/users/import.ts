import type { Application } from "../applications/application.ts";
import type { Actor, Audit } from "../audit/audit.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import { newId, newSecret, type Random } from "../lib/random.ts";
import type { FirebaseParameters, ForeignHash } from "../passwords/foreign-hashes.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import { countUsers } from "./counter-store.ts";
import { findTaken, identityKey, insertRows, type NewRows, type Taken } from "./import-store.ts";
import { newUser } from "./user.ts";
import { parseUserLine, type LineProblem, type UserLine } from "./user-line.ts";

/** "unchanged": the user is there already, and stays as it is. */
export type LineOutcome = { line: number } & (
  | { outcome: "created" | "unchanged" }
  | ({ outcome: "refused" } & LineProblem)
);

type Options = {
  /** What hashes with a `salt` beside them were made with. */
  firebase?: FirebaseParameters | undefined;
  /** Checks everything, against what is stored as well, and writes nothing. */
  dryRun: boolean;
};

type Candidate = { line: number; user: UserLine; passwordHash: string | undefined };

const mostTries = 5;
const noAaguid = "00000000-0000-0000-0000-000000000000";

export function createUserImport(deps: {
  storage: Storage;
  audit: Audit;
  clock: Clock;
  random: Random;
  findApplication(id: string, handle: Handle): Promise<Application | undefined>;
  foreignHash(text: string): ForeignHash;
  firebaseHash(given: { hash: string; salt: string }, parameters: FirebaseParameters): ForeignHash;
  isUsablePublicKey(publicKey: string): Promise<boolean>;
}) {
  const { storage, audit, clock, random } = deps;

  /** What the line alone decides, and what takes other libraries to know. */
  async function check(line: number, json: string, options: Options): Promise<Candidate | LineOutcome> {
    const user = parseUserLine(json);
    if ("rule" in user) return { line, outcome: "refused", ...user };
    for (const [position, { publicKey }] of (user.passkeys ?? []).entries()) {
      if (await deps.isUsablePublicKey(publicKey)) continue;
      const rule = "a COSE key in base64url, for EdDSA, ES256 or RS256";
      return { line, outcome: "refused", field: `passkeys[${position}].publicKey`, rule };
    }
    const read = user.password && readHash(user.password, options);
    if (read && "problem" in read) {
      const [field = "", rule = ""] = read.problem.split(": ");
      return { line, outcome: "refused", field, rule };
    }
    return { line, user, passwordHash: read?.hash };
  }

  function readHash({ hash, salt }: NonNullable<UserLine["password"]>, { firebase }: Options): ForeignHash {
    if (salt === null || salt === undefined) return deps.foreignHash(hash);
    if (!firebase) return { problem: "password.salt: needs the parameters of the Firebase project" };
    return deps.firebaseHash({ hash, salt }, firebase);
  }

  function addRows(rows: NewRows, appId: string, { user: line, passwordHash }: Candidate, now: number): void {
    const createdAt = line.createdAt ?? now;
    const userId = line.id ?? newId("usr", now, random);
    const methodId = (): string => newId("mth", now, random);
    rows.users.push(
      newUser(
        {
          id: userId,
          appId,
          email: line.email ?? null,
          emailVerified: line.emailVerified ?? false,
          name: line.name ?? null,
          picture: line.picture ?? null,
          handle: line.handle ?? newSecret(random),
          createdAt,
          disabledAt: line.disabled ? now : null,
        },
        now,
      ),
    );
    if (passwordHash !== undefined)
      rows.passwords.push({
        id: methodId(),
        userId,
        hash: passwordHash,
        createdAt,
        updatedAt: now,
        lastUsedAt: null,
      });
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
        // What is not backed up may still be eligible.
        backupEligible: passkey.backedUp === true ? true : null,
        discoverable: passkey.discoverable ?? true,
        name: passkey.name ?? "Passkey",
        createdAt: passkey.createdAt ?? createdAt,
        lastUsedAt: null,
      });
    for (const { provider, subject, email } of line.identities ?? [])
      rows.identities.push({
        id: methodId(),
        appId,
        userId,
        provider,
        subject,
        email: email ?? null,
        createdAt,
        lastUsedAt: null,
      });
  }

  /** Decides about the candidates in the state that `handle` sees. */
  async function decide(
    handle: Handle,
    appId: string,
    candidates: Candidate[],
    now: number,
  ): Promise<{ rows: NewRows; outcomes: LineOutcome[] }> {
    const taken = await findTaken(handle, appId, wantedBy(candidates.map(({ user }) => user)));
    const rows: NewRows = { users: [], passwords: [], passkeys: [], identities: [] };
    const outcomes = candidates.map((candidate): LineOutcome => {
      const { line, user } = candidate;
      const found = compare(user, taken, appId);
      if (found === "unchanged") return { line, outcome: "unchanged" };
      if (found) return { line, outcome: "refused", ...found };
      addRows(rows, appId, candidate, now);
      take(user, rows.users.at(-1)?.id ?? "", taken, appId);
      return { line, outcome: "created" };
    });
    return { rows, outcomes };
  }

  async function write(appId: string, candidates: Candidate[], actor: Actor): Promise<LineOutcome[] | undefined> {
    const now = clock();
    const givenUp = new Error("another writer was first");
    try {
      return await storage.write(async (tx) => {
        if (!(await deps.findApplication(appId, tx)))
          throw new AppError("APP_NOT_FOUND", "There is no application with this id.");
        const { rows, outcomes } = await decide(tx, appId, candidates, now);
        if (rows.users.length === 0) return outcomes;
        if (!(await insertRows(tx, rows))) throw givenUp;
        await countUsers(tx, rows.users, 1);
        const details = { users: rows.users.length };
        await audit.record(tx, { actor, action: "user.import", result: "success", appId, details }, now);
        return outcomes;
      });
    } catch (error) {
      if (error === givenUp) return undefined;
      throw error;
    }
  }

  return {
    /**
     * Imports a batch of lines: all that are not refused, in one transaction. A user whose id or address the application has already is left
     * alone, so that an import that was cut off can be repeated. Throws APP_NOT_FOUND.
     */
    async importLines(
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
          ? (await decide(storage.reader, appId, candidates, clock())).outcomes
          : await write(appId, candidates, actor);
        if (decided) return [...refused, ...decided].toSorted((one, other) => one.line - other.line);
        if (tries === mostTries)
          throw new AppError("CONFLICT", "Others change the same users all the time; try again.");
      }
    },
  };
}

function wantedBy(users: UserLine[]) {
  return {
    ids: users.flatMap(({ id }) => id ?? []),
    emails: users.flatMap(({ email }) => email ?? []),
    handles: users.flatMap(({ handle }) => handle ?? []),
    credentials: users.flatMap(({ passkeys }) => passkeys?.map(({ credentialId }) => credentialId) ?? []),
    identities: users.flatMap(({ identities }) => identities ?? []),
  };
}

/** Whether the user is there already, or something of it is somebody else's; undefined when it can be created. */
function compare(user: UserLine, taken: Taken, appId: string): "unchanged" | LineProblem | undefined {
  const { id, email, handle } = user;
  const sameId = typeof id === "string" ? taken.ids.get(id) : undefined;
  if (sameId) {
    if (sameId.appId !== appId) return { field: "id", rule: "belongs to a user of another application" };
    return sameId.email === (email ?? null)
      ? "unchanged"
      : { field: "id", rule: "belongs to a user with another email" };
  }
  if (typeof email === "string" && taken.emails.has(email))
    return typeof id === "string" ? { field: "email", rule: "belongs to a user with another id" } : "unchanged";
  if (typeof handle === "string" && taken.handles.has(handle))
    return { field: "handle", rule: "belongs to another user" };
  const credentials = user.passkeys?.map(({ credentialId }) => credentialId) ?? [];
  const passkey = firstTaken(credentials, taken.credentials);
  if (passkey !== -1) return { field: `passkeys[${passkey}].credentialId`, rule: "registered already" };
  const identity = firstTaken((user.identities ?? []).map(identityKey), taken.identities);
  return identity === -1 ? undefined : { field: `identities[${identity}].subject`, rule: "belongs to another user" };
}

/** The position of what is taken by somebody else, or stands in the list twice; -1 when nothing is. */
function firstTaken(keys: string[], taken: Set<string>): number {
  return keys.findIndex((key, position) => taken.has(key) || keys.indexOf(key) < position);
}

function take(user: UserLine, id: string, taken: Taken, appId: string): void {
  taken.ids.set(id, { appId, email: user.email ?? null });
  if (user.email) taken.emails.set(user.email, id);
  if (user.handle) taken.handles.add(user.handle);
  for (const { credentialId } of user.passkeys ?? []) taken.credentials.add(credentialId);
  for (const identity of user.identities ?? []) taken.identities.add(identityKey(identity));
}
