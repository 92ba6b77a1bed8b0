/** Fetches the documents of unregistered clients, and their keys. */
import { second } from "../../lib/clock.ts";
import { AppError } from "../../lib/errors.ts";
import {
  documentPatience,
  DocumentProblem,
  openDocumentConnections,
  readJson,
} from "../../records/webhooks/documents.ts";
import type { TargetPolicy } from "../../records/webhooks/target.ts";
import { part, type Context } from "../../runtime/context.ts";
import { checkedJwks, type JwkSet } from "../clients/jwks.ts";
import { freshSeconds, readDocument, type ClientDocument } from "./document.ts";

const maxDocumentBytes = 5 * 1024;
const maxKeyBytes = 20 * 1024;

const jsonType = /^application\/(?:[\w!#$&^.+-]+\+)?json[ \t]*(?:;|$)/iu;

/** Allowed URLs of documents: only https, in development also http on this machine. */
export function documentPolicy({ isDevelopment, config }: Pick<Context, "isDevelopment" | "config">): TargetPolicy {
  return {
    privateNetworks: isDevelopment || config.clientDocuments.allowPrivateNetworks,
    plainHttp: isDevelopment ? "this-machine" : "none",
  };
}

const setting = "clientDocuments.allowPrivateNetworks";

const connections = part(
  (ctx: Context) => openDocumentConnections({ ...documentPolicy(ctx), setting }),
  (made) => made.close(),
);

/**
 * The document of a URL, and until when it is fresh. Throws DocumentProblem, whose text may be
 * shown to strangers; the log has the reason.
 */
export async function fetchDocument(
  ctx: Context,
  url: string,
): Promise<{ document: ClientDocument; freshUntil: number }> {
  try {
    return await fetchAndRead(ctx, url);
  } catch (error) {
    if (!(error instanceof DocumentProblem)) throw error;
    ctx.log.info("the document of a client cannot be used", { clientId: url, reason: error.message });
    throw forStrangers(ctx, error);
  }
}

/**
 * The same sentence for every failed connection; otherwise strangers could scan our network. If
 * private hosts are allowed, also for every response.
 */
function forStrangers({ isDevelopment, config }: Context, problem: DocumentProblem): DocumentProblem {
  const isOpen = isDevelopment || !(problem.connecting || config.clientDocuments.allowPrivateNetworks);
  return isOpen ? problem : new DocumentProblem("the log of the service says why", { passes: problem.passes });
}

async function fetchAndRead(ctx: Context, url: string): Promise<{ document: ClientDocument; freshUntil: number }> {
  const signal = documentPatience();
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
  limits: { maxBytes: number; signal: AbortSignal },
): Promise<{ value: unknown; seconds: number }> {
  const { value, header } = await readJson(connections(ctx), url, limits);
  if (!jsonType.test(header("content-type"))) throw new DocumentProblem("its type is not application/json");
  const cache = { cacheControl: header("cache-control"), age: header("age"), expires: header("expires") };
  return { value, seconds: freshSeconds(cache, ctx.clock()) };
}
