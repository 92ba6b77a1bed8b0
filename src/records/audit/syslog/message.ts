/** Syslog messages (RFC 5424) in frames with their length (RFC 5425, 4.3). */
import packageFile from "../../../../package.json" with { type: "json" };
import { answerOf } from "../audit.ts";
import { jsonLine, withoutControls } from "../formats.ts";
import type { AuditRow } from "../store.ts";

/** Facility 10 (security and authorization), severity 4 (warning) or 6 (informational). */
const priorities = { failure: 10 * 8 + 4, success: 10 * 8 + 6 };
/** That a receiver should take at least (RFC 5425, 4.3.1). A longer entry leaves out facts. */
const maxBytes = 8192;
/** Of structured data: the enterprise number of examples (RFC 5612), since we have none. */
const structuredId = "authsvc@32473";

/** `number` counts up within `stream`; a resent entry has the same one. */
export type Numbering = { number: number; stream: string };

export function frameOf(row: AuditRow, numbering: Numbering, host: string): Buffer {
  const entry = answerOf(row);
  const header = headerOf(row, entry.at, numbering, host);
  const { details, changes: _changes, ...rest } = entry;
  const shorter = [
    { ...rest, details, omitted: ["changes"] },
    { ...rest, omitted: ["details", "changes"] },
  ];
  const messages = [entry, ...shorter].map((body) => Buffer.from(`${header} ${ascii(body)}`));
  return framed(messages.find(({ length }) => length <= maxBytes) ?? Buffer.from(header));
}

function framed(message: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${message.length} `), message]);
}

function headerOf(row: AuditRow, at: string, { number, stream }: Numbering, host: string): string {
  const { id, action, result, actor, appId, userId, target, organizationId, ipAddress, requestId } = row;
  const values = {
    number: String(number),
    stream,
    id,
    action,
    result,
    actor,
    appId,
    userId,
    target,
    organizationId,
    ipAddress,
    requestId,
  };
  const parameters = Object.entries(values).map(([name, value]) =>
    value === null ? "" : ` ${name}="${parameterValue(value)}"`,
  );
  const software = `[origin software="authsvc" swVersion="${packageFile.version}"]`;
  const data = `${software}[${structuredId}${parameters.join("")}]`;
  return `<${priorities[result]}>1 ${at} ${name(host, 255)} authsvc - ${name(action, 32)} ${data}`;
}

/** Visible ASCII of at most so many characters, or the sign for none. */
function name(text: string, most: number): string {
  return /^[!-~]+$/u.test(text) && text.length <= most ? text : "-";
}

/** UTF-8 with `"`, `\` and `]` escaped (RFC 5424, 6.3.3). Cut, because the body has the whole. */
function parameterValue(text: string): string {
  return withoutControls(text)
    .slice(0, 256)
    .toWellFormed()
    .replaceAll(/["\\\]]/gu, String.raw`\$&`);
}

/** In ASCII the text needs no byte order mark (RFC 5424, 6.4), and no receiver can misread it. */
function ascii(value: unknown): string {
  return jsonLine(value).replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
