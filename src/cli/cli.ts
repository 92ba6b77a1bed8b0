import { userInfo } from "node:os";
import type { App } from "../app.ts";
import type { Registry } from "../registry.ts";
import type { Config, ConfigFlags, explainConfig } from "../config/config.ts";
import { AppError } from "../lib/errors.ts";
import { exitCodes, type ExitCode } from "./exit-codes.ts";
import { write } from "./io.ts";
import type { Io } from "./io.ts";
import { json, visible } from "./text.ts";

/** The flags that go with every command. */
export type GlobalFlags = { config?: string; data?: string; json?: boolean; quiet?: boolean; yes?: boolean };

export type Cli = ReturnType<typeof createCli>;

/** What every command needs: output by the conventions, the configuration, the application's services. */
export function createCli(io: Io, globalFlags: () => GlobalFlags) {
  let debug = io.env["AUTHSVC_LOG__LEVEL"] === "debug";
  let onInterrupt = (): void => io.exit(exitCodes.interrupted);
  let exitCode: ExitCode = exitCodes.done;

  async function configure(flags: ConfigFlags = {}): Promise<{ config: Config; warnings: string[] }> {
    const { loadConfig } = await import("../config/config.ts");
    const { config, data } = globalFlags();
    const loaded = loadConfig({ flags: { config, data, ...flags }, env: io.env, cwd: io.cwd() });
    debug = loaded.config.log.level === "debug";
    return loaded;
  }

  return {
    io,
    configure,

    /** Every setting of this call with where it comes from. Throws INVALID_CONFIG. */
    async explainConfig(): Promise<ReturnType<typeof explainConfig>> {
      const { explainConfig: explain } = await import("../config/config.ts");
      const { config, data } = globalFlags();
      return explain({ flags: { config, data }, env: io.env, cwd: io.cwd() });
    },

    /** Whether errors should be explained to a developer, stack and cause included. */
    debug: (): boolean => debug,

    /** Ctrl-C: ends the process with 130 until a command wants it otherwise. */
    interrupt: (): void => onInterrupt(),
    handleInterrupt(handler: () => void): void {
      onInterrupt = handler;
    },

    /** What a command that did not fail tells scripts: 0, unless it says otherwise. */
    exitCode: (): ExitCode => exitCode,
    endWith(code: ExitCode): void {
      exitCode = code;
    },

    /** The result on standard output: `document` with `--json`, else `text` for people. */
    async result(document: unknown, text: string): Promise<void> {
      await write(io.stdout, globalFlags().json ? json(document, io.stdout.isTTY) : text).catch((cause: unknown) => {
        throw new AppError("SERVER_ERROR", "It is done, but the result could not be written to standard output.", {
          cause,
        });
      });
    },

    /** A sentence beside the result, on standard error; `--quiet` leaves it out. */
    async note(sentence: string): Promise<void> {
      if (!globalFlags().quiet) await write(io.stderr, `${visible(sentence)}\n`);
    },

    saidYes: (): boolean => globalFlags().yes ?? false,

    isJson: (): boolean => globalFlags().json ?? false,

    isQuiet: (): boolean => globalFlags().quiet ?? false,

    /** For commands that only look at applications, their keys and the audit log: storage and these, and nothing of what else there is. */
    async withRegistry(work: (registry: Registry) => Promise<void>): Promise<void> {
      const { config } = await configure();
      const { openRegistry } = await import("../registry.ts");
      const registry = await openRegistry(config);
      try {
        await work(registry);
      } finally {
        await registry.storage.close();
      }
    },

    /** Opens storage with the configuration of this call, and closes it whatever happens. */
    async withApp(work: (services: App["services"]) => Promise<void>): Promise<void> {
      const { config } = await configure();
      const { openApp } = await import("../app.ts");
      const app = await openApp(config, { baseUrl: config.baseUrl });
      try {
        await work(app.services);
      } finally {
        await app.close();
      }
    },
  };
}

/** Who the audit log names for what a command does. */
export function commandActor(): { kind: "cli"; name: string } {
  try {
    return { kind: "cli", name: userInfo().username };
  } catch {
    // A container may run under a number that has no entry in its password file.
    return { kind: "cli", name: `uid ${process.getuid?.() ?? "unknown"}` };
  }
}

/** Runs `work`; a refused field is named as the flag that gave it (`redirectUris[1]` → `--redirect-uri 2`). */
export async function namingFlags<T>(flags: Record<string, string>, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "INVALID_REQUEST") throw error;
    const [, field = "", position, rule] = /^([\w.]+)(?:\[(\d+)\])?: (.*)$/s.exec(error.details) ?? [];
    const flag = flags[field];
    if (flag === undefined) throw error;
    const which = position === undefined ? "" : ` ${Number(position) + 1}`;
    throw new AppError("INVALID_REQUEST", `${flag}${which}: ${rule}`, { cause: error });
  }
}
