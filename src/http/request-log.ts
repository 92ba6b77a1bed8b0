import type { Config } from "../config/config.ts";
import { second, type Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { Answered } from "./router.ts";

const slowMilliseconds = 1000;
/** Whoever sends garbage all day must not fill the log with it. */
const mostErrorsASecond = 100;

/**
 * Which answers get a line at level info: with `errors` those with 4xx or 5xx, and what took a second or more. At level debug every answer has one.
 * One line for an answer: its request id, the pattern of its route (an address can hold a token or a session's id, a pattern cannot), its status and
 * who called. What is not to be logged costs two comparisons.
 */
export function createRequestLog(
  log: Log,
  { requests, clock }: { requests: Config["log"]["requests"]; clock: Clock },
): (answered: Answered) => void {
  let current = Number.NaN;
  let lines = 0;

  /** Whether there is room for one more line; says how many there was none for, once that second is over. */
  function hasRoom(): boolean {
    const now = Math.floor(clock() / second);
    if (now !== current) {
      if (lines > mostErrorsASecond) log.info("more answers than are logged", { count: lines - mostErrorsASecond });
      current = now;
      lines = 0;
    }
    lines += 1;
    return lines <= mostErrorsASecond;
  }

  function isWanted(status: number, milliseconds: number): boolean {
    if (requests === "all") return true;
    return requests === "errors" && (status >= 400 || milliseconds >= slowMilliseconds) && hasRoom();
  }

  return ({ request, route, status, error, milliseconds, caller }) => {
    const wanted = isWanted(status, milliseconds);
    if (!wanted && !log.debugging) return;
    log[wanted ? "info" : "debug"]("answered", {
      ...request.logFields,
      method: request.method,
      route: route?.path,
      status,
      code: error?.code,
      milliseconds: Math.round(milliseconds * 10) / 10,
      caller,
    });
  };
}
