/** Fetches the documents of clients that nobody registered, and their keys. */
import { second } from "../../lib/clock.ts";
import { AppError } from "../../lib/errors.ts";
import { documentConnections, documentPatience, DocumentProblem, readJson } from "../../records/webhooks/documents.ts";
import { policyOf, type TargetPolicy } from "../../records/webhooks/target.ts";
import type { Context } from "../../runtime/context.ts";
import { checkedJwks, type JwkSet } from "../clients/jwks.ts";
import { freshSeconds, readDocument, type ClientDocument } from "./document.ts";

const maxDocumentBytes = 5 * 1024;
const maxKeyBytes = 20 * 1024;

const jsonType = /^application\/(?:[\w!#$&^.+-]+\+)?json[ \t]*(?:;|$)/iu;

/** Where documents may be: https alone, in development also http on this machine. */
export function documentPolicy(ctx: Pick<Context, "isDevelopment" | "config">): TargetPolicy {
  return { ...policyOf(ctx), plainHttp: ctx.isDevelopment ? "this-machine" : "none" };
}

/** The document of a URL, and until when it is fresh. Throws DocumentProblem. */
export async function fetchDocument(
  ctx: Context,
  url: string,
): Promise<{ document: ClientDocument; freshUntil: number }> {
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
  const { value, header } = await readJson(documentConnections(ctx), url, limits);
  if (!jsonType.test(header("content-type"))) throw new DocumentProblem("its type is not application/json");
  const cache = { cacheControl: header("cache-control"), age: header("age"), expires: header("expires") };
  return { value, seconds: freshSeconds(cache, ctx.clock()) };
}
