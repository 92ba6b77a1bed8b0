/** An entry as one line for other programs. What somebody typed stays a value in each. */
import packageFile from "../../../package.json" with { type: "json" };
import { byteOrderMark, csvId, csvLine, csvTime } from "../../lib/csv.ts";
import { isIP } from "node:net";
import type { AuditEventAnswer } from "./audit.ts";

export const formats = ["ndjson", "csv", "cef"] as const;
export type Format = (typeof formats)[number];

export type EntryFormat = { heading: string; line(entry: AuditEventAnswer): string };

const columns: [heading: string, cell: (entry: AuditEventAnswer) => string][] = [
  ["Time (UTC)", ({ at }) => csvTime(at)],
  ["ID", ({ id }) => csvId(id)],
  ["Actor", ({ actor }) => actor],
  ["Action", ({ action }) => action],
  ["Result", ({ result }) => result],
  ["App ID", ({ appId }) => csvId(appId ?? "")],
  ["User ID", ({ userId }) => csvId(userId ?? "")],
  ["Target", ({ target }) => csvId(target ?? "")],
  ["IP address", ({ ipAddress }) => ipAddress ?? ""],
  ["Request ID", ({ requestId }) => csvId(requestId ?? "")],
  ["Details", ({ details }) => JSON.stringify(details)],
  ["Changes", ({ changes }) => (changes === null ? "" : JSON.stringify(changes))],
  ["Organization ID", ({ organizationId }) => csvId(organizationId ?? "")],
];

const byName: { [Name in Format]: EntryFormat } = {
  ndjson: { heading: "", line: (entry) => `${jsonLine(entry)}\n` },
  csv: {
    heading: byteOrderMark + csvLine(columns.map(([heading]) => heading)),
    line: (entry) => csvLine(columns.map(([, cell]) => cell(entry))),
  },
  cef: { heading: "", line: (entry) => `${cefLine(entry)}\n` },
};

export function formatOf(name: Format): EntryFormat {
  return byName[name];
}

/** What some programs take for the end of a line, or do not show; JSON leaves these as they are. */
const unseen = /[\u{7F}-\u{9F}\u{2028}\u{2029}\u{FEFF}]/gu;

/** JSON in which no character ends a line. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replaceAll(unseen, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Null: left out. */
type Extension = [key: string, value: string | null];

function labelled(key: string, label: string, value: string | null): Extension[] {
  if (value === null) return [];
  return [
    [`${key}Label`, label],
    [key, value],
  ];
}

/** ArcSight Common Event Format, version 0. Names of extensions are those of its dictionary. */
function cefLine(entry: AuditEventAnswer): string {
  const { id, at, actor, action, result, appId, userId, ipAddress, requestId, details, target, changes } = entry;
  const header = ["CEF:0", "authsvc", "authsvc", packageFile.version, action, action, result === "failure" ? "6" : "3"];
  const address: Extension[] =
    isIP(ipAddress ?? "") === 6 ? labelled("c6a2", "Source IPv6 Address", ipAddress) : [["src", ipAddress]];
  const extension: Extension[] = [
    ["rt", String(Date.parse(at))],
    ["externalId", id],
    ["act", action],
    ["outcome", result],
    ["suid", actor],
    ["duid", userId],
    ...address,
    ...labelled("cs1", "application", appId),
    ...labelled("cs2", "target", target),
    ...labelled("cs3", "request", requestId),
    ...labelled("cs4", "details", Object.keys(details).length === 0 ? null : jsonLine(details)),
    ...labelled("cs5", "changes", changes === null ? null : jsonLine(changes)),
    ...labelled("cs6", "organization", entry.organizationId ?? null),
  ];
  const values = extension.flatMap(([key, value]) => (value === null ? [] : `${key}=${cefValue(value)}`));
  return `${header.map((part, at) => (at === 0 ? part : cefHeader(part))).join("|")}|${values.join(" ")}`;
}

/** No line may end within a header, and it has no escape for one. */
function cefHeader(text: string): string {
  return withoutControls(text).replaceAll(/[\\|]/gu, String.raw`\$&`);
}

function cefValue(text: string): string {
  const ends = text
    .replaceAll(/[\\=]/gu, String.raw`\$&`)
    .replaceAll("\r", String.raw`\r`)
    .replaceAll("\n", String.raw`\n`);
  return withoutControls(ends);
}

/** With a mark in place of each character that could end a line or hide. */
export function withoutControls(text: string): string {
  return text.toWellFormed().replaceAll(/[\p{Cc}\u{2028}\u{2029}]/gu, "\u{FFFD}");
}
