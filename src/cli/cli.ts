import { userInfo } from "node:os";
import type { ConfigFlags, explainConfig } from "../config/load.ts";
import { AppError } from "../lib/errors.ts";
import { escapeUnseen } from "../lib/text.ts";
import type { Context, CoreContext } from "../runtime/context.ts";
import { exitCodes, type ExitCode } from "./exit-codes.ts";
import { demandYes } from "./input/ask.ts";
import { write, type Io } from "./io.ts";
import { screenOf, type Screen } from "./output/screen.ts";
import { tableOf, type Columns } from "./output/table.ts";
import { json, printable, wrapped } from "./output/text.ts";

/** The flags of every command. */
export type GlobalFlags = { config?: string; data?: string; json?: boolean; quiet?: boolean; yes?: boolean };

export type Cli = ReturnType<typeof createCli>;

/** What every command needs: consistent output, the configuration, the application's services. */
export function createCli(io: Io, globalFlags: () => GlobalFlags) {
  let debug = io.env["AUTHSVC_LOG__LEVEL"] === "debug";
  let onInterrupt = (): void => io.exit(exitCodes.interrupted);
  let exitCode: ExitCode = exitCodes.done;
  let dryRun: { undone: string | null } | undefined;

  async function configure(flags: ConfigFlags = {}): Promise<ReturnType<typeof loadConfig>> {
    const { loadConfig } = await import("../config/load.ts");
    const { config, data } = globalFlags();
    const loaded = loadConfig({
      flags: { config, data, ...flags },
      env: io.env,
      cwd: io.cwd(),
      isTerminal: io.stderr.isTTY,
    });
    debug = loaded.config.log.level === "debug";
    return loaded;
  }

  /** Escapes, emphasises and wraps a text for the stream. */
  async function print(stream: NodeJS.WriteStream, text: string): Promise<void> {
    const { columns, colour } = screenOf(io, stream);
    await write(stream, printable(columns === undefined ? text : wrapped(text, columns), colour));
  }

  /** How standard output is read. */
  const screen = (): Screen => screenOf(io, io.stdout);

  /** The document of a dry run says that it is one. */
  function marked(document: object): object {
    if (!dryRun) return document;
    if (Array.isArray(document)) return document.map((each: object) => ({ ...each, dryRun: true }));
    return { ...document, dryRun: true };
  }

  /** The result on standard output: `document` with `--json`, else `text` for people. */
  async function result(document: object, text: string): Promise<void> {
    const { columns } = screen();
    const printed = globalFlags().json
      ? write(io.stdout, json(marked(document), columns !== undefined))
      : print(io.stdout, text);
    await printed.catch(unwritten);
  }

  /** A sentence beside the result, on standard error; omitted with `--quiet`. */
  async function note(sentence: string): Promise<void> {
    if (!globalFlags().quiet) await print(io.stderr, `${sentence}\n`);
  }

  return {
    io,
    configure,
    screen,
    result,
    note,

    /** Whether to change nothing: `--dry-run`. */
    isDryRun: (): boolean => dryRun !== undefined,
    beginDryRun(undone: string | null): void {
      dryRun = { undone };
    },

    /**
     * After a command: a dry run reports what it did not do, unless it was interrupted and has said
     * so.
     */
    async end(): Promise<void> {
      if (dryRun?.undone && exitCode === exitCodes.done) await note(`Dry run: ${dryRun.undone}.`);
    },

    /** Asks before data is lost, unless `--yes` was given. A no is CONFLICT. */
    async demandYes(question: string): Promise<void> {
      if (!dryRun) await demandYes(io, globalFlags().yes, question);
    },

    /** A list as a table. If it is empty, `none` is printed on standard error. */
    async list<Item extends object>(items: Item[], columns: Columns<Item>, none: string): Promise<void> {
      await result(items, items.length === 0 ? "" : tableOf(items, columns, screen()));
      if (items.length === 0) await note(none);
    },

    /** The result of a deletion or block: `what` was deleted, or would be. */
    async gone(verb: "deleted" | "removed" | "blocked" | "unblocked", what: string, document: object): Promise<void> {
      const text = `${what} ${dryRun ? "would be" : "was"} ${verb}.\n`;
      await result({ ...document, [verb]: !dryRun }, text);
    },

    /** Writes a text for people to standard output, without ending the output like `result`. */
    print: async (text: string): Promise<void> => await print(io.stdout, text),

    /** Writes an error to standard error. */
    complain: async (text: string): Promise<void> => await print(io.stderr, text),

    /** Every setting of this call with its source. Throws INVALID_CONFIG. */
    async explainConfig(): Promise<ReturnType<typeof explainConfig>> {
      const { explainConfig: explain } = await import("../config/load.ts");
      const { config, data } = globalFlags();
      return explain({ flags: { config, data }, env: io.env, cwd: io.cwd() });
    },

    /** The data folder and the configuration's files. Throws INVALID_CONFIG. */
    async ownPaths(): Promise<string[]> {
      const { pathsOfConfig } = await import("../config/load.ts");
      const { config, data } = globalFlags();
      return pathsOfConfig({ flags: { config, data }, env: io.env, cwd: io.cwd() });
    },

    /** Whether to show errors with stack and cause. */
    debug: (): boolean => debug,

    /** Ctrl-C: exits with 130 unless a command handles it. */
    interrupt: (): void => onInterrupt(),
    handleInterrupt(handler: () => void): void {
      onInterrupt = handler;
    },

    /** The exit code of a successful command: 0 unless it sets another one. */
    exitCode: (): ExitCode => exitCode,
    endWith(code: ExitCode): void {
      exitCode = code;
    },

    /**
     * A result that is a file, such as YAML: unchanged in a file or pipe, escaped on a terminal.
     */
    async file(document: object, text: string): Promise<void> {
      const { columns } = screen();
      const shown = columns === undefined ? text : escapeUnseen(text, "\n\t");
      await write(io.stdout, globalFlags().json ? json(marked(document), columns !== undefined) : shown).catch(
        unwritten,
      );
    },

    isJson: (): boolean => globalFlags().json ?? false,

    isQuiet: (): boolean => globalFlags().quiet ?? false,

    /**
     * For commands that only need applications, their keys and the audit log: opens storage without
     * all other services.
     */
    async withCore(work: (ctx: CoreContext) => Promise<void>): Promise<void> {
      const { config } = await configure();
      const { closeContext, openCore } = await import("../process/core.ts");
      const ctx = await openCore(config);
      try {
        await work(ctx);
      } finally {
        await closeContext(ctx);
      }
    },

    /** Opens storage with the configuration of this call, and always closes it. */
    async withApp(work: (ctx: Context) => Promise<void>): Promise<void> {
      const { config } = await configure();
      const { closeContext } = await import("../process/core.ts");
      const { openContext } = await import("../process/open-context.ts");
      const ctx = await openContext(config, { baseUrl: config.baseUrl });
      try {
        await work(ctx);
      } finally {
        await closeContext(ctx);
      }
    },
  };
}

