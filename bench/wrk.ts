import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { defaultConnections, type Load, type Pace, type Traffic } from "./traffic.ts";

const run = promisify(execFile);

export function hasWrk(): boolean {
  return spawnSync("wrk", ["--version"]).error === undefined;
}

/** Uses one thread. */
export async function loadByWrk(traffic: Traffic, pace: Pace): Promise<Load> {
  const folder = mkdtempSync(join(tmpdir(), "authsvc-bench-"));
  try {
    const file = join(folder, "load.lua");
    writeFileSync(file, scriptOf(traffic, pace));
    const connections = `-c${pace.connections ?? defaultConnections}`;
    const { stdout } = await run("wrk", ["-t1", connections, `-d${pace.seconds}s`, "-s", file, traffic.url]);
    return resultOf(stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Parses the output of the script, because wrk's own tables are rounded. */
export function resultOf(stdout: string): Load {
  const found = /^RESULT (\S+) (\S+) (\S+) (\S+) (\S+)$/mu.exec(stdout)?.slice(1).map(Number);
  if (!found) throw new Error(`wrk said nothing of its result: ${stdout}`);
  const [calls = 0, seconds = 0, medianMilliseconds = 0, p99Milliseconds = 0, failures = 0] = found;
  return { calls, perSecond: calls / seconds, medianMilliseconds, p99Milliseconds, failures };
}

function scriptOf(traffic: Traffic, { pauseMilliseconds }: Pace): string {
  const delay = pauseMilliseconds === undefined ? "" : `delay = function() return ${pauseMilliseconds} end`;
  return [traffic.kind === "get" ? getScript(traffic.headers) : refreshScript(traffic), delay, result].join("\n");
}

/** The requests in turn, created before the first is sent. */
function getScript(headers: Record<string, string>[]): string {
  const [first = {}, ...others] = headers;
  if (others.length === 0) return headerLines(first);
  return `
local all, turn = { ${headers.map(luaTable).join(", ")} }, 0
init = function()
  for n, headers in ipairs(all) do all[n] = wrk.format("GET", nil, headers) end
end
request = function()
  turn = turn % #all + 1
  return all[turn]
end`;
}

/**
 * Appends each answer's refresh token to the queue of the next requests, so that every call
 * rotates.
 */
function refreshScript({ headers, tokens }: Extract<Traffic, { kind: "refresh" }>): string {
  return `${headerLines({ ...headers, "content-type": "application/json" })}
local tokens = { ${tokens.map((token) => `"${token}"`).join(", ")} }
local first, last = 1, #tokens
request = function()
  local token = tokens[first]
  tokens[first] = nil
  first = first + 1
  return wrk.format("POST", nil, nil, '{"refreshToken":"' .. token .. '"}')
end
response = function(status, headers, body)
  local token = string.match(body, '"refreshToken":"([^"]+)"')
  if token then last = last + 1; tokens[last] = token end
end`;
}

function headerLines(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `wrk.headers["${name}"] = "${value}"`)
    .join("\n");
}

function luaTable(headers: Record<string, string>): string {
  return `{ ${Object.entries(headers)
    .map(([name, value]) => `["${name}"] = "${value}"`)
    .join(", ")} }`;
}

const result = `
done = function(summary, latency)
  local e = summary.errors
  print(string.format("RESULT %d %.3f %.3f %.3f %d", summary.requests, summary.duration / 1e6,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, e.connect + e.read + e.write + e.status + e.timeout))
end`;
