/** Fetches the documents of clients that nobody registered, and their keys. */
import { second } from "../../lib/clock.ts";
import { AppError } from "../../lib/errors.ts";
import { createConnections, reasonOf } from "../../records/webhooks/connections.ts";
import { policyOf, type TargetPolicy } from "../../records/webhooks/target.ts";
import { part, type Context } from "../../runtime/context.ts";
import { checkedJwks, type JwkSet } from "../clients/jwks.ts";
import { DocumentProblem, freshSeconds, readDocument, type ClientDocument } from "./document.ts";

const patienceMilliseconds = 5 * second;
const maxDocumentBytes = 5 * 1024;
const maxKeyBytes = 20 * 1024;

const jsonType = /^application\/(?:[\w!#$&^.+-]+\+)?json[ \t]*(?:;|$)/iu;

const connections = part(
  (ctx: Context) =>
    createConnections({ privateNetworks: policyOf(ctx).privateNetworks, patience: patienceMilliseconds, max: 4 }),
  (made) => made.close(),
);

/** Where documents may be: https alone, in development also http on this machine. */
export function documentPolicy(ctx: Pick<Context, "isDevelopment" | "config">): TargetPolicy {
  return { ...policyOf(ctx), plainHttp: ctx.isDevelopment ? "this-machine" : "none" };
}

/** The document of a URL, and until when it is fresh. Throws DocumentProblem. */
export async function fetchDocument(
  ctx: Context,
  url: string,
): Promise<{ document: ClientDocument; freshUntil: number }> {
  const signal = AbortSignal.timeout(patienceMilliseconds);
  const { value, seconds } = await fetchJson(ctx, url, { maxBytes: maxDocumentBytes, signal });
  const { keys, ...document } = readDocument(url, value);
  const set =
    keys && ("set" in keys ? keys.set : (await fetchJson(ctx, keys.at, { maxBytes: maxKeyBytes, signal })).value);
  const jwks = keys && checkedKeys(set);
  return { document: { ...document, jwks }, freshUntil: ctx.clock() + seconds * second };
}

function checkedKeys(set: unknown): JwkSet {
  try {
    return checkedJwks(set);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new DocumentProblem(error.details);
  }
}

async function fetchJson(
  ctx: Context,
  url: string,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
): Promise<{ value: unknown; seconds: number }> {
  try {
    const { agent, send } = await connections(ctx).open();
    const headers = { accept: "application/json", "accept-encoding": "identity", "user-agent": "authsvc-documents" };
    const answer = await send(url, { headers, dispatcher: agent, signal });
    const { statusCode: status } = answer;
    const header = (name: string): string => [answer.headers[name] ?? ""].flat().join(", ");
    if (status !== 200) {
      // Destroying it would be an error event that nobody handles.
      void answer.body.dump({ limit: maxBytes }).catch(() => {});
      throw new DocumentProblem(`status ${status}`, { passes: status === 429 || status >= 500 });
    }
    const text = await bounded(answer.body, maxBytes);
    if (!jsonType.test(header("content-type"))) throw new DocumentProblem("its type is not application/json");
    const cache = { cacheControl: header("cache-control"), age: header("age"), expires: header("expires") };
    return { value: parsed(text), seconds: freshSeconds(cache, ctx.clock()) };
  } catch (error) {
    if (error instanceof DocumentProblem) throw error;
    const reason = signal.aborted ? `no answer within ${patienceMilliseconds / second} s` : reasonOf(error);
    throw new DocumentProblem(reason, { passes: true });
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