/** The rule for a field, as a sentence about its flag. */
export function ruleSentence(flag: string, rule: string): string {
  if (rule.startsWith("of ")) return `${flag} must be among ${rule.slice(3)}`;
  if (rule.startsWith("port ")) return `${flag} must have ${rule}`;
  if (/^(?:\d|an? |at |from |one |#|https?\b|letters|printable|written|absent)/u.test(rule))
    return `${flag} must be ${rule}`;
  if (rule.startsWith("no ")) return `${flag} may have ${rule}`;
  if (rule.startsWith("not ")) return `${flag} must ${rule.replace(/^not/u, "not be")}`;
  if (/^(?:only|required|needed) /u.test(rule)) return `${flag} is ${rule}`;
  return `${flag} is refused: ${rule}`;
}

function unwritten(cause: unknown): never {
  throw new AppError("SERVER_ERROR", "The command succeeded, but its result could not be written to standard output.", {
    cause,
  });
}

/** The audit log's actor for a command. */
export function commandActor(): { kind: "cli"; name: string } {
  try {
    return { kind: "cli", name: userInfo().username };
  } catch {
    // In a container, the user id may have no entry in the password file.
    return { kind: "cli", name: `uid ${process.getuid?.() ?? "unknown"}` };
  }
}

/**
 * Runs `work`, and renames a refused field to its flag (`redirectUris[1]` → `--redirect-uri 2`).
 */
export async function namingFlags<T>(flags: Record<string, string>, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "INVALID_REQUEST" || !error.rejected) throw error;
    const [, field = "", position] = /^([\w.]+)(?:\[(\d+)\])?$/s.exec(error.rejected.field) ?? [];
    const flag = flags[field];
    if (flag === undefined) throw error;
    const which = position === undefined ? "" : ` ${Number(position) + 1}`;
    throw new AppError("INVALID_REQUEST", ruleSentence(`${flag}${which}`, error.rejected.rule), { cause: error });
  }
}
