import { second } from "../../lib/clock.ts";
import type { LiveState } from "../../live/live.ts";
import { beginning, padded, styled, visible, widthOf } from "./text.ts";
import { shortSpanText } from "./times.ts";

type Size = { rows: number; columns: number };
/** `grows`: takes the width that the other columns leave. */
type Column<Item> = { heading: string; width: number; right?: true; grows?: true; cell(item: Item): string };

/** For a reader that is not a terminal: everything, in lines of any length. */
export const unlimited: Size = { rows: Infinity, columns: Infinity };

const rowsOfRoutes: Column<LiveState["routes"][number]>[] = [
  { heading: "ROUTE", width: 33, grows: true, cell: ({ route }) => route },
  { heading: "CALLS/S", width: 7, right: true, cell: ({ calls }) => amount(calls) },
  { heading: "4XX/S", width: 5, right: true, cell: ({ refused, limited }) => amount(refused + limited) },
  { heading: "5XX/S", width: 5, right: true, cell: ({ failed }) => amount(failed) },
  { heading: "P50 MS", width: 6, right: true, cell: ({ milliseconds }) => amount(milliseconds.p50) },
  { heading: "P95 MS", width: 6, right: true, cell: ({ milliseconds }) => amount(milliseconds.p95) },
  { heading: "P99 MS", width: 6, right: true, cell: ({ milliseconds }) => amount(milliseconds.p99) },
];
const rowsOfSlowest: Column<LiveState["slowest"][number]>[] = [
  { heading: "SLOWEST", width: 8, cell: ({ at }) => at.slice(11, 19) },
  { heading: "MS", width: 6, right: true, cell: ({ milliseconds }) => amount(milliseconds) },
  { heading: "STATUS", width: 6, cell: ({ status }) => String(status) },
  { heading: "ROUTE", width: 33, cell: ({ method, route }) => `${method} ${route ?? "(no route)"}` },
  { heading: "REQUEST ID", width: 19, grows: true, cell: ({ requestId }) => requestId },
];

/** One screen of a running service. Each line fits; the tables get the rows that are left. */
export function liveText(state: LiveState, { rows, columns }: Size, now: number): string[] {
  const { version, pid, startedAt, database, seconds } = state;
  const up = shortSpanText((now - Date.parse(startedAt)) / second).replace(" ago", "");
  const kind = database.kind === "sqlite" ? "SQLite" : "PostgreSQL";
  const head = `authsvc ${version}   up ${up}   process ${pid}   ${kind}   ${new Date(now).toISOString().slice(11, 19)} UTC`;
  const facts = factsOf(state).map(([name, value]) => `${padded(name, 10)} ${visible(value)}`);
  const foot = `Per second and latencies: the last ${Math.round(seconds)} s. Slowest: 5 minutes.${rows === Infinity ? "" : "   q quits"}`;
  // Head, foot, four empty lines and two headings.
  const room = Math.max(2, rows - facts.length - 8);
  const forSlowest = Math.min(state.slowest.length, Math.max(Math.floor(room * 0.4), room - state.routes.length));
  return [
    styled("bold", cutTo(visible(head), columns)),
    "",
    ...facts.map((line) => cutTo(line, columns)),
    "",
    ...tableOf(rowsOfRoutes, state.routes.slice(0, room - forSlowest), columns),
    "",
    ...tableOf(rowsOfSlowest, state.slowest.slice(0, forSlowest), columns),
    "",
    cutTo(foot, columns),
  ].slice(0, rows);
}

function factsOf({ requests, signIns, hashes, database, webhooks, mails }: LiveState): [name: string, value: string][] {
  const { calls, refused, limited, failed, milliseconds, validates, refreshes } = requests;
  const { transactions, connections } = database;
  const pool =
    connections === null ? "" : `   ${connections.open - connections.idle} of ${connections.open} connections busy`;
  const writes = `${amount(transactions.perSecond)} writes/s (p95 ${amount(transactions.milliseconds.p95)} ms)`;
  const state = !database.up ? "DOES NOT ANSWER" : database.writable ? "" : "NOT WRITABLE   ";
  return [
    ["Requests", `${amount(calls)}/s   4xx ${amount(refused)}/s   429 ${amount(limited)}/s   5xx ${amount(failed)}/s`],
    [
      "Latency",
      `p50 ${amount(milliseconds.p50)} ms   p95 ${amount(milliseconds.p95)} ms   p99 ${amount(milliseconds.p99)} ms`,
    ],
    ["Tokens", `validate ${amount(validates)}/s   refresh ${amount(refreshes)}/s`],
    ["Sign-ins", signIns.map(signInText).join("   ") || "none"],
    ["Hashes", `${hashes.running} running   ${hashes.waiting} waiting   ${amount(hashes.perSecond)}/s`],
    [
      "Database",
      database.pingMilliseconds === null
        ? state
        : `${state}ping ${amount(database.pingMilliseconds)} ms   ${writes}   ${database.waiting} waiting${pool}`,
    ],
    ["Webhooks", backlogText(webhooks)],
    ["Mails", backlogText(mails)],
  ];
}

function signInText({ method, success, failure }: LiveState["signIns"][number]): string {
  return `${method} ${amount(success)}/s${failure === 0 ? "" : ` (${amount(failure)}/s refused)`}`;
}

function backlogText(backlog: LiveState["webhooks"]): string {
  if (backlog === null) return "unknown";
  const late = backlog.overdue < second ? "" : `, the oldest overdue since ${shortSpanText(backlog.overdue / second)}`;
  return `${backlog.waiting} waiting${late.replace(/ ago$/u, "")}`;
}

function tableOf<Item>(columns: Column<Item>[], items: Item[], screen: number): string[] {
  const fixed = columns.reduce((sum, { width }) => sum + width + 2, -2);
  const more = screen === Infinity ? 20 : Math.max(0, screen - fixed);
  const line = (cells: string[]): string =>
    columns
      .map(({ width, right, grows }, column) => {
        const cell = cutTo(visible(cells[column] ?? ""), grows ? width + more : width);
        const padding = " ".repeat((grows ? width + more : width) - widthOf(cell));
        return right ? padding + cell : cell + padding;
      })
      .join("  ")
      .trimEnd();
  return [
    styled("bold", cutTo(line(columns.map(({ heading }) => heading)), screen)),
    ...(items.length === 0
      ? ["none yet"]
      : items.map((item) => cutTo(line(columns.map(({ cell }) => cell(item))), screen))),
  ];
}

function cutTo(text: string, width: number): string {
  return widthOf(text) <= width ? text : `${beginning(text, width - 1)}…`;
}

/** `0`, `<0.1`, `4.2`, `1,204`. */
function amount(value: number): string {
  if (value === 0) return "0";
  if (value < 0.05) return "<0.1";
  return value < 9.95 ? value.toFixed(1) : Math.round(value).toLocaleString("en-US");
}
