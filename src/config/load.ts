import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { maxTextBytes } from "../lib/read-file.ts";
import { complete } from "./complete.ts";
import type { Config } from "./config.ts";
import { describeSettings, type ShownSetting } from "./describe.ts";
import { readEnvironment, type Environment } from "./environment.ts";
import { readConfigFile } from "./file.ts";
import { readText } from "./read-text.ts";
import type { Settings } from "./schema.ts";
import { exposureWarning, pathsIn, resolveFiles } from "./secret-files.ts";
import { allSettings, asRead, fromText, invalidConfig, problemOf, settingsByKey, type Given } from "./settings.ts";

/** Command line flags as typed; `undefined` if not given. */
export type ConfigFlags = {
  config?: string;
  data?: string;
  dev?: boolean;
  host?: string;
  port?: string;
  threads?: string;
};

export type ConfigInput = { flags: ConfigFlags; env: Environment; cwd: string; isTerminal?: boolean };

/**
 * Merges, in ascending priority, the defaults, systemd's credential, `config.yaml`, `AUTHSVC_…`
 * variables and flags. Only reads files. `warnings` are sentences for the operator about weak
 * settings. `origins`: how its source spells each given key. Throws INVALID_CONFIG: the message
 * names the key in that way and the rule, never a secret.
 */
export function loadConfig(input: ConfigInput): {
  config: Config;
  warnings: string[];
  origins: ReadonlyMap<string, string>;
} {
  const { config, warnings, given } = load(input);
  return { config, warnings, origins: new Map([...given].map(([key, { origin }]) => [key, origin])) };
}

/**
 * The service's own files: data folder, configuration file, and every file that a setting names.
 */
export function pathsOfConfig(input: ConfigInput): string[] {
  const { config, ownPaths } = load(input);
  return [config.dataDir, ...ownPaths];
}

/**
 * Like `loadConfig`, with the source of every setting, for people. `file` is the configuration file
 * that was read.
 */
export function explainConfig(input: ConfigInput): {
  settings: ShownSetting[];
  warnings: string[];
  file: string | undefined;
} {
  const { config, warnings, settings, given, file } = load(input);
  return { settings: describeSettings(settings, config, given), warnings, file: file?.path };
}

/**
 * Checks settings before they are written to a file, each and in combination. Throws
 * INVALID_CONFIG, which names a setting as `nameOf` does.
 */
export function checkSettings(values: ReadonlyMap<string, unknown>, nameOf: (key: string) => string): void {
  const entries = [...values].map(([key, value]): [string, Given] => [key, { key, value, origin: nameOf(key) }]);
  complete(parseSettings(new Map(entries)), { dev: false, cwd: "/", nameOf });
}

/** A container's environment may still have variables of a test machine. */
const unverifiedWarning =
  "NODE_TLS_REJECT_UNAUTHORIZED is 0: the certificate of no provider, mail server, webhook or database is verified. Remove it; NODE_EXTRA_CA_CERTS names a CA to trust";

function load({ flags, env, cwd, isTerminal = false }: ConfigInput) {
  const file = configFile({ flags, env, cwd });
  const inFile = file === undefined ? [] : readConfigFile(readText(file.path, file.origin, maxTextBytes), file.name);
  const exposure = file === undefined ? undefined : exposureWarning(inFile, file);
  const unresolved: [Given[], folder: string][] = [
    [readCredentials(env), cwd],
    [inFile, file === undefined ? cwd : dirname(file.path)],
    [readEnvironment(env), cwd],
    [readFlags(flags), cwd],
  ];
  const sources = unresolved.map(([source, folder]) => resolveFiles(source, folder));
  const ownPaths = [
    ...(file === undefined ? [] : [file.path]),
    ...unresolved.flatMap(([source, folder]) => pathsIn(source, folder)),
  ];
  const given = new Map(sources.flat().map((entry) => [entry.key, entry]));
  const nameOf = (key: string): string => given.get(key)?.origin ?? key;
  const settings = parseSettings(given);
  const { config: completed, warnings } = complete(settings, { dev: flags.dev ?? false, isTerminal, cwd, nameOf });
  const ofNode = env["NODE_TLS_REJECT_UNAUTHORIZED"] === "0" ? [unverifiedWarning] : [];
  const allWarnings = [...(exposure === undefined ? [] : [exposure]), ...ofNode, ...warnings];
  const config = { ...completed, masterKeyFile: given.get("masterKey")?.file, warnings: allWarnings };
  return { config, settings, given, file, ownPaths, warnings: allWarnings };
}

function configFile({ flags, env, cwd }: ConfigInput): { path: string; name: string; origin: string } | undefined {
  const [named, origin] =
    flags.config === undefined ? [env["AUTHSVC_CONFIG"], "AUTHSVC_CONFIG"] : [flags.config, "--config"];
  if (named === "") throw invalidConfig(`${origin} is empty: set a value or remove it`);
  if (named !== undefined) return { path: resolve(cwd, named), name: named, origin };
  const path = join(cwd, "config.yaml");
  return existsSync(path) ? { path, name: "config.yaml", origin: "config.yaml" } : undefined;
}

/** The master key that systemd passes (`LoadCredentialEncrypted=`), unless another one is set. */
function readCredentials({ CREDENTIALS_DIRECTORY: folder }: Environment): Given[] {
  if (folder === undefined) return [];
  const value = join(folder, "master-key");
  return isAbsent(value) ? [] : [{ key: "masterKeyFile", value, origin: "CREDENTIALS_DIRECTORY" }];
}

/** Not if the file cannot be read: a new key in its place would hide the mistake. */
function isAbsent(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

const flagKeys = { data: "data", host: "listen.host", port: "listen.port", threads: "listen.threads" } as const;

function readFlags(flags: ConfigFlags): Given[] {
  return (["data", "host", "port", "threads"] as const).flatMap((name) => {
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
    if (problem !== undefined) throw invalidConfig(`${origin} ${problem}${asRead(setting, value)}`);
    const path = setting.key.split(".");
    const name = path.pop() ?? setting.key;
    let group = settings;
    for (const step of path) group = (group[step] ??= {}) as Record<string, unknown>;
    group[name] = value ?? setting.defaultValue;
  }
  return settings as Settings;
}
