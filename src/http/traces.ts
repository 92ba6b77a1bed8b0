import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingMessage } from "node:http";
import type { Random } from "../lib/random.ts";
import { childHeaders, readTrace, type Trace } from "../lib/trace.ts";

/**
 * Passes the trace of a request on to the calls made for it, and to no other work: shared work (a
 * commit, the outbox) may run in the context of any request. A request without a trace costs one
 * header lookup.
 */
export function createTraces(random: Random) {
  const current = new AsyncLocalStorage<Trace>();
  return {
    /** `listener` in the trace of its message. */
    listener<More extends unknown[], Result>(
      listener: (message: IncomingMessage, ...more: More) => Result,
    ): (message: IncomingMessage, ...more: More) => Result {
      return (message, ...more) => {
        const { traceparent, tracestate } = message.headers;
        const trace =
          traceparent === undefined
            ? undefined
            : readTrace(String(traceparent), tracestate === undefined ? undefined : String(tracestate));
        return trace ? current.run(trace, listener, message, ...more) : listener(message, ...more);
      };
    },

    fetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
      return async (input, init) => {
        const trace = current.getStore();
        if (!trace) return await fetch(input, init);
        const headers = new Headers(init?.headers);
        for (const [name, value] of Object.entries(childHeaders(trace, random))) headers.set(name, value);
        return await fetch(input, { ...init, headers });
      };
    },
  };
}
