/** Browsers and programs whose calls go through the simulated network. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { rawRequest } from "../support/forward-auth.ts";
import type { Generator } from "./generator.ts";
import { consoleOrigin, doorsOrigin, proxyAddress, type Got, type Sent } from "./node.ts";

type Network = { send(sent: Sent, ipAddress: string, chances: Generator): Promise<Got> };
/** `language`: of their browsers. */
type Caller = { world: Network; ipAddress: string; chances: Generator; language?: string };

const callers = new AsyncLocalStorage<Caller>();

/** All calls of `work` come from this address, and their fates are drawn from `chances`. */
export function calling<T>(caller: Caller, work: () => Promise<T>): Promise<T> {
  return callers.run(caller, work);
}

type Init = { method?: string; headers?: Record<string, string>; body?: string | URLSearchParams };

/** In the place of Node's `fetch`, which the helpers of the other tests call. */
async function simulatedFetch(input: unknown, { method = "GET", headers = {}, body }: Init = {}) {
  const caller = callers.getStore();
  if (!caller) throw new Error("a call without a caller");
  const { pathname, search, origin } = new URL(String(input));
  const isForm = body instanceof URLSearchParams;
  const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const listener = origin === consoleOrigin ? "console" : origin === doorsOrigin ? "doors" : "service";
  const sent: Sent = {
    listener,
    method,
    path: `${pathname}${search}`,
    headers: {
      "user-agent": `Browser/1.0 (${caller.ipAddress})`,
      ...(caller.language && { "accept-language": caller.language }),
      ...(isForm && { "content-type": "application/x-www-form-urlencoded" }),
      ...Object.fromEntries(given),
    },
    body: body?.toString() ?? "",
  };
  const from = comeThrough(sent, caller.ipAddress);
  const got = await caller.world.send(sent, from, caller.chances);
  const { status } = got;
  const ok = status >= 200 && status < 300;
  return { status, ok, headers: new Headers(got.headers), text: () => Promise.resolve(got.body) };
}

/** Some come through a proxy, which says where from. What stands before is a claim of theirs. */
function comeThrough(sent: Sent, ipAddress: string): string {
  const last = Number(ipAddress.split(".").at(-1));
  const isProxied = sent.listener === "doors" || last % 2 === 0;
  const told = sent.headers["x-forwarded-for"] ?? `${ipAddress}${last % 4 === 0 ? ":4711" : ""}`;
  sent.headers["x-forwarded-for"] = isProxied ? `198.51.100.66, ${told}` : "198.51.100.66";
  return isProxied ? proxyAddress : ipAddress;
}

/** In the place of `rawRequest` of a test's proxy. */
export const simulatedRequest: typeof rawRequest = async (url, path, lines, method, body) => {
  const sent = { method, headers: Object.fromEntries(lines), ...(body && { body: new URLSearchParams(body) }) };
  const answer = await simulatedFetch(`${url}${path}`, sent);
  const headers = Object.fromEntries(answer.headers);
  return {
    status: answer.status,
    headers: { ...headers, "set-cookie": answer.headers.getSetCookie() },
    body: await answer.text(),
  };
};

globalThis.fetch = simulatedFetch as unknown as typeof fetch;
