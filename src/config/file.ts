import { didYouMean, nearest } from "../lib/nearest.ts";
import { allSettings, invalidConfig, settingsByKey, type Given } from "./settings.ts";
import { readYaml, type YamlNode } from "./yaml.ts";

/**
 * Reads the settings from the text of a `config.yaml`. Error messages call the file `name`. Throws
 * INVALID_CONFIG with line and column.
 */
export function readConfigFile(content: string, name: string): Given[] {
  const root = readYaml(content, name);
  if (root.entries() !== undefined) return readGroup(root, []);
  if (root.value() === null) return [];
  throw invalidConfig(
    `${root.where}: the file must contain keys and values, such as "baseUrl: https://auth.example.com"`,
  );
}

function readGroup(group: YamlNode, above: string[]): Given[] {
  return (group.entries() ?? []).flatMap(({ name, node }) => {
    const path = [...above, name];
    const key = path.join(".");
    const origin = `${node.where}: ${key}`;
    const members = membersOf(path);
    if (name.includes(".") && settingsByKey.has(key))
      throw invalidConfig(`${origin} must be nested: write each part of the key on its own line`);
    if (settingsByKey.has(key)) {
      return [{ key, value: node.value(), origin }];
    }
    if (members.length === 0) throw invalidConfig(`${origin} is not a setting${didYouMean(suggestion(path))}`);
    if (node.entries() !== undefined) return readGroup(node, path);
    // A heading whose settings are all commented out.
    if (node.value() === null) return [];
    throw invalidConfig(`${origin} must be a group of settings: ${members.join(", ")}`);
  });
}

/** The names directly below a group; empty if the group does not exist. */
function membersOf(path: string[]): string[] {
  const prefix = path.length === 0 ? "" : `${path.join(".")}.`;
  const below = allSettings.filter(({ key }) => key.startsWith(prefix)).map(({ key }) => key.slice(prefix.length));
  return [...new Set(below.map((key) => key.split(".")[0] ?? key))];
}

/**
 * The setting that an unknown key probably means: a neighbour, or the same name in another group
 * (`port` → `listen.port`).
 */
function suggestion(path: string[]): string | undefined {
  const name = path.at(-1) ?? "";
  const above = path.slice(0, -1);
  const neighbour = nearest(name, membersOf(above));
  if (neighbour !== undefined) return [...above, neighbour].join(".");
  const elsewhere = allSettings.find(({ key }) => key.split(".").at(-1)?.toLowerCase() === name.toLowerCase());
  return (
    elsewhere?.key ??
    nearest(
      path.join("."),
      allSettings.map(({ key }) => key),
    )
  );
}
