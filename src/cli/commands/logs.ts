import { Option } from "commander";
import type { Config } from "../../config/config.ts";
import { AppError } from "../../lib/errors.ts";
import { isoTime, second } from "../../lib/clock.ts";
import type { LiveRequest } from "../../live/client.ts";
import type { AnsweredRequest } from "../../live/counts.ts";
import type { AuditEventAnswer } from "../../records/audit/audit.ts";
import type { Cli } from "../cli.ts";
import type { CliCommand } from "../command.ts";
import { eventFilterOf, newEvents, withAuditFilters, type AuditFlags } from "../input/audit-filter.ts";
import { followedTable } from "../output/followed-table.ts";
import type { Screen } from "../output/screen.ts";
import { shortened } from "../output/table.ts";
import { reasonOf } from "../report.ts";

type Flags = AuditFlags & { requests?: boolean; audit?: boolean };
type Entry = ({ type: "audit" } & AuditEventAnswer) | ({ type: "request" } & AnsweredRequest);

const headings = ["TIME", "WHAT", "RESULT", "MS", "ACTOR", "DETAILS"];
/** On a narrower terminal, actors are shortened, so that the longest routes fit. */
const wideColumns = 120;
const narrowActor = 20;
/** Requests that wait for the next second; further ones are only counted. */
const maxWaiting = 10_000;

export function addLogs(program: CliCommand, cli: Cli): void {
  const command = program
    .command("logs")
    .description(
      "show the audit log, and with --follow also the requests of the running service, ordered by time; with --json one document per line",
    );
  withAuditFilters(command)
    .option("--requests", "only requests; needs --follow")
    .addOption(new Option("--audit", "only the audit log").conflicts("requests"))
    .examples("authsvc logs --follow", "authsvc logs --follow --app app_shop --result failure --json")
    .action(async (flags: Flags) => {
      const { follow = false, requests = false } = flags;
      if (requests && !follow)
        throw new AppError("INVALID_REQUEST", "--requests needs --follow: requests are shown as they come, not stored");
      if (requests && unknownOfRequests(flags) !== undefined)
        throw new AppError("INVALID_REQUEST", `--requests cannot be filtered by ${unknownOfRequests(flags)}`);
      const { config } = await cli.configure();
      if (requests) await followAll(cli, config, flags, async () => []);
      else
        await cli.withCore(async (ctx) => {
          const { list } = await import("../../records/audit/audit.ts");
          const filter = await eventFilterOf(ctx, flags);
          const find = async (wanted: { since?: number | undefined; limit: number }): Promise<AuditEventAnswer[]> =>
            await list(ctx, { ...filter, ...wanted });
          if (follow) await followAll(cli, config, flags, newEvents(find, flags));
          else await showStored(cli, flags, await find({ since: flags.since, limit: flags.limit ?? 100 }));
        });
    });
}

async function showStored(cli: Cli, { audit }: Flags, events: AuditEventAnswer[]): Promise<void> {
  if (events.length > 0) await followedTable(cli, headings, cellsOf, usual()).show(events.map(asEntry));
  else await cli.note("No matching entries.");
  if (!audit) await cli.note("This is the audit log. Requests are not stored: to see them as they come, add --follow.");
}

async function followAll(
  cli: Cli,
  config: Config,
  flags: Flags,
  nextEvents: () => Promise<AuditEventAnswer[]>,
): Promise<void> {
  const unknown = unknownOfRequests(flags);
  if (unknown !== undefined && !flags.audit)
    await cli.note(`Requests are omitted: they cannot be filtered by ${unknown}.`);
  const takeRequests =
    flags.audit || unknown !== undefined ? async (): Promise<AnsweredRequest[]> => [] : await requestsOf(cli, config);
  await followedTable(cli, headings, cellsOf, usual()).follow(async () => {
    const requests = (await takeRequests()).filter((request) => isWanted(request, flags));
    const events = (await nextEvents()).map(asEntry);
    const entries: Entry[] = [...events, ...requests.map((request) => ({ type: "request" as const, ...request }))];
    return entries.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
  });
}

/**
 * Returns a function that takes the requests since its last call. It reconnects after a restart.
 */
