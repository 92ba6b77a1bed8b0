import { connectionFailure } from "../../lib/connection-failures.ts";
import type { Context } from "../../runtime/context.ts";

/**
 * Requests to providers: 10 s in total, at most 1 MiB, no redirects (which could send our secret
 * elsewhere).
 */
export type ProviderFetch = (call: Call, address: string, init?: RequestInit, patience?: number) => Promise<Fetched>;

/** The kinds of requests to a provider, as failures name them. */
export type Call = "discovery" | "token endpoint" | "keys" | "userinfo" | "GitHub's /user/emails";

export type Fetched = { call: Call; status: number; text: string; type: string };

const maxBytes = 1024 * 1024;
export const patienceMilliseconds = 10_000;

/**
 * A failure of a provider, logged with its reason but never shown. The reason contains nothing from
 * the provider except registered error codes.
 */
export class ProviderFailure extends Error {
  constructor(reason: string, cause?: unknown) {
    const code = codeOf(cause);
    super(code === undefined ? reason : `${reason} (${code})`, { cause });
    this.name = "ProviderFailure";
  }
}

export async function fetchProvider(
  ctx: Context,
  call: Call,
  address: string,
  init: RequestInit = {},
  patience = patienceMilliseconds,
): Promise<Fetched> {
  try {
    const signal = AbortSignal.timeout(patience);
    const response = await ctx.fetch(address, { ...init, redirect: "error", signal });
    const type = response.headers.get("content-type") ?? "";
    return { call, status: response.status, text: await readBounded(response.body ?? [], call), type };
  } catch (error) {
    if (error instanceof ProviderFailure) throw error;
    const isLate = (error as Error).name === "TimeoutError";
    const failure = connectionFailure(codeOf(error) ?? "") ?? "the request failed";
    throw new ProviderFailure(`${call}: ${isLate ? `no response within ${patience / 1000} s` : failure}`, error);
  }
}

/** The stable error code of a library or the system, such as ENOTFOUND or ERR_JWT_EXPIRED. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = "code" in error ? error.code : undefined;
  return typeof code === "string" && /^[A-Z][A-Z0-9_]{2,63}$/u.test(code) ? code : codeOf(error.cause);
}

/**
 * Error codes of RFC 6749 §5.2 and further ones that providers registered: what an operator needs
 * to fix a configuration.
 */
const tokenErrors = [
  "invalid_request",
  "invalid_client",
  "invalid_grant",
  "unauthorized_client",
  "unsupported_grant_type",
  "invalid_scope",
  "redirect_uri_mismatch",
  "incorrect_client_credentials",
  "bad_verification_code",
];

function errorWordIn(text: string): string {
  return tokenErrors.find((word) => text.includes(`"${word}"`)) ?? "";
}

/** The JSON object of an answer with status 200. Throws ProviderFailure. */
export function jsonObject({ call, status, text }: Omit<Fetched, "type">): Record<string, unknown> {
  if (status !== 200) throw new ProviderFailure(`${call}: status ${status} ${errorWordIn(text)}`.trim());
  const value = parsed(call, text);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new ProviderFailure(`${call}: not a JSON object`);
  return value as Record<string, unknown>;
}

/** A JSON array, which GitHub uses for addresses. Throws ProviderFailure. */
export function jsonArray({ call, status, text }: Fetched): unknown[] {
  if (status !== 200) throw new ProviderFailure(`${call}: status ${status}`);
  const value = parsed(call, text);
  if (!Array.isArray(value)) throw new ProviderFailure(`${call}: not a JSON array`);
  return value;
}

function parsed(call: Call, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ProviderFailure(`${call}: not JSON`);
  }
}

/** Throws ProviderFailure for more than 1 MiB. */
export async function readBounded(body: AsyncIterable<Uint8Array> | Uint8Array[], call: Call): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw new ProviderFailure(`${call}: the response is larger than 1 MiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
