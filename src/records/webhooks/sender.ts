import type { Clock } from "../../lib/clock.ts";
import { part, type Context } from "../../runtime/context.ts";
import { createConnections, reasonOf, type Resolve } from "./connections.ts";
import { retryAfter, type AttemptOutcome } from "./delivery.ts";
import { policyOf } from "./target.ts";

export type Message = { url: string; headers: Record<string, string>; body: string };

/** Of every message, unless it has others. */
export const usualHeaders = { "content-type": "application/json", "user-agent": "authsvc-webhooks" };

const patienceMilliseconds = 15_000;
/** How much of an answer is stored, and how much is read at most. */
const [keptBytes, readBytes] = [1024, 64 * 1024];
/** Connections per receiver; the worker never uses more. */
export const maxConnections = 64;

/**
 * Sends messages to receivers: one POST, at most 15 s, no redirects. If only public addresses are
 * allowed, the address is checked when connecting.
 */
export function createSender(options: {
  privateNetworks: boolean;
  clock: Clock;
  resolve?: Resolve;
  patience?: number;
}) {
  const { clock, patience = patienceMilliseconds } = options;
  const connections = createConnections({ ...options, patience, max: maxConnections });

  return {
    /** Never throws, except when aborted by `signal`. */
    async send({ url, headers, body }: Message, signal?: AbortSignal): Promise<AttemptOutcome> {
      const at = clock();
      const began = performance.now();
      const timeout = AbortSignal.timeout(patience);
      const outcome = (answered: Partial<AttemptOutcome>): AttemptOutcome => ({
        at,
        durationMilliseconds: Math.round(performance.now() - began),
        status: null,
        error: null,
        response: "",
        delivered: false,
        gone: false,
        retryAfterMilliseconds: undefined,
        ...answered,
      });
      try {
        const { agent, send } = await connections.open();
        const answer = await send(url, {
          method: "POST",
          headers: { ...usualHeaders, ...headers },
          body,
          dispatcher: agent,
          signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
        });
        const { statusCode: status } = answer;
        const response = await beginningOf(answer.body);
        const delivered = status >= 200 && status < 300;
        const header = answer.headers["retry-after"];
        return outcome({
          status,
          response,
          delivered,
          gone: status === 410,
          error: delivered
            ? null
            : status >= 300 && status < 400
              ? "a redirect, which is not followed"
              : `status ${status}`,
          retryAfterMilliseconds: delivered ? undefined : retryAfter(Array.isArray(header) ? header[0] : header, at),
        });
      } catch (error) {
        if (signal?.aborted) throw error;
        return outcome({ error: timeout.aborted ? `no response within ${patience / 1000} s` : reasonOf(error) });
      }
    },

    close: () => connections.close(),
  };
}

/** The status has already decided: an answer that stalls or breaks off only loses its text. */
async function beginningOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      if (size < keptBytes) chunks.push(chunk.subarray(0, keptBytes - size));
      size += chunk.length;
      // Leaving the loop destroys the stream, and with it the connection.
      if (size >= readBytes) break;
    }
  } catch {
    // Keep what has arrived.
  }
  return Buffer.concat(chunks).toString("utf8").replaceAll("\0", "\u{FFFD}");
}

export const sender = part(
  (ctx: Context) => createSender({ privateNetworks: policyOf(ctx).privateNetworks, clock: ctx.clock }),
  (made) => made.close(),
);