async function requestsOf(cli: Cli, config: Config): Promise<() => Promise<AnsweredRequest[]>> {
  const { followRequests, nothingLive } = await import("../../live/client.ts");
  let waiting: AnsweredRequest[] = [];
  let omitted = 0;
  let isConnected = false;
  let said = "";

  function read(line: LiveRequest): void {
    if ("omitted" in line) omitted += line.omitted;
    else if (waiting.length < maxWaiting) waiting.push(line);
    else omitted += 1;
  }

  async function say(sentence: string): Promise<void> {
    if (sentence !== said) await cli.note(sentence);
    said = sentence;
  }

  async function connect(): Promise<void> {
    try {
      const following = await followRequests(config, read);
      isConnected = following !== undefined;
      void following?.ended.then(() => (isConnected = false));
      if (isConnected) await (said === "" || say("The service has started: its requests are shown from now on."));
      else await say(`There are no requests to show. ${nothingLive(config)}`);
    } catch (error) {
      await say(`No requests are shown. ${await reasonOf(error)}`);
    }
  }

  return async () => {
    if (!isConnected) await connect();
    if (omitted > 0) await cli.note(`${omitted} requests came faster than they can be shown.`);
    const taken = waiting;
    [waiting, omitted] = [[], 0];
    return taken;
  };
}

/** The flag that excludes requests. */
function unknownOfRequests({ action, address, target }: Flags): string | undefined {
  const [unknown] = Object.entries({ action, address, target }).find(([, value]) => value !== undefined) ?? [];
  return unknown && `--${unknown}`;
}

function isWanted({ at, caller = "", status }: AnsweredRequest, { app, user, actor, result, since }: Flags): boolean {
  const [kind = "", id = ""] = caller.split(":");
  const appId = kind === "app" || kind === "client" ? id : undefined;
  return (
    (app === undefined || app === appId) &&
    (user === undefined || (kind === "user" && user === id)) &&
    (actor === undefined || actor === `${kind}:${id}`) &&
    (result === undefined || (result === "failure") === status >= 400) &&
    (since === undefined || Date.parse(at) >= since)
  );
}

/** Enough room for nearly all entries. */
function usual(): Entry {
  const [at, requestId] = [isoTime(Date.now()), `req_${"0".repeat(32)}`];
  const call = { method: "GET", route: "/auth/validate", status: 401, code: "INVALID_TOKEN" } as const;
  return { type: "request", at, requestId, ...call, milliseconds: 1.2, caller: "app:app_shop" };
}

function asEntry(event: AuditEventAnswer): Entry {
  return { type: "audit", ...event };
}

function cellsOf(entry: Entry, { columns = Infinity }: Screen): string[] {
  const isTerminal = columns !== Infinity;
  const who = (actor: string): string => (columns < wideColumns ? shortened(actor, narrowActor) : actor);
  const time = isTerminal ? clockTime(entry.at) : entry.at;
  if (entry.type === "request") {
    const { method, route = "(no route)", status, milliseconds, caller = "-", code, requestId } = entry;
    // A suffix only separates counters; it is not part of the actor.
    const actor = caller.replace(/^(app:[^:]+):.*$/u, "$1");
    const isWorthIt = !isTerminal || status >= 400 || milliseconds >= second;
    const details = [code, ...(isWorthIt ? [requestId] : [])].filter((fact) => fact !== undefined);
    return [
      time,
      `${method} ${route}`,
      String(status),
      milliseconds.toFixed(milliseconds < 10 ? 1 : 0),
      who(actor),
      details.join(" "),
    ];
  }
  const { actor, action, result, appId, userId, details } = entry;
  const subjects = { app: appId, user: userId };
  const facts = Object.entries(subjects)
    .filter(([kind, id]) => id !== null && actor !== `${kind}:${id}`)
    .concat(Object.entries(details).map(([name, value]) => [name, String(value)]))
    .map(([name, value]) => `${name}=${value}`);
  return [time, action, result, "", who(actor), facts.join(" ")];
}

/** The date, if it is not today's (UTC). */
function clockTime(at: string): string {
  const [day = "", time = ""] = at.slice(0, 19).split("T");
  return new Date().toISOString().startsWith(day) ? time : `${day.slice(5)} ${time}`;
}
