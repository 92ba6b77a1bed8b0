/** The public keys of other issuers, found by their discovery documents (Discovery 1.0 §4). */
import { LRUCache } from "lru-cache";
import { hour, minute, second } from "../../../lib/clock.ts";
import {
  documentPatience,
  DocumentProblem,
  openDocumentConnections,
  readJson,
} from "../../../records/webhooks/documents.ts";
import { policyOf, targetProblem } from "../../../records/webhooks/target.ts";
import { part, type Context } from "../../../runtime/context.ts";

export type IssuerKeys = Record<string, unknown>[];

/** After that they are read again; a key that the issuer withdrew works until then. */
const freshFor = 10 * minute;
/** How long they are used if the issuer does not answer. */
const usableFor = hour;
/** The minimum pause between two attempts. */
const pause = 10 * second;
const maxIssuers = 1000;
const maxBytes = 256 * 1024;

type Known = {
  keys: IssuerKeys | undefined;
  readAt: number;
  triedAt: number;
  problem: string;
  reading: Promise<void> | undefined;
};

export const connections = part(
  (ctx: Context) => openDocumentConnections(policyOf(ctx)),
  (made) => made.close(),
);

const knownIssuers = part(() => new LRUCache<string, Known>({ max: maxIssuers }));

/** Why keys cannot be read from an address; undefined if they can: the rules of webhooks. */
function addressProblem(ctx: Context, url: string): string | undefined {
  return targetProblem(url, policyOf(ctx));
}

/**
 * The keys of an issuer. `lacksKey`: a token names a key that is not among them, so they may have
 * changed. Concurrent calls share one reading.
 */
export async function keysOf(
  ctx: Context,
  issuer: string,
  { lacksKey = false }: { lacksKey?: boolean } = {},
): Promise<IssuerKeys | { reason: string }> {
  const known = knownIssuer(ctx, issuer);
  const now = ctx.clock();
  const isFresh = known.keys !== undefined && !lacksKey && Math.abs(now - known.readAt) < freshFor;
  if (!isFresh) {
    if (!known.reading && Math.abs(now - known.triedAt) >= pause) known.reading = readAgain(ctx, issuer, known);
    await known.reading;
  }
  if (known.keys && Math.abs(now - known.readAt) < usableFor) return known.keys;
  return { reason: `the issuer's keys cannot be read: ${known.problem}` };
}

function knownIssuer(ctx: Context, issuer: string): Known {
  const never = Number.NEGATIVE_INFINITY;
  const known = knownIssuers(ctx).get(issuer) ?? {
    keys: undefined,
    readAt: never,
    triedAt: never,
    problem: "",
    reading: undefined,
  };
  knownIssuers(ctx).set(issuer, known);
  return known;
}

/** Never throws: the earlier keys stay. */
async function readAgain(ctx: Context, issuer: string, known: Known): Promise<void> {
  known.triedAt = ctx.clock();
  try {
    known.keys = await read(ctx, issuer);
    known.readAt = known.triedAt;
  } catch (error) {
    if (!(error instanceof DocumentProblem)) throw error;
    known.problem = error.message;
    ctx.log.warn("the keys of an issuer that clients trust could not be read", { issuer, reason: error.message });
  } finally {
    known.reading = undefined;
  }
}

/** Why the keys of an issuer cannot be read now; undefined if they can. */
export async function problemOf(ctx: Context, issuer: string): Promise<string | undefined> {
  return await read(ctx, issuer).then(
    () => undefined,
    (error: unknown) => {
      if (!(error instanceof DocumentProblem)) throw error;
      return error.message;
    },
  );
}

/** Throws DocumentProblem. */
async function read(ctx: Context, issuer: string): Promise<IssuerKeys> {
  const address = `${issuer.replace(/\/$/u, "")}/.well-known/openid-configuration`;
  const document = await readAt(ctx, "its discovery document", address);
  // §4.3: a document with another issuer is not valid for this one.
  if (document["issuer"] !== issuer) throw new DocumentProblem("its discovery document names another issuer");
  const jwksUri = document["jwks_uri"];
  if (typeof jwksUri !== "string") throw new DocumentProblem("its discovery document names no keys (jwks_uri)");
  // Over http, an attacker on the network could replace an issuer's keys.
  if (issuer.startsWith("https:") && !jwksUri.startsWith("https:"))
    throw new DocumentProblem("its keys are not at an https address (jwks_uri)");
  const { keys } = await readAt(ctx, "its keys (jwks_uri)", jwksUri);
  if (!Array.isArray(keys) || !keys.every((key) => typeof key === "object" && key !== null && !Array.isArray(key)))
    throw new DocumentProblem("its keys are not a JSON Web Key Set");
  return keys as IssuerKeys;
}

async function readAt(ctx: Context, what: string, url: string): Promise<Record<string, unknown>> {
  const problem = addressProblem(ctx, url);
  try {
    if (problem !== undefined) throw new DocumentProblem(`the address must be ${problem}`);
    const { value } = await readJson(connections(ctx), url, { maxBytes, signal: documentPatience() });
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw new DocumentProblem("not a JSON object");
    return value as Record<string, unknown>;
  } catch (error) {
    throw error instanceof DocumentProblem ? new DocumentProblem(`${what}: ${error.message}`) : error;
  }
}
