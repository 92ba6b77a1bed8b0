import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { AppError } from "../lib/errors.ts";
import type { Cli } from "./cli.ts";
import { sizeText } from "../lib/sizes.ts";
import { longWork } from "./database-work.ts";
import { askUnlessGiven } from "./input/ask.ts";
import { outputFile, refuseOwnFile } from "./input/output-file.ts";

type Made = { entries: number; bytes: number };
type Work = { onProgress: (done: number, all: number | undefined) => void; signal: AbortSignal };

/** FILE of the command line, else the configuration's; `name`: the argument or setting. */
export async function breachedFile(cli: Cli, argument: string | undefined): Promise<{ path: string; name: string }> {
  const configured = argument === undefined ? (await cli.configure()).config.passwords.breachedFile : undefined;
  if (configured !== undefined) return { path: configured, name: "passwords.breachedFile" };
  const question = "File of breached passwords";
  const typed = await askUnlessGiven(cli.io, argument, {
    flag: "FILE",
    question,
    otherwise: "set passwords.breachedFile",
  });
  return { path: resolve(cli.io.cwd(), typed), name: "FILE" };
}

/** Builds the file and prints a summary. A file of the same kind is replaced without asking. */
export async function makeBreachedFile(
  cli: Cli,
  { argument, unit, interrupted }: { argument: string | undefined; unit: string; interrupted?: string },
  make: (path: string, work: Work) => Promise<Made>,
): Promise<void> {
  const { path, name } = await breachedFile(cli, argument);
  outputFile(cli.io, argument ?? path, name);
  if (existsSync(path)) {
    const { openBreachedFile } = await import("../credentials/passwords/breached/file.ts");
    const old = await openBreachedFile(path, name).catch(() => undefined);
    await old?.close();
    if (!old) await refuseOwnFile(cli, path, name);
    if (!old) await cli.demandYes(`Replace ${path}, which is not a file of breached passwords?`);
  }
  const made = await longWork(
    cli,
    unit,
    async (onProgress, signal) => make(path, { onProgress, signal }),
    interrupted,
  ).catch((error: unknown) => {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new AppError("SERVER_ERROR", `${path} cannot be written (${code}).`, { cause: error });
  });
  if (!made) return;
  const { entries, bytes } = made;
  await cli.result(
    { file: path, entries, bytes },
    `${path}: ${entries.toLocaleString("en")} entries, ${sizeText(bytes)}\n`,
  );
  await cli.note("Set passwords.breachedFile to it. A running service uses it after a restart.");
}
