import { part, type Context } from "../../runtime/context.ts";
import { createConnections, reasonOf, type Resolve } from "./connections.ts";
import { policyOf } from "./target.ts";

const patienceMilliseconds = 5000;
const maxBytes = 256 * 1024;
const maxConnections = 4;

/** Why a document could not be read. Contains nothing of the document or its address. */
export class Unreadable extends Error {}

/** Reads JSON objects of others: one GET, 5 s, 256 KiB, no redirects, checked connections. */
export function createReader({
  patience = patienceMilliseconds,
  ...options
}: {
  privateNetworks: boolean;
  resolve?: Resolve;
  patience?: number;
}) {
  const connections = createConnections({ ...options, patience, max: maxConnections });

  async function textAt(url: string): Promise<string> {
    const timeout = AbortSignal.timeout(patience);
    try {
      const { agent, send } = await connections.open();
      const headers = { accept: "application/json", "user-agent": "authsvc" };
      const { statusCode: status, body } = await send(url, { dispatcher: agent, headers, signal: timeout });
      if (status === 200) return await bounded(body);
      // Read, because a body that is left over reports that to nobody, which ends the process.
      await bounded(body).catch(() => "");
      throw new Unreadable(status >= 300 && status < 400 ? "a redirect, which is not followed" : `status ${status}`);
    } catch (error) {
      if (error instanceof Unreadable) throw error;
      throw new Unreadable(timeout.aborted ? `no response within ${patience / 1000} s` : reasonOf(error));
    }
  }

  return {
    /** Throws Unreadable. */
    async read(url: string): Promise<Record<string, unknown>> {
      const value = parsed(await textAt(url));
      if (typeof value !== "object" || value === null || Array.isArray(value))
        throw new Unreadable("not a JSON object");
      return value as Record<string, unknown>;
    },

    close: connections.close,
  };
}

async function bounded(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    // Leaving the loop destroys the stream, and with it the connection.
    if (size > maxBytes) throw new Unreadable(`larger than ${maxBytes / 1024} KiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Unreadable("not a JSON object");
  }
}

export const reader = part(
  (ctx: Context) => createReader({ privateNetworks: policyOf(ctx).privateNetworks }),
  (made) => made.close(),
);
