import { readFileSync } from "node:fs";

const section = (): string => {
  const page = readFileSync("docs/security.md", "utf8");
  return /\n## What strangers can write\n([\s\S]*?)\n## /u.exec(page)?.[1] ?? "";
};

/** What the security page says of the tables that a stranger can write. */
export function strangersTables(): Map<string, { bytes: number; rows: number }> {
  const lines = section().matchAll(/^\| `(\w+)` \|[^|]*\| ([\d,]+) \|[^|]*\| ([\d,]+) \|/gmu);
  const number = (text = "") => Number(text.replaceAll(",", ""));
  return new Map(
    [...lines].map(([, table = "", bytes, rows]) => [table, { bytes: number(bytes), rows: number(rows) }]),
  );
}

/** The other tables that it names. */
export function otherTables(): string[] {
  const [, others = ""] = /\nStrangers cannot write ([\s\S]*?)\n\n/u.exec(`${section()}\n\n`) ?? [];
  return [...others.matchAll(/`(\w+)`/gu)].map(([, table = ""]) => table);
}
