import { statSync } from "node:fs";
import { resolve } from "node:path";
import { repairOf } from "../lib/own-files.ts";
import { maxSecretBytes } from "../lib/read-file.ts";
import { readText } from "./read-text.ts";
import { allSettings, invalidConfig, isQuoted, settingsByKey, type Given } from "./settings.ts";

const secretKeys = allSettings.filter(({ doc }) => doc.secret).map(({ key }) => key);

/**
 * Reads the `…File` of each secret in one source and makes other paths absolute from `folder`. A
 * secret and its file in the same source are refused. Between sources the later one wins, in either
 * form.
 */
export function resolveFiles(given: Given[], folder: string): Given[] {
  return given.map((entry) => {
    if (typeof entry.value !== "string" || entry.value === "") return entry;
    const secret = secretKeys.find((key) => entry.key === `${key}File`);
    const problem = settingsByKey.get(entry.key)?.doc.path ? pathProblem(entry.value, secret) : undefined;
    if (problem !== undefined) throw invalidConfig(`${entry.origin} ${problem}`);
    if (secret === undefined) {
      return settingsByKey.get(entry.key)?.doc.path ? { ...entry, value: resolve(folder, entry.value) } : entry;
    }
    const other = given.find(({ key }) => key === secret);
    if (other !== undefined)
      throw invalidConfig(`${entry.origin} and ${other.origin} set the same value: remove one of them`);
    const file = resolve(folder, entry.value);
    const value = readText(file, entry.origin, maxSecretBytes).replace(/[\r\n]+$/, "");
    if (value === "") throw invalidConfig(`${entry.origin}: the file is empty`);
    const repair = secret === "masterKey" ? repairOf(file) : undefined;
    if (repair !== undefined)
      throw invalidConfig(`${entry.origin}: the file ${file} can be changed by other users of this machine: ${repair}`);
    return { key: secret, value, origin: `the file that ${entry.origin} names`, file };
  });
}

/**
 * Values that cannot be a path. `secret`: the key of the file's content, which is never printed.
 */
function pathProblem(path: string, secret: string | undefined): string | undefined {
  if (secret !== undefined && (settingsByKey.get(secret)?.rule.accepts(path) || /^[a-z+]+:\/\//iu.test(path)))
    return `must be the path of a file; the value itself belongs in ${secret}`;
  const [ofShell] = /^(?:~|\$[A-Za-z_]\w*|\$\{\w+\})/u.exec(path) ?? [];
  if (ofShell !== undefined)
    return `starts with ${ofShell}, which only a shell replaces: write the whole path; it is ${JSON.stringify(path)}`;
  return isQuoted(path) ? `has quotes, which are part of it: remove them; it is ${JSON.stringify(path)}` : undefined;
}

/** The files and folders named in one source's settings, absolute from `folder`. */
export function pathsIn(given: Given[], folder: string): string[] {
  return given.flatMap(({ key, value }) =>
    typeof value === "string" && value !== "" && settingsByKey.get(key)?.doc.path ? [resolve(folder, value)] : [],
  );
}

/**
 * A warning for the operator if other users of the machine can read a `config.yaml` that contains a
 * secret.
 */
export function exposureWarning(given: Given[], file: { path: string; name: string }): string | undefined {
  const secret = given.find(({ key }) => secretKeys.includes(key));
  // Windows has no such mode bits; Node invents them.
  if (secret === undefined || process.platform === "win32" || (statSync(file.path).mode & 0o004) === 0)
    return undefined;
  return `${file.name} holds ${secret.key} and is readable by every user of this machine: chmod 640 ${file.name}, with the group of the service, or use ${secret.key}File`;
}
