import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "authsvc-bench-"));

export type Load = { perSecond: number; p99Milliseconds: number; failures: number };

export function hasWrk(): boolean {
  return spawnSync("wrk", ["--version"]).error === undefined;
}

/** One thread, 32 connections, kept alive. `script` is Lua for wrk. */
export async function load(url: string, script: string, seconds: number): Promise<Load> {
  const file = join(folder, "load.lua");
  writeFileSync(file, `${script}\n${report}`);
  const { stdout } = await run("wrk", ["-t1", "-c32", `-d${seconds}s`, "-s", file, url]);
  const [perSecond = 0, p99Milliseconds = 0, failures = 0] =
    /RESULT (\S+) (\S+) (\S+)/u.exec(stdout)?.slice(1).map(Number) ?? [];
  return { perSecond, p99Milliseconds, failures };
}

const report = `
done = function(summary, latency)
  local e = summary.errors
  print(string.format("RESULT %.1f %.2f %d", summary.requests / summary.duration * 1e6, latency:percentile(99) / 1000,
    e.connect + e.read + e.write + e.status + e.timeout))
end`;

export function getScript(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `wrk.headers["${name}"] = "${value}"`)
    .join("\n");
}

/** Each answer's refresh token is the next request's: a rotation with every call. */
export function refreshScript(headers: Record<string, string>, refreshTokens: string[]): string {
  return `${getScript({ ...headers, "content-type": "application/json" })}
local tokens = { ${refreshTokens.map((token) => `"${token}"`).join(", ")} }
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
