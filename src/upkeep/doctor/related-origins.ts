/** Whether browsers find the related origins of an application (docs/decisions/0106). */
import type { Application } from "../../applications/application.ts";
import { maxNames, partyProblem, relatedOriginsFile } from "../../applications/related-origins.ts";
import { connectionFailure } from "../../lib/connection-failures.ts";
import { nameBeforeSuffix } from "../../lib/public-suffixes.ts";
import type { Context } from "../../runtime/context.ts";
import { problem, warning, type Finding } from "./finding.ts";

/** As much as Chrome reads. */
const maxBytes = 256 * 1024;
const patience = 10_000;

/** What a browser gets, or why it gets nothing. */
async function ask(ctx: Context, url: string): Promise<string[] | { problem: string }> {
  try {
    const response = await ctx.fetch(url, {
      credentials: "omit",
      referrerPolicy: "no-referrer",
      signal: AbortSignal.timeout(patience),
    });
    const type = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
    if (!response.url.startsWith("https:")) return { problem: "it redirects to an address without https" };
    if (response.status !== 200) return { problem: `status ${response.status}` };
    if (type !== "application/json") return { problem: "its content type is not application/json" };
    const chunks: Uint8Array[] = [];
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      chunks.push(chunk);
      if (chunks.reduce((size, { length }) => size + length, 0) > maxBytes)
        return { problem: "it is larger than 256 KiB" };
    }
    return originsIn(Buffer.concat(chunks).toString("utf8")) ?? { problem: "it is not JSON with a list of origins" };
  } catch (error) {
    if ((error as Error).name === "TimeoutError") return { problem: `no response within ${patience / 1000} s` };
    const { code = "" } = ((error as Error).cause ?? {}) as { code?: string };
    return { problem: connectionFailure(code) ?? "the request failed" };
  }
}

function originsIn(text: string): string[] | undefined {
  try {
    const { origins } = JSON.parse(text) as { origins?: unknown };
    return Array.isArray(origins) && origins.every((each) => typeof each === "string") ? origins : undefined;
  } catch {
    return undefined;
  }
}

/** WebAuthn §5.11.1: the origins of at most five names count, in the order of the file. */
function isAllowed(origins: string[], wanted: string): boolean {
  const names = new Set<string>();
  return origins.some((each) => {
    const url = URL.canParse(each) ? new URL(each) : undefined;
    const name = url ? nameBeforeSuffix(url.hostname) : null;
    if (name === null || (names.size >= maxNames && !names.has(name))) return false;
    names.add(name);
    return url?.origin === wanted;
  });
}

/** `all`: every application, with the console's. `isQuick`: calls no other server. */
export async function relatedOriginFindings(
  ctx: Context,
  application: Application,
  all: Application[],
  { isQuick = false }: { isQuick?: boolean | undefined },
): Promise<Finding[]> {
  const { id, domain, settings } = application;
  if (!settings.relatedOrigins?.length) return [];
  const wrong = partyProblem(ctx, application, all);
  if (wrong !== undefined)
    return [
      problem(
        "passkeys",
        `The related origins of ${id} are not allowed: ${wrong}.`,
        `authsvc app update ${id} --domain HOST --relying-party-id HOST`,
      ),
    ];
  const wanted = relatedOriginsFile(ctx, application)?.origins ?? [];
  const { hostname, protocol } = new URL(ctx.baseUrl);
  if (isQuick || (domain === hostname && protocol === "http:")) return [];
  const url = `https://${domain}/.well-known/webauthn`;
  const found = await ask(ctx, url);
  const fix = `serve the file there that this prints: authsvc app show ${id}`;
  if (!Array.isArray(found))
    return [warning("passkeys", `Browsers cannot read ${url}, which ${id} needs: ${found.problem}.`, fix)];
  const missing = wanted.filter((origin) => !isAllowed(found, origin));
  if (missing.length > 0)
    return [warning("passkeys", `${url} does not allow origins of ${id}: ${missing.join(", ")}.`, fix)];
  const others = found.filter((origin) => !wanted.includes(origin));
  return others.length === 0
    ? []
    : [warning("passkeys", `${url} allows origins that ${id} does not have: ${others.length}.`, fix)];
}
