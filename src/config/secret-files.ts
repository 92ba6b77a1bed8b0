import { statSync } from "node:fs";
import { resolve } from "node:path";
import { readText } from "./read-text.ts";
import { allSettings, invalidConfig, settingsByKey } from "./settings.ts";
import type { Given } from "./settings.ts";

const secretKeys = allSettings.filter(({ doc }) => doc.secret).map(({ key }) => key);

/**
 * One source's values with every `…File` of a secret replaced by what the file holds, and every other path made absolute from `folder`.
 * Within one source, the secret and its file together are refused; between sources the later one wins, whichever form it has.
 */
export function resolveFiles(given: Given[], folder: string): Given[] {
  return given.map((entry) => {
    if (typeof entry.value !== "string" || entry.value === "") return entry;
    const secret = secretKeys.find((key) => entry.key === `${key}File`);
    if (secret === undefined) {
      return settingsByKey.get(entry.key)?.doc.path ? { ...entry, value: resolve(folder, entry.value) } : entry;
    }
    const other = given.find(({ key }) => key === secret);
    if (other !== undefined)
      throw invalidConfig(`${entry.origin} and ${other.origin} are two ways to give one setting: leave one out`);
    const value = readText(resolve(folder, entry.value), entry.origin).replace(/[\r\n]+$/, "");
    if (value === "") throw invalidConfig(`${entry.origin}: the file is empty`);
    return { key: secret, value, origin: `the file that ${entry.origin} names` };
  });
}

/** A sentence for the operator when every user of the machine can read a `config.yaml` that holds a secret itself. */
export function exposureWarning(given: Given[], file: { path: string; name: string }): string | undefined {
  const held = given.find(({ key }) => secretKeys.includes(key));
  // Windows has no such bits; node makes them up.
  if (held === undefined || process.platform === "win32" || (statSync(file.path).mode & 0o004) === 0) return undefined;
  return `${file.name} holds ${held.key} and can be read by every user of this machine: chmod 600 ${file.name}, or use ${held.key}File`;
}
