import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { complete } from "./complete.ts";
import { describeSettings } from "./describe.ts";
import type { ShownSetting } from "./describe.ts";
import { readEnvironment } from "./environment.ts";
import type { Environment } from "./environment.ts";
import { readConfigFile } from "./file.ts";
import type { Sender, SmtpServer } from "./mail.ts";
import { readText } from "./read-text.ts";
import type { Settings } from "./schema.ts";
import { exposureWarning, resolveFiles } from "./secret-files.ts";
import { allSettings, fromText, invalidConfig, problemOf, settingsByKey } from "./settings.ts";
import type { Given } from "./settings.ts";

/** The whole configuration, checked and completed. Made by `loadConfig`; nothing else reads the environment or `config.yaml`. */
export type Config = {
  /** Development mode (`serve --dev`): loopback only. */
  dev: boolean;
  /** Absolute path of the folder with `authsvc.db` and `master.key`. */
  dataDir: string;
  /** Origin without a trailing slash. `undefined`: http://localhost:{port} once the port is known; only when listening on loopback. */
  baseUrl: string | undefined;
  listen: { host: string; port: number; tls: { certFile: string; keyFile: string } | undefined };
  /** Addresses or CIDRs. */
  trustedProxies: readonly string[];
  /** `url` undefined: SQLite in `dataDir`; else postgres:// or postgresql://. */
  database: { url: string | undefined; poolSize: number };
  /** `undefined`: `dataDir/master.key`. */
  masterKey: string | undefined;
  /** `undefined`: no mail is sent (with --dev: it goes to a mailbox at /dev/mail). */
  mail: { server: SmtpServer; from: Sender } | undefined;
  passwords: {
    memoryKiB: number;
    iterations: number;
    parallelism: number;
    concurrency: number;
    queueSize: number;
    attemptsPerMinute: number;
  };
  /** Calls per minute. */
  rateLimits: { authentication: number; userManagement: number; applicationManagement: number; webhooks: number };
  webhooks: { allowPrivateNetworks: boolean; retentionDays: number };
  /** Where Prometheus reads; `undefined`: nothing is measured. */
  metrics: { host: string; port: number } | undefined;
  log: {
    level: "debug" | "info" | "warn" | "error" | "silent";
    format: "json" | "text";
    requests: "none" | "errors" | "all";
  };
};

/** Command line flags as typed; `undefined` where not given. */
export type ConfigFlags = { config?: string; data?: string; dev?: boolean; host?: string; port?: string };

export type ConfigInput = { flags: ConfigFlags; env: Environment; cwd: string };

/**
 * The configuration from, later wins, the built-in defaults, `config.yaml`, the variables `AUTHSVC_…` and the flags.
 * Reads files and nothing else. `warnings` are sentences for the operator about what is allowed but weak.
 * Throws INVALID_CONFIG, whose message names the key as its source spells it and the rule, and never holds a value.
 */
export function loadConfig(input: ConfigInput): { config: Config; warnings: string[] } {
  const { config, warnings } = load(input);
  return { config, warnings };
}

/** The same with every setting and where its value comes from, for a person. `file` is the configuration file that was read. */
export function explainConfig(input: ConfigInput): {
  settings: ShownSetting[];
  warnings: string[];
  file: string | undefined;
} {
  const { config, warnings, settings, given, file } = load(input);
  return { settings: describeSettings(settings, config, given), warnings, file: file?.path };
}

/**
 * Checks settings that are to be written to a file, each by itself and with the others. Throws INVALID_CONFIG, naming a setting as `nameOf` does.
 */
export function checkSettings(values: ReadonlyMap<string, unknown>, nameOf: (key: string) => string): void {
  const given = [...values].map(([key, value]): [string, Given] => [key, { key, value, origin: nameOf(key) }]);
  complete(parseSettings(new Map(given)), { dev: false, cwd: "/", nameOf });
}

function load({ flags, env, cwd }: ConfigInput) {
  const file = configFile({ flags, env, cwd });
  const inFile = file === undefined ? [] : readConfigFile(readText(file.path, file.origin), file.name);
  const exposure = file === undefined ? undefined : exposureWarning(inFile, file);
  const sources = [
    resolveFiles(inFile, file === undefined ? cwd : dirname(file.path)),
    resolveFiles(readEnvironment(env), cwd),
    resolveFiles(readFlags(flags), cwd),
  ];
  const given = new Map(sources.flat().map((entry) => [entry.key, entry]));
  const nameOf = (key: string): string => given.get(key)?.origin ?? key;
  const settings = parseSettings(given);
  const { config, warnings } = complete(settings, { dev: flags.dev ?? false, cwd, nameOf });
  return { config, settings, given, file, warnings: exposure === undefined ? warnings : [exposure, ...warnings] };
}

function configFile({ flags, env, cwd }: ConfigInput): { path: string; name: string; origin: string } | undefined {
  const [named, origin] =
    flags.config === undefined ? [env["AUTHSVC_CONFIG"], "AUTHSVC_CONFIG"] : [flags.config, "--config"];
  if (named === "") throw invalidConfig(`${origin} is empty: give it a value or leave it out`);
  if (named !== undefined) return { path: resolve(cwd, named), name: named, origin };
  const path = join(cwd, "config.yaml");
  return existsSync(path) ? { path, name: "config.yaml", origin: "config.yaml" } : undefined;
}

const flagKeys = { data: "data", host: "listen.host", port: "listen.port" } as const;

function readFlags(flags: ConfigFlags): Given[] {
  return (["data", "host", "port"] as const).flatMap((name) => {
    const value = flags[name];
    const setting = settingsByKey.get(flagKeys[name]);
    return value === undefined || setting === undefined
      ? []
      : [{ key: setting.key, value: fromText(setting, value), origin: `--${name}` }];
  });
}

function parseSettings(given: Map<string, Given>): Settings {
  const settings: Record<string, unknown> = {};
  for (const setting of allSettings) {
    const { value, origin } = given.get(setting.key) ?? {};
    const problem = value === undefined ? undefined : problemOf(setting, value);
    if (problem !== undefined) throw invalidConfig(`${origin} ${problem}`);
    const path = setting.key.split(".");
    const name = path.pop() ?? setting.key;
    let group = settings;
    for (const step of path) group = (group[step] ??= {}) as Record<string, unknown>;
    group[name] = value ?? setting.defaultValue;
  }
  return settings as Settings;
}
