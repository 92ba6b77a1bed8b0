import { createReadStream, createWriteStream, existsSync, realpathSync, type WriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { AppError } from "../../../lib/errors.ts";
import type { Context } from "../../../runtime/context.ts";
import type * as userImport from "../../../people/import.ts";
import type { LineOutcome } from "../../../people/import.ts";
import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { exitCodes } from "../../exit-codes.ts";
import { askUnlessGiven, readKeyFile } from "../../input/ask.ts";
import { firebaseParameters } from "../../input/firebase-parameters.ts";
import { outputFile, refuseOwnFile } from "../../input/output-file.ts";
import { readLines } from "../../input/read-lines.ts";
import { createProgress } from "../../output/progress.ts";
import { facts } from "../../output/text.ts";

type Flags = {
  app?: string;
  report?: string;
  firebaseParametersFile?: string;
  allowExpensiveHashes?: boolean;
};
type Counts = {
  lines: number;
  created: number;
  unchanged: number;
  refused: number;
  leftOut: number;
  againstRules?: number;
};
type Source = { stream: NodeJS.ReadableStream & { destroy(): void }; bytes: number | undefined; close(): void };

/** An optional first line, by which a truncated input is noticed. */
const announcement = /^\s*\{\s*"lines"\s*:\s*(\d{1,15})\s*\}\s*$/u;
/** Lines per transaction. */
const batchSize = 500;
/** With pictures, lines have up to 350 KB. */
const maxCharacters = 8 * 2 ** 20;
const maxNotes = 20;

export function addUserImport(user: CliCommand, cli: Cli): void {
  user
    .command("import")
    .description(
      "import users from JSON Lines, with passkeys, identities and password hashes from other systems; no mail is sent",
    )
    .argument("[FILE]", "one user per line (default: standard input)")
    .option("--app <id>", "App ID")
    .option(
      "--report <file>",
      "write a file, as JSON Lines, with the number, field and rule of each line that is refused, or imported in part",
    )
    .option(
      "--firebase-parameters-file <file>",
      "password hash parameters of a Firebase project, copied from its console",
    )
    .option(
      "--allow-expensive-hashes",
      "accept password hashes that take more than about 250 ms or 128 MiB to verify. They are verified one at a time, so imported users may " +
        "wait at sign-in or have to try again, and response times reveal whether such an account exists",
    )
    .dryRun("validate without creating anything", null)
    .examples(
      "authsvc user import users.jsonl --app app_shop --report refused.jsonl",
      "jq -c -n -f firebase.jq users.json | authsvc user import --app app_shop --firebase-parameters-file hash-config.txt",
    )
    .action(async (file: string | undefined, flags: Flags) => importUsers(cli, file, flags));
}

async function importUsers(cli: Cli, file: string | undefined, flags: Flags): Promise<void> {
  if (file === undefined && cli.io.stdin.isTTY) throw new AppError("INVALID_REQUEST", "FILE is missing");
  const appId = await askUnlessGiven(cli.io, flags.app, { flag: "--app", question: "App ID" });
  const flag = "--firebase-parameters-file";
  const firebase =
    flags.firebaseParametersFile === undefined
      ? undefined
      : firebaseParameters(await readKeyFile(cli.io, flags.firebaseParametersFile, flag), flag);
  const dryRun = cli.isDryRun();
  const allowExpensiveHashes = flags.allowExpensiveHashes ?? false;
  const counts: Counts = { lines: 0, created: 0, unchanged: 0, refused: 0, leftOut: 0 };
  let interrupted = false;
  await cli.withApp(async (ctx) => {
    const applications = await import("../../../applications/service.ts");
    await applications.get(ctx, appId);
    const source = await openSource(cli, file);
    const report = await openReport(cli, flags.report, file).catch((error: unknown) => {
      source.close();
      throw error;
    });
    cli.handleInterrupt(() => {
      if (interrupted) cli.io.exit(exitCodes.interrupted);
      interrupted = true;
      source.stream.destroy();
    });
    try {
      const isStopping = (): boolean => interrupted;
      const options = { firebase, dryRun, allowExpensiveHashes };
      await importAll({ cli, ctx, appId, options, source, report, counts, isStopping });
    } catch (error) {
      // The interrupted stream has reported it.
      if (!interrupted) {
        if (counts.created > 0 && !dryRun)
          await cli.note(
            `${counts.created.toLocaleString("en")} created before this. Run the same command again to continue.`,
          );
        throw error;
      }
    } finally {
      source.close();
      await report.end();
    }
  });
  const rows: [name: string, value: string][] = [
    ["Lines", counts.lines.toLocaleString("en")],
    [dryRun ? "Would be created" : "Created", counts.created.toLocaleString("en")],
    ["Unchanged", counts.unchanged.toLocaleString("en")],
    ["Refused", counts.refused.toLocaleString("en")],
  ];
  if (counts.leftOut > 0) rows.push(["Left out", `${counts.leftOut.toLocaleString("en")} values that do not fit`]);
  if (counts.againstRules !== undefined)
    rows.push(["Against rules", `${counts.againstRules.toLocaleString("en")} whose address the sign-up rules refuse`]);
  const text = facts(rows);
  await cli.result({ ...counts, dryRun, interrupted }, text);
  if (interrupted) {
    await cli.note("Interrupted: the rest was not read. Run the same command again to continue.");
    cli.endWith(exitCodes.interrupted);
  } else if (counts.refused > 0) {
    cli.endWith(exitCodes.refused);
  }
}

type Work = {
  cli: Cli;
  ctx: Context;
  appId: string;
  options: Parameters<typeof userImport.importLines>[3];
  source: Source;
  report: Report;
  counts: Counts;
  isStopping(): boolean;
};

async function importAll({ cli, ctx, appId, options, source, report, counts, isStopping }: Work): Promise<void> {
  const { importLines } = await import("../../../people/import.ts");
  const progress = createProgress(cli, "users", source.bytes);
  let read = 0;
  let batch: { line: number; json: string }[] = [];
  let characters = 0;

  async function note(outcomes: LineOutcome[]): Promise<void> {
    for (const outcome of outcomes) {
      counts[outcome.outcome] += 1;
      if (outcome.outcome === "refused") await report.add(outcome);
      if (outcome.outcome !== "created") continue;
      counts.leftOut += outcome.leftOut.length;
      if (outcome.refusedRule) counts.againstRules = (counts.againstRules ?? 0) + 1;
      for (const left of outcome.leftOut) await report.add({ line: outcome.line, ...left, leftOut: true });
    }
  }

  async function flush(): Promise<void> {
    await note(await importLines(ctx, appId, batch, options, commandActor()));
    batch = [];
    characters = 0;
    await progress.show(read, counts.created + counts.unchanged);
  }

  const chunks = counted(source.stream, (bytes) => (read += bytes));
  let announced: number | undefined;
  let isFirst = true;
  try {
    for await (const entry of readLines(chunks)) {
      const text = "text" in entry ? entry.text.trim() : undefined;
      if (text === "") continue;
      if (isFirst) announced = announcedBy(text ?? "");
      const isAnnouncement = isFirst && announced !== undefined;
      isFirst = false;
      if (isAnnouncement) continue;
      if (entry.isOpen === true && !isJson(text ?? "")) throw cutOff(`line ${entry.line} is cut off`);
      counts.lines += 1;
      if ("problem" in entry) await note([{ line: entry.line, outcome: "refused", field: "", rule: entry.problem }]);
      else batch.push({ line: entry.line, json: entry.text });
      characters += text?.length ?? 0;
      if (batch.length === batchSize || characters > maxCharacters) await flush();
    }
    if (isStopping()) return;
    if (batch.length > 0) await flush();
    if (announced !== undefined && announced !== counts.lines)
      throw cutOff(`${announced} lines were announced, but ${counts.lines} arrived`);
    if (counts.lines === 0 && announced === undefined) throw cutOff("it has no lines");
  } finally {
    progress.end();
  }
}

function cutOff(what: string): AppError {
  return new AppError("INVALID_REQUEST", `The input is not complete: ${what}. Did the program that writes it fail?`);
}

/** The number in a first line that announces how many follow. Throws if no user is a line. */
function announcedBy(text: string): number | undefined {
  if (text !== "{" && !text.startsWith("[")) {
    const count = announcement.exec(text)?.[1];
    return count === undefined ? undefined : Number(count);
  }
  throw new AppError(
    "INVALID_REQUEST",
    "The input is JSON over several lines, or a list. Write one user per line: convert objects with jq -c . and a list with jq -c '.[]'.",
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function* counted(stream: NodeJS.ReadableStream, count: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk);
    count(bytes.length);
    yield bytes;
  }
}

async function openSource(cli: Cli, file: string | undefined): Promise<Source> {
  if (file === undefined) return { stream: cli.io.stdin, bytes: undefined, close() {} };
  try {
    const handle = await open(resolve(cli.io.cwd(), file));
    // The stream owns the handle and closes it, at its end or by `close`.
    const stream = createReadStream("", { fd: handle, highWaterMark: 262_144 });
    const close = (): void => void stream.destroy();
    const stats = await handle.stat().catch((error: unknown) => {
      close();
      throw error;
    });
    if (stats.isDirectory()) {
      close();
      throw Object.assign(new Error("a folder"), { code: "EISDIR" });
    }
    return { stream, bytes: stats.size, close };
  } catch (cause) {
    throw unusable("FILE", file, cause);
  }
}

type Reported = { line: number; field: string; rule: string; leftOut?: true };
type Report = { add(reported: Reported): Promise<void>; end(): Promise<void> };

/** Skipped data is written to the file of `--report`, or the first of it to standard error. */
async function openReport(cli: Cli, file: string | undefined, source: string | undefined): Promise<Report> {
  if (file === undefined) {
    let noted = 0;
    return {
      async add({ line, field, rule, leftOut }) {
        noted += 1;
        const named = field === "" ? "" : `${field}${leftOut === true ? " (left out)" : ""}: `;
        if (noted <= maxNotes) await cli.note(`line ${line}: ${named}${rule}`);
      },
      async end() {
        if (noted > maxNotes) await cli.note(`… and ${noted - maxNotes} more; --report FILE lists all of them.`);
      },
    };
  }
  const path = outputFile(cli.io, file, "--report");
  await refuseOwnFile(cli, path, "--report");
  if (source !== undefined && existsSync(path) && realpathSync(path) === realpathSync(resolve(cli.io.cwd(), source)))
    throw new AppError("INVALID_REQUEST", "--report: it would overwrite FILE; name another file");
  let stream: WriteStream;
  try {
    stream = createWriteStream("", { fd: await open(path, "w", 0o600) });
  } catch (cause) {
    throw unusable("--report", file, cause);
  }
  const failed = (cause: Error): AppError =>
    new AppError("SERVER_ERROR", "The report could not be written.", { cause });
  return {
    async add({ line, field, rule, leftOut }) {
      await new Promise<void>((done, fail) => {
        stream.write(`${JSON.stringify({ line, field, rule, leftOut })}\n`, (error) =>
          error ? fail(failed(error)) : done(),
        );
      });
    },
    async end() {
      await new Promise<void>((done) => stream.end(done));
    },
  };
}

function unusable(name: string, file: string, cause: unknown): AppError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const isReport = name === "--report";
  const missing = isReport ? `the folder of ${file} does not exist` : `the file ${file} does not exist`;
  const problem = code === "ENOENT" ? missing : `the file ${file} cannot be opened (${code})`;
  return new AppError("INVALID_REQUEST", `${name}: ${problem}`, { cause });
}
