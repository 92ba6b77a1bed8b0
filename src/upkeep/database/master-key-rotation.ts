import { statSync } from "node:fs";
import { masterKeyOf, ownsMasterKey, type Config } from "../../config/config.ts";
import { openCore } from "../../process/core.ts";
import { writePrivately } from "../../lib/durable-files.ts";
import { AppError } from "../../lib/errors.ts";
import { quotedPath } from "../../lib/own-files.ts";
import { newSecret } from "../../lib/random.ts";
import type { Actor } from "../../records/audit/audit.ts";
import { checkMetadata, isCheckOf, rotationMetadata } from "../../secrets/check.ts";
import { MasterKey } from "../../secrets/key.ts";
import { lockMasterKey, parseMasterKey, readMasterKeys, refuseLinkedKey } from "../../secrets/master-key.ts";
import { openKeyring, presentKeys } from "../../secrets/open-keyring.ts";
import { findMetadata } from "../../secrets/store.ts";
import { removeAbandonedKeys } from "../../storage/locks/half-made.ts";
import type { Handle, Storage } from "../../storage/storage.ts";
import { encryptedColumns } from "./encrypted-columns.ts";
import { demandNewest, openPresent, placeOf, type Surroundings } from "./maintenance.ts";
import {
  countLeft,
  demandKey,
  endRotation,
  reencrypt,
  switchMasterKey,
  type Reencrypted,
} from "./switched-master-key.ts";

/**
 * `switched`: whether this call, not an earlier one, switched the database to the new key.
 * `unreadable`: values that no key here decrypts. `retiredKey`: the file with the old key; null if
 * the configuration holds the keys.
 */
export type Rotation = {
  switched: boolean;
  reencrypted: Reencrypted[];
  unreadable: number;
  retiredKey: string | null;
};

/**
 * The plan of a rotation: the number of values under other keys than the new one, and whether the
 * new key has yet to be created.
 */
export type RotationPlan = { makesKey: boolean; switches: boolean; values: number; unreadable: number };

type Wish = {
  /** The text of the new key; undefined: it is in the configuration or will be created. */
  newKey: string | undefined;
  /** Asks the operator for confirmation before the switch; throws to change nothing. */
  confirm(question: string): Promise<void>;
};

type Keys = {
  current: MasterKey;
  /** Undefined: not created yet. */
  next: MasterKey | undefined;
  /** All known keys, without one that is not created yet. */
  keys: MasterKey[];
  /** Of a rotation in progress. */
  mark: string | undefined;
};

/**
 * Re-encrypts everything under a new master key while the service runs. A killed rotation continues
 * at the next call. With SQLite and `master.key` in the data folder, creates the key there;
 * otherwise the operator has added it to the configuration of every node. Throws CONFLICT,
 * INVALID_CONFIG, INVALID_REQUEST.
 */
export async function rotateMasterKey(
  config: Config,
  { newKey, confirm }: Wish,
  actor: Actor,
  surroundings: Surroundings,
): Promise<Rotation> {
  const { random, clock } = surroundings;
  const { file } = masterKeyOf(config);
  const ownsFile = ownsMasterKey(config);
  if (ownsFile) refuseLinkedKey(file);
  const ctx = await openCore(config, surroundings);
  const { storage } = ctx;
  let unlock: (() => void) | undefined;
  try {
    // A new database gets its first key.
    if ((await findMetadata(storage.reader, checkMetadata)) === undefined)
      await openKeyring(storage, masterKeyOf(config), { random, now: clock() });
    if (ownsFile) {
      removeAbandonedKeys(file);
      unlock = lockMasterKey(file);
    }
    // Under the lock: another rotation may just have ended.
    const masterKeys = await findKeys(config, storage.reader, newKey, random);
    const { current, keys } = masterKeys;
    if (isSettled(masterKeys)) {
      const work = { next: current, keys };
      const { old } = await overSnapshot(config, (snapshot) => countLeft(snapshot, encryptedColumns, work));
      if (old === 0) throw nothingToDo(config, newKey);
    }
    const next = masterKeys.next ?? new MasterKey(Buffer.from(newSecret(random), "base64url"), random);
    const all = [next, ...keys.filter((key) => key.text() !== next.text())];
    const switched = next.text() !== current.text();
    let { mark } = masterKeys;
    if (switched) {
      if (!ownsFile) await confirm("Does every process of the service have both keys, the new one first?");
      // Before the first value uses it: durable, and where a running service looks for it.
      if (ownsFile) writePrivately(file, linesOf(all.map((key) => key.text())), "replace");
      mark = await switchMasterKey(ctx, { current, next }, { actor, now: clock() });
    }
    // A transaction that began before the switch may still write under the old key.
    await storage.olderTransactionsEnd();
    const { reencrypted, unreadable } = await reencryptAll(storage, config, { next, keys: all });
    await demandKey(storage.reader, next);
    const retiredKey = ownsFile ? retire(file, all, mark ?? String(clock())) : null;
    if (mark !== undefined) await endRotation(ctx, { next, mark }, { actor, now: clock() });
    await storage.forgetDeleted();
    return { switched, reencrypted, unreadable, retiredKey };
  } finally {
    unlock?.();
    await storage.close();
  }
}

/**
 * Repeats until only the new key is needed: a value may have been moved after it was read. Throws
 * CONFLICT.
 */
