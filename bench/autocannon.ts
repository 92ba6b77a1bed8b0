import autocannon, { type Result } from "autocannon";
import { defaultConnections, type Load, type Pace, type Traffic } from "./traffic.ts";

/** Runs in this process, so its own cost reduces the measured rate: both share the cores. */
export async function loadByAutocannon(traffic: Traffic, pace: Pace): Promise<Load> {
  const { seconds, connections = defaultConnections, pauseMilliseconds } = pace;
  return loadOf(
    await autocannon({
      url: traffic.url,
      duration: seconds,
      connections,
      ...(pauseMilliseconds === undefined ? {} : { connectionRate: Math.max(1, Math.round(1000 / pauseMilliseconds)) }),
      requests: traffic.kind === "get" ? traffic.headers.map((headers) => ({ headers })) : [refreshes(traffic)],
    }),
  );
}

export function loadOf({ duration, requests, latency, errors, non2xx }: Result): Load {
  return {
    calls: requests.total,
    perSecond: requests.total / duration,
    medianMilliseconds: latency.p50,
    p99Milliseconds: latency.p99,
    // Timeouts are among the errors.
    failures: errors + non2xx,
  };
}

/** A queue of tokens shared by all connections; each answer appends its token. */
function refreshes({ headers, tokens }: Extract<Traffic, { kind: "refresh" }>) {
  const waiting = [...tokens];
  return {
    method: "POST" as const,
    headers: { ...headers, "content-type": "application/json" },
    setupRequest: <R extends object>(request: R) => ({
      ...request,
      body: JSON.stringify({ refreshToken: waiting.shift() }),
    }),
    onResponse(_status: number, body: string): void {
      const { refreshToken } = JSON.parse(body) as { refreshToken?: string };
      if (refreshToken !== undefined) waiting.push(refreshToken);
    },
  };
}
