/** Reads documents that others publish, such as the keys of an issuer. */
import { second } from "../../lib/clock.ts";
import { createConnections, reasonOf } from "./connections.ts";
import type { TargetPolicy } from "./target.ts";

const patienceMilliseconds = 5 * second;
const maxConnections = 4;

/**
 * Why a document cannot be used, without any of its text. `passes`: it may be different soon.
 * `connecting`: no server answered.
 */
export class DocumentProblem extends Error {
  readonly passes: boolean;
  readonly connecting: boolean;

  constructor(reason: string, { passes = false, connecting = false }: { passes?: boolean; connecting?: boolean } = {}) {
    super(reason);
    this.name = "DocumentProblem";
    this.passes = passes;
    this.connecting = connecting;
  }
}

/** Connections to the servers of documents that this policy allows. */
export function openDocumentConnections({
  privateNetworks,
  setting,
}: Pick<TargetPolicy, "privateNetworks" | "setting">) {
  const limits = { patience: patienceMilliseconds, max: maxConnections };
  return createConnections({ privateNetworks, setting, ...limits });
}

/** How long one document, with all that it refers to, is waited for. */
export function documentPatience(): AbortSignal {
  return AbortSignal.timeout(patienceMilliseconds);
}

/**
 * Reads JSON by one GET, without redirects. `header`: of the answer; empty if it has none. Throws
 * DocumentProblem.
 */
export async function readJson(
  connections: Pick<ReturnType<typeof createConnections>, "open">,
  url: string,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
): Promise<{ value: unknown; header: (name: string) => string }> {
  try {
    const { agent, send } = await connections.open();
    const headers = { accept: "application/json", "accept-encoding": "identity", "user-agent": "authsvc" };
    const answer = await send(url, { headers, dispatcher: agent, signal });
    const { statusCode: status, body } = answer;
    if (status !== 200) {
      // Destroying it would be an error event that nobody handles.
      void body.dump({ limit: maxBytes }).catch(() => {});
      throw new DocumentProblem(`status ${status}`, { passes: status === 429 || status >= 500 });
    }
    const value = parsed(await bounded(body, maxBytes));
    return { value, header: (name) => [answer.headers[name] ?? ""].flat().join(", ") };
  } catch (error) {
    if (error instanceof DocumentProblem) throw error;
    throw new DocumentProblem(signal.aborted ? "no answer in time" : reasonOf(error), {
      passes: true,
      connecting: true,
    });
  }
}

async function bounded(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    // Leaving the loop destroys the stream, and with it the connection.
    if (size > maxBytes) throw new DocumentProblem(`more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new DocumentProblem("it is not JSON");
  }
}
