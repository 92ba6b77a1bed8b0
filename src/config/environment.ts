import { resolve } from "node:path";
import { didYouMean, nearest } from "../lib/nearest.ts";
import type { Config } from "./config.ts";
import { allSettings, fromText, invalidConfig, type Given } from "./settings.ts";

export type Environment = Record<string, string | undefined>;

const prefix = "AUTHSVC_";
/**
 * Read elsewhere: by `loadConfig` before other settings, and by the executable at its start
 * (executable/native-folders.ts).
 */
const otherVariables = ["AUTHSVC_CONFIG", "AUTHSVC_NATIVE_DIR"];
/** Read by applications, whose .env file a shell may have loaded: `serve --dev` prints them. */
const ofApplications = ["AUTHSVC_ISSUER", "AUTHSVC_APP_ID", "AUTHSVC_API_KEY", "AUTHSVC_COOKIE_SECRET"];
const address = /^[\d.]+$|^\[?[\da-f:]+\]?$/iu;
/**
 * The variables that Kubernetes sets for a Service named `authsvc` or `authsvc-…`:
 * https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables. Docker
 * links use the same form, and a name.
 */
const serviceLinks: readonly [name: RegExp, value: RegExp][] = [
  [/_SERVICE_HOST$/u, address],
  [/_SERVICE_PORT(?:_[A-Z\d_]+)?$|_PORT_\d+_(?:TCP|UDP|SCTP)_PORT$/u, /^\d+$/u],
  [/_PORT(?:_\d+_(?:TCP|UDP|SCTP))?$/u, /^(?:tcp|udp|sctp):\/\//u],
  [/_PORT_\d+_(?:TCP|UDP|SCTP)_PROTO$/u, /^(?:tcp|udp|sctp)$/u],
  [/_PORT_\d+_(?:TCP|UDP|SCTP)_ADDR$/u, address],
  [/_NAME$/u, /^\/[\w.-]+\/[\w.-]+$/u],
];
const byVariable = new Map(allSettings.map((setting) => [setting.variable, setting]));

/**
 * The settings in `AUTHSVC_…` variables. Throws INVALID_CONFIG for an unknown one: a misspelt limit
 * must not silently fall back to the default.
 */
export function readEnvironment(env: Environment): Given[] {
  return Object.entries(env).flatMap(([name, value]): Given[] => {
    if (!name.startsWith(prefix) || value === undefined || ofApplications.includes(name)) return [];
    // `X=${UNSET}` leaves an empty variable. Using the default instead could, for example, store
    // the data in SQLite.
    if (otherVariables.includes(name)) {
      if (value === "") throw invalidConfig(`${name} is empty: set a value or remove it`);
      return [];
    }
    const setting = byVariable.get(name);
    if (setting === undefined && isServiceLink(name, value)) return [];
    if (setting === undefined) throw unknownVariable(name);
    if (value === "" && setting.rule.kind !== "list") throw invalidConfig(`${name} is empty: set a value or remove it`);
    return [{ key: setting.key, value: fromText(setting, value), origin: name }];
  });
}

/**
 * The environment of a command that works on the same database. Only what it needs: the settings of
 * a file would be read again, and a master key has no business there.
 */
export function environmentOfCommand({ dataDir, database: { url } }: Config): Environment {
  const ours = (name: string): boolean => name.startsWith(prefix) || name === "CREDENTIALS_DIRECTORY";
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => name === "AUTHSVC_NATIVE_DIR" || !ours(name))),
    AUTHSVC_DATA: resolve(dataDir),
    ...(url !== undefined && { AUTHSVC_DATABASE__URL: url }),
  };
}

function isServiceLink(name: string, value: string): boolean {
  return serviceLinks.some(([ofName, ofValue]) => ofName.test(name) && ofValue.test(value));
}

function unknownVariable(name: string): Error {
  const members = [...byVariable.keys()].filter((variable) => variable.startsWith(`${name}__`));
  if (members.length > 0) return invalidConfig(`${name} is a group of settings: ${members.join(", ")}`);
  // Without the common prefix, which would make any two names look similar.
  const names = [...byVariable.keys(), ...otherVariables].map((variable) => variable.slice(prefix.length));
  const short = name.slice(prefix.length);
  // `AUTHSVC_PORT` for `AUTHSVC_LISTEN__PORT`: the right name without its group.
  const meant = nearest(short, names) ?? names.find((variable) => variable.endsWith(`__${short}`));
  return invalidConfig(`${name} is not a setting${didYouMean(meant && prefix + meant)}`);
}
