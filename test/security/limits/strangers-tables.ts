import { readFileSync } from "node:fs";

/** What the security page says of the tables that a stranger can write. */
export function strangersTables(): Map<string, { bytes: number; rows: number }> {
  const page = readFileSync("docs/security.md", "utf8");
  const [, section = ""] = /\n## What strangers can write\n([\s\S]*?)\n## /u.exec(page) ?? [];
  const rows = section.matchAll(/^\| `(\w+)` \|[^|]*\| ([\d,]+) \|[^|]*\| ([\d,]+) \|/gmu);
  const number = (text = "") => Number(text.replaceAll(",", ""));
  return new Map([...rows].map(([, table = "", bytes, most]) => [table, { bytes: number(bytes), rows: number(most) }]));
}
