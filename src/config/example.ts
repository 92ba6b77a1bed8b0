import { allSettings, type Setting } from "./settings.ts";

const width = 100;

const head = [
  "# Configuration of authsvc. Every setting is here, commented out, with its default, or with an example",
  "# where the text names the default. Later sources win: defaults, this file, environment variables, flags.",
  "# The variable of each setting is in brackets; lists in variables are separated by commas. Relative",
  "# paths in this file start at its own folder. Unknown keys are rejected.",
];

/**
 * The text of `config.example.yaml`, made from the schema's descriptions. Settings in `values` are
 * set, all others commented out.
 */
export function exampleConfig(values: ReadonlyMap<string, unknown> = new Map()): string {
  const lines = [...head];
  let above: string[] = [];
  for (const setting of allSettings) {
    const path = setting.key.split(".").slice(0, -1);
    lines.push("");
    path.forEach((group, depth) => {
      if (path.slice(0, depth + 1).join(".") !== above.slice(0, depth + 1).join("."))
        lines.push(`${"  ".repeat(depth)}${group}:`);
    });
    lines.push(...settingLines(setting, "  ".repeat(path.length), values.get(setting.key)));
    above = path;
  }
  return `${lines.join("\n")}\n`;
}

function settingLines(setting: Setting, indent: string, given: unknown): string[] {
  const name = setting.key.split(".").at(-1) ?? setting.key;
  const value = setting.doc.example ?? String(setting.defaultValue);
  // JSON is YAML.
  const line = given === undefined ? `#${name}: ${value}` : `${name}: ${JSON.stringify(given)}`;
  return [...wrap(`${setting.doc.about} (${setting.variable})`, `${indent}# `), `${indent}${line}`];
}

function wrap(text: string, start: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(start + word);
  }
  return lines;
}
