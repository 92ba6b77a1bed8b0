/** Files of the log as other programs read them (docs/audit-log.md). */
import { isIP } from "node:net";
import type { AuditEventAnswer as Entry } from "../../../src/records/audit/audit.ts";

const plain = (text: string): string => text.replaceAll("'", "");

/** RFC 4180, without the apostrophes that keep a cell from being a formula. */
export function csvOf(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, bare = "", end] of text
    .replace(/^\u{FEFF}/u, "")
    .matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/gu)) {
    rows.at(-1)?.push(plain(quoted?.replaceAll('""', '"') ?? bare));
    if (end === "\r\n") rows.push([]);
  }
  return rows.slice(0, -1);
}

csvOf.heading = [
  "Time (UTC)",
  "ID",
  "Actor",
  "Action",
  "Result",
  "App ID",
  "User ID",
  "Target",
  "IP address",
  "Request ID",
  "Details",
  "Changes",
  "Organization ID",
];

csvOf.row = (entry: Entry): string[] => {
  const { at, id, actor, action, result, appId, userId, target, ipAddress, requestId, details, changes } = entry;
  const time = at.slice(0, 19).replace("T", " ");
  const ends = [JSON.stringify(details), changes === null ? "" : JSON.stringify(changes), entry.organizationId];
  const cells = [time, id, actor, action, result, appId, userId, target, ipAddress, requestId, ...ends];
  return cells.map((cell) => plain(cell ?? ""));
};

/** The extension of a line of the Common Event Format, with the severity and the name. */
export function cefOf(line: string): Record<string, string> {
  const [, , product = "", , action = "", , severity = "", ...rest] = line.split("|");
  const extension = [...rest.join("|").matchAll(/(\w+)=((?:\\.|[^\\=])*?)(?= \w+=|$)/gu)];
  const values = extension.map(([, key = "", value = ""]) => [key, value.replaceAll(/\\([\\=])/gu, "$1")]);
  return { product, action, severity, ...Object.fromEntries(values) };
}

cefOf.entry = (entry: Entry): Record<string, string> => {
  const { at, id, actor, action, result, appId, userId, target, ipAddress, requestId, details, changes } = entry;
  const labelled = {
    c6a2: ["Source IPv6 Address", isIP(ipAddress ?? "") === 6 ? ipAddress : null],
    cs1: ["application", appId],
    cs2: ["target", target],
    cs3: ["request", requestId],
    cs4: ["details", Object.keys(details).length === 0 ? null : JSON.stringify(details)],
    cs5: ["changes", changes === null ? null : JSON.stringify(changes)],
    cs6: ["organization", entry.organizationId ?? null],
  } as const;
  const extension = [
    ["rt", String(Date.parse(at))],
    ["externalId", id],
    ["act", action],
    ["outcome", result],
    ["suid", actor],
    ["duid", userId],
    ["src", isIP(ipAddress ?? "") === 6 ? null : ipAddress],
    ...Object.entries(labelled).flatMap(([key, [label, value]]) => [
      [`${key}Label`, value === null ? null : label],
      [key, value],
    ]),
  ].filter(([, value]) => value !== null);
  const severity = result === "failure" ? "6" : "3";
  return { product: "authsvc", action, severity, ...(Object.fromEntries(extension) as Record<string, string>) };
};
