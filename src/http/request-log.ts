import type { Config } from "../config/config.ts";
import { second, type Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { clientReason } from "./refused-calls.ts";
import type { Answered } from "./router.ts";

export const slowMilliseconds = 1000;
/** Clients that send garbage all day must not fill the log. */
const maxErrorsASecond = 100;

/**
 * Logs one line per answer at level debug. At level info, only answers that took a second or more
 * (waits by design do not count) and, with `errors`, 4xx and 5xx. A line has the request id, the
 * route's pattern (a path can contain a token or a session id), the status and the caller. Unlogged
 * answers cost two comparisons.
 */
export function createRequestLog(
  log: Log,
  { requests, clock }: { requests: Config["log"]["requests"]; clock: Clock },
): (answered: Answered) => void {
  let current = Number.NaN;
  let lines = 0;

  /**
   * Whether another line may be written in this second. Reports the number of dropped lines when
   * the second is over.
   */
  function hasRoom(): boolean {
    const now = Math.floor(clock() / second);
    if (now !== current) {
      if (lines > maxErrorsASecond) log.info("request log lines dropped", { count: lines - maxErrorsASecond });
      current = now;
      lines = 0;
    }
    lines += 1;
    return lines <= maxErrorsASecond;
  }

  function isWanted({ status, milliseconds, request }: Answered): boolean {
    if (requests === "all") return true;
    return requests === "errors" && (status >= 400 || milliseconds - request.waited >= slowMilliseconds) && hasRoom();
  }

  return (answered) => {
    const wanted = isWanted(answered);
    if (!wanted && !log.debugging) return;
    log[wanted ? "info" : "debug"]("answered", requestFields(answered));
  };
}

/** The loggable parts of a request: no address, no path and no query. */
export function requestFields({ request, route, status, error, milliseconds, caller }: Answered) {
  return {
    ...request.logFields,
    method: request.method,
    route: route?.path,
    status,
    code: error?.code,
    ...clientReason(error),
    milliseconds: Math.round(milliseconds * 10) / 10,
    caller,
  };
}
