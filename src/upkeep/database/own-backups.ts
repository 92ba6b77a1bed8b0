/** Backups that the console makes, in a folder of the data folder. */
import { spawn, type ChildProcess } from "node:child_process";
import { readdirSync, rmSync, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Readable } from "node:stream";
import type { Config } from "../../config/config.ts";
import { environmentOfCommand } from "../../config/environment.ts";
import { isoTime, second } from "../../lib/clock.ts";
import { AppError } from "../../lib/errors.ts";
import { makePrivateFolder } from "../../lib/private-folder.ts";
import { programFiles } from "../../lib/program-files.ts";
import { sizeText } from "../../lib/sizes.ts";
import { within } from "../../metrics/watched.ts";
import * as audit from "../../records/audit/audit.ts";
import type { By } from "../../records/audit/audit.ts";
import { part, type Context } from "../../runtime/context.ts";

const kept = 3;
const nameForm = /^authsvc-\d{8}T\d{6}Z-[\da-f]{6}\.backup$/u;
/** A full disk ends sign-ins, so a backup must leave some room. */
const leftFree = 256 * 2 ** 20;
/** How long the one who asked waits for the result. Larger databases take longer. */
const patience = 3 * second;
const maxReason = 500;

/** `failed`: why the last one of this process was not made. */
export type Making = { since: number | undefined; failed: { at: number; reason: string } | undefined };

type State = Making & { child: ChildProcess | undefined };

const making = part(
  (): State => ({ since: undefined, failed: undefined, child: undefined }),
  // It then removes what it has written.
  ({ child }) => void child?.kill("SIGINT"),
);

export function state(ctx: Context): Making {
  return making(ctx);
}

function folder({ dataDir }: Config): string {
  return resolve(dataDir, "backups");
}

export type OwnBackup = { file: string; bytes: number; at: number };

/** Newest first. */
export function list({ config }: Context): OwnBackup[] {
  return names(config)
    .map((name) => join(folder(config), name))
    .flatMap((file) => {
      const stats = statSync(file, { throwIfNoEntry: false });
      return stats ? [{ file, bytes: stats.size, at: stats.mtimeMs }] : [];
    });
}

/** Names begin with their time. */
function names(config: Config): string[] {
  try {
    return readdirSync(folder(config))
      .filter((name) => nameForm.test(name))
      .toSorted()
      .toReversed();
  } catch {
    return [];
  }
}

/**
 * Runs `db backup` as a process of its own; of its backups the last three are kept. Returns whether
 * it was done within three seconds. Throws CONFLICT while another one is made, and without room.
 */
export async function make(ctx: Context, by: By): Promise<boolean> {
  const own = making(ctx);
  if (own.since !== undefined) throw new AppError("CONFLICT", "A backup is being made. Wait until it is done.");
  const now = ctx.clock();
  own.since = now;
  own.failed = undefined;
  let finished: Promise<void>;
  try {
    await demandRoom(ctx);
    makePrivateFolder(folder(ctx.config));
    const event = { ...by, action: "database.backup-asked", result: "success" } as const;
    await ctx.storage.write((tx) => audit.record(ctx, tx, event, now));
    finished = run(ctx, own);
  } catch (error) {
    own.since = undefined;
    const isFolder = error instanceof AppError && error.code === "UNUSABLE_STORAGE";
    throw isFolder ? new AppError("CONFLICT", error.message, { cause: error }) : error;
  }
  const isDone = await within(patience, finished);
  const { failed } = state(ctx);
  if (failed) throw new AppError("CONFLICT", `The backup was not made. ${failed.reason}`);
  return isDone;
}

async function demandRoom({ config, storage }: Context): Promise<void> {
  const { bavail, bsize } = await statfs(config.dataDir);
  const [free, needed] = [bavail * bsize, (await storage.bytes()) + leftFree];
  if (free >= needed) return;
  throw new AppError(
    "CONFLICT",
    `There is too little room in ${resolve(config.dataDir)}: ${sizeText(free)} free, and a backup needs ${sizeText(needed)}. Make one elsewhere: authsvc db backup FILE.`,
  );
}

/** Never rejects: a failure is in the state. */
async function run(ctx: Context, own: State): Promise<void> {
  const { config, log } = ctx;
  let reason: string | undefined;
  try {
    reason = await runCommand(ctx, own);
  } catch (error) {
    // Without memory, no process is even begun.
    reason = reasonOf(error);
  } finally {
    own.child = undefined;
    own.since = undefined;
  }
  if (reason !== undefined) {
    own.failed = { at: ctx.clock(), reason };
    log.error("the backup was not made", new Error(reason));
    return;
  }
  try {
    prune(config);
  } catch (error) {
    log.warn("old backups were not removed", { reason: reasonOf(error) });
  }
}

/** Returns why it failed. */
async function runCommand({ config, clock, random }: Context, own: State): Promise<string | undefined> {
  const time = isoTime(clock()).replaceAll(/[-:]|\.\d+/gu, "");
  const file = join(folder(config), `authsvc-${time}-${Buffer.from(random(3)).toString("hex")}.backup`);
  const [program, ...args] = programFiles.command;
  const child = spawn(program, [...args, "db", "backup", file, "--quiet", "--yes"], {
    cwd: folder(config),
    env: environmentOfCommand(config),
    stdio: ["ignore", "ignore", "pipe"],
  });
  // At once: an error that nobody listens for ends the service.
  const ended = new Promise<number | string | null>((end) => {
    child.once("error", (error) => end(error.message)).once("close", (exitCode) => end(exitCode));
  });
  own.child = child;
  let said = "";
  // Without a free file descriptor, the child has none.
  const { stderr } = child as { stderr: Readable | null | undefined };
  stderr?.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-maxReason)));
  const code = await ended;
  if (code === 0) return undefined;
  return said.trim() || (typeof code === "string" ? code : "The process was ended.");
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : "unknown";
}

function prune(config: Config): void {
  for (const name of names(config).slice(kept)) rmSync(join(folder(config), name), { force: true });
}