async function reencryptAll(
  storage: Storage,
  config: Config,
  work: { next: MasterKey; keys: MasterKey[] },
): Promise<{ reencrypted: Reencrypted[]; unreadable: number }> {
  const reencrypted: Reencrypted[] = [];
  for (let pass = 1; pass <= maxPasses; pass += 1) {
    reencrypted.push(
      ...(await overSnapshot(config, (snapshot) => reencrypt(storage, { snapshot, columns: encryptedColumns }, work))),
    );
    const { old, unreadable } = await overSnapshot(config, (snapshot) => countLeft(snapshot, encryptedColumns, work));
    if (old === 0) return { reencrypted, unreadable };
  }
  throw new AppError(
    "CONFLICT",
    "Some values still use the old master key, because too much changed in the meantime. Run the command again.",
  );
}

const maxPasses = 5;

/** Plans without changing anything. Throws CONFLICT, also for a database with an older schema. */
export async function planRotation(
  config: Config,
  newKey: string | undefined,
  { random }: Surroundings,
): Promise<RotationPlan> {
  if (ownsMasterKey(config)) refuseLinkedKey(masterKeyOf(config).file);
  return await overSnapshot(config, async (snapshot) => {
    demandNewest(snapshot);
    // Nothing is encrypted yet.
    if ((await findMetadata(snapshot.handle, checkMetadata)) === undefined)
      return { makesKey: newKey === undefined, switches: true, values: 0, unreadable: 0 };
    const masterKeys = await findKeys(config, snapshot.handle, newKey, random);
    const { current, keys, next } = masterKeys;
    // A key that does not exist yet decrypts nothing.
    const target = next ?? new MasterKey(random(32), random);
    const work = { next: target, keys: [target, ...keys] };
    const { old, unreadable } = await countLeft(snapshot, encryptedColumns, work);
    if (old === 0 && isSettled(masterKeys)) throw nothingToDo(config, newKey);
    return { makesKey: !next, switches: target.text() !== current.text(), values: old, unreadable };
  });
}

async function findKeys(
  config: Config,
  handle: Handle,
  newKey: string | undefined,
  random: Surroundings["random"],
): Promise<Keys> {
  const present = presentKeys(masterKeyOf(config), random);
  const newMasterKey = newKey === undefined ? undefined : new MasterKey(parseMasterKey(newKey), random);
  const keys = [
    ...(newMasterKey ? [newMasterKey] : []),
    ...present.filter((key) => key.text() !== newMasterKey?.text()),
  ];
  const check = await findMetadata(handle, checkMetadata);
  const mark = await findMetadata(handle, rotationMetadata);
  const current = keys.find((key) => check !== undefined && isCheckOf(key, check));
  if (!current)
    throw new AppError(
      "INVALID_CONFIG",
      "The master key does not belong to this database. Put the right one in place.",
    );
  // A killed rotation continues with its chosen key, unless the operator put a newer one before it.
  if (newMasterKey !== undefined || keys.length > 1 || mark !== undefined)
    return { current, keys, next: keys[0], mark };
  if (!ownsMasterKey(config)) throw new AppError("CONFLICT", stepsText(config));
  return { current, keys, next: undefined, mark };
}

/** Whether the new key is already current, and no rotation is unfinished. */
function isSettled({ current, next, mark }: Keys): boolean {
  return next?.text() === current.text() && mark === undefined;
}

function nothingToDo(config: Config, newKey: string | undefined): AppError {
  if (newKey !== undefined)
    return new AppError("INVALID_REQUEST", "--new-key-file: the file contains the current master key");
  const made = ownsMasterKey(config) ? ", or leave only that one there to have a new one generated" : "";
  return new AppError(
    "CONFLICT",
    `The first key in ${placeOfKeys(config)} is already the current one; insert the new one before it${made}.`,
  );
}

function placeOfKeys(config: Config): string {
  const { masterKey, masterKeyFile, file } = masterKeyOf(config);
  return masterKey === undefined ? file : (masterKeyFile ?? "masterKey");
}

function stepsText(config: Config): string {
  return (
    `There is only one master key in ${placeOfKeys(config)}, and every process needs the new one first. ` +
    "Make one (openssl rand -base64 32 | tr '+/' '-_' | tr -d '='), put it before the old one on every node, separated by a line break, " +
    "restart the nodes, and run this command again."
  );
}

/** Saves the old keys for backups that need them, and leaves only the new one in the key file. */
function retire(file: string, [next, ...old]: MasterKey[], began: string): string | null {
  const retired = `${file}.before-rotation-${began}`;
  const kept = readMasterKeys(retired);
  if (!next || readMasterKeys(file).length === 1) return kept.length > 0 ? retired : null;
  // A killed rotation may have written this file, and a restore may have restored its mark: never
  // remove a key.
  const texts = new Set([...old.map((key) => key.text()), ...kept.map((key) => key.toString("base64url"))]);
  writePrivately(retired, linesOf([...texts]), "replace");
  writePrivately(file, linesOf([next.text()]), "replace");
  return retired;
}

function linesOf(keys: string[]): string {
  return keys.map((key) => `${key}\n`).join("");
}

async function overSnapshot<T>(
  config: Config,
  work: (snapshot: Awaited<ReturnType<typeof openPresent>>) => Promise<T>,
): Promise<T> {
  const snapshot = await openPresent(placeOf(config));
  try {
    return await work(snapshot);
  } finally {
    await snapshot.close();
  }
}

/** Refuses a key file that others can read. Throws INVALID_REQUEST. */
export function refuseOpenKeyFile(path: string, name: string): void {
  // Windows has no such mode bits; Node invents them.
  if (process.platform === "win32") return;
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats && (stats.mode & 0o077) !== 0)
    throw new AppError(
      "INVALID_REQUEST",
      `${name}: the file can be read by other users of this machine: chmod 600 ${quotedPath(path)}`,
    );
}
