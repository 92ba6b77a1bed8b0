import { bodyOf, headerLines, openConnection, type Connection } from "./connection.ts";
import type { OpenWorks } from "./load.ts";

/**
 * The calls to repeat: GETs with alternating headers, or refreshes, each with the token of an
 * earlier answer.
 */
export type Traffic =
  | { kind: "get"; url: string; headers: Record<string, string>[] }
  | { kind: "refresh"; url: string; headers: Record<string, string>; tokens: string[] };

/** Opens keep-alive connections, each for one call at a time. */
export async function openTraffic(traffic: Traffic, connections: number): Promise<OpenWorks> {
  const call = traffic.kind === "get" ? gets(traffic) : refreshes(traffic);
  const opened = await Promise.all(Array.from({ length: connections }, async () => await openConnection(traffic.url)));
  return {
    works: opened.map((connection) => async () => await call(connection)),
    [Symbol.dispose]: () => opened.forEach((connection) => connection.close()),
  };
}

type Call = (connection: Connection) => Promise<void>;

function gets({ url, headers }: Extract<Traffic, { kind: "get" }>): Call {
  const { pathname } = new URL(url);
  const lines = headers.map(headerLines);
  let turn = 0;
  return async (connection) => {
    turn = (turn + 1) % lines.length;
    bodyOf(await connection.send("GET", pathname, lines[turn] ?? ""), 200);
  };
}

/** A queue of tokens shared by all connections; each answer appends its token. */
function refreshes({ url, headers, tokens }: Extract<Traffic, { kind: "refresh" }>): Call {
  const { pathname } = new URL(url);
  const lines = headerLines({ ...headers, "content-type": "application/json" });
  const waiting = [...tokens];
  return async (connection) => {
    const answer = await connection.send("POST", pathname, lines, JSON.stringify({ refreshToken: waiting.shift() }));
    const { refreshToken } = JSON.parse(bodyOf(answer, 200)) as { refreshToken: string };
    waiting.push(refreshToken);
  };
}
