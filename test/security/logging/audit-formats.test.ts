import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import * as audit from "../../../src/records/audit/audit.ts";
import { formatOf, formats } from "../../../src/records/audit/formats.ts";
import { frameOf } from "../../../src/records/audit/syslog/message.ts";
import type { AuditRow } from "../../../src/records/audit/store.ts";
import { leftOut, noProgram } from "../../support/left-out.ts";

/** What somebody might type to end a line, a value or a cell, or to begin a formula. */
const typed = [
  "a\nb",
  "a\r\nb",
  "a\u0085b\u2028c\u2029d",
  'a" app="other',
  'a] [evil@1 x="y"]',
  String.raw`a\" b\\ c\] d`,
  "a|b|c",
  "a=b cs1=c\\=d",
  "=cmd()",
  "\t=cmd()",
  '"; =cmd()',
  "a,b;c",
  "\u0000\u001B[31mred",
  "12 <34>1 - - - - - -",
  "\uD83D\uDE00 ü \u202Eevil",
  "\u{FEFF}x",
];

function rowOf(text: string, place: number): AuditRow {
  const id = `aud_${place}`;
  return {
    id,
    at: 1_800_000_000_123,
    actor: `cli:${text}`,
    action: "application.update",
    result: "failure",
    appId: "app_1",
    userId: null,
    ipAddress: "192.0.2.1",
    requestId: null,
    details: { text },
    target: text,
    changes: { name: { from: text, to: text } },
    organizationId: null,
  };
}

const rows = typed.map(rowOf);
const entries = rows.map(({ organizationId: _organizationId, at, ...row }) => ({
  ...row,
  at: new Date(at).toISOString(),
}));

it("G8: what somebody typed stays a value in ndjson: a line for each entry, and the same text", () => {
  const text = entries.map(formatOf("ndjson").line).join("");
  expect(text).not.toMatch(/[\u007F-\u009F\u2028\u2029\uFEFF]/u);
  expect(
    text
      .trimEnd()
      .split(/\r\n|[\n\r\u0085\u2028\u2029]/u)
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual(entries);
});

const python = noProgram("python3");

it.skipIf(python !== undefined)(
  `G8: Python reads each format as so many entries with these values${leftOut(python)}`,
  () => {
    const texts = Object.fromEntries(
      formats.map((name) => [name, formatOf(name).heading + entries.map(formatOf(name).line).join("")]),
    );
    const program = `
import csv, io, json, re, sys
texts = json.load(sys.stdin)
nd = [json.loads(line) for line in texts["ndjson"].splitlines()]
table = list(csv.reader(io.StringIO(texts["csv"].lstrip("\\ufeff"), newline="")))
cef = []
for line in texts["cef"].splitlines():
    header = re.split(r"(?<!\\\\)(?:\\\\\\\\)*\\|", line, maxsplit=7)
    pairs = re.split(r" (?=[A-Za-z0-9]+=)", header[7])
    values = {}
    for pair in re.finditer(r"(?:^| )([A-Za-z0-9]+)=((?:[^\\\\=]|\\\\.)*?)(?= [A-Za-z0-9]+=|$)", header[7]):
        values[pair[1]] = re.sub(r"\\\\(.)", lambda m: {"n": "\\n", "r": "\\r"}.get(m[1], m[1]), pair[2])
    cef.append({"fields": len(header), "values": values})
print(json.dumps({"nd": nd, "table": table, "cef": cef}))
`;
    const read = JSON.parse(
      execFileSync("python3", ["-c", program], { input: JSON.stringify(texts), encoding: "utf8" }),
    ) as { nd: unknown[]; table: string[][]; cef: { fields: number; values: Record<string, string> }[] };
    expect(read.nd).toEqual(entries);
    // An apostrophe stands before what a spreadsheet would take for a formula.
    const unmarked = (cell = ""): unknown => JSON.parse(cell.replaceAll("'", ""));
    expect(read.table.slice(1).map((cells) => unmarked(cells[10]))).toEqual(entries.map(({ details }) => details));
    expect(read.table.every((cells) => cells.length === 13)).toBe(true);
    for (const cells of read.table.slice(1)) for (const cell of cells) expect(cell).not.toMatch(/^[=+@\t\r-]/u);
    expect(read.cef.map(({ fields }) => fields)).toEqual(entries.map(() => 8));
    expect(read.cef.map(({ values }) => JSON.parse(values["cs4"] ?? "") as unknown)).toEqual(
      entries.map(({ details }) => details),
    );
    expect(read.cef.map(({ values }) => values["externalId"])).toEqual(entries.map(({ id }) => id));
  },
);

it("G8: each format names the organization of an entry", () => {
  const row = { ...rowOf("x", 1), organizationId: "org_1" };
  const named = formats.map((name) => formatOf(name).line(audit.answerOf(row)));
  named.push(frameOf(row, { number: 1, stream: "s" }, "auth.example.com").toString().split("] {")[0] ?? "");
  for (const text of named) expect(text).toContain("org_1");
});

it("G8: a syslog message has its length in octets, escaped values, and a body in ASCII", () => {
  for (const [place, row] of rows.entries()) {
    const frame = frameOf(row, { number: place + 1, stream: "s" }, "auth.example.com");
    const [prefix = "", length] = /^(\d+) /u.exec(frame.toString("latin1")) ?? [];
    const message = frame.subarray(prefix.length);
    expect(message.length).toBe(Number(length));
    const text = message.toString("utf8");
    const form =
      /^<84>1 \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,6}Z auth\.example\.com authsvc - application\.update ((?:\[[!-~]+(?: [a-zA-Z]+="(?:[^"\\\]]|\\["\\\]])*")*\])+) ([ -~]*)$/u;
    const [, data = "", body = ""] = form.exec(text) ?? [];
    expect(data.match(/\[/gu)?.length).toBeGreaterThanOrEqual(2);
    expect(JSON.parse(body)).toEqual(entries[place]);
    expect(text).not.toMatch(/\p{Cc}/u);
  }
});

it("G8: a message stays within 8,192 octets, and says what it leaves out", () => {
  const row = {
    ...rowOf("x", 1),
    changes: Object.fromEntries(
      Array.from({ length: 30 }, (_, place) => [`field${place}`, { from: "ü".repeat(500), to: "" }]),
    ),
  };
  const frame = frameOf(row, { number: 1, stream: "s" }, "auth.example.com");
  expect(frame.length).toBeLessThan(8300);
  expect(frame.toString()).toContain('"omitted":["changes"]');
});
