/** The file of domains of disposable addresses. Read again when it changes. */
import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { hostname } from "node:os";
import type { Config } from "../../config/config.ts";
import { unreadable } from "../../config/read-text.ts";
import { day, hour } from "../../lib/clock.ts";
import { canonicalDomain } from "../../lib/email.ts";
import { readAtMost } from "../../lib/read-file.ts";
import { part, type Context, type CoreContext } from "../../runtime/context.ts";
import { findMetadata, replaceMetadata } from "../../secrets/store.ts";
import { hostName } from "../settings.ts";
import { isListed } from "./rules.ts";

const maxBytes = 32 * 1024 * 1024;
const fact = "disposable-domains";

/** `problems`: what is wrong with the file, with the numbers of lines; never their text. */
export type DisposableDomains = { domains: ReadonlySet<string>; digest: string; problems: string[] };

const empty: DisposableDomains = { domains: new Set(), digest: "", problems: [] };

/** The first lines that are not domains are named; all of them are left out. */
function parseDomains(text: string): Omit<DisposableDomains, "digest"> {
  const domains = new Set<string>();
  const bad: number[] = [];
  for (const [at, line] of text.split(/\r?\n/u).entries()) {
    const trimmed = line.trim();
    if (trimmed === "" || trimmed.startsWith("#")) continue;
    const domain = canonicalDomain(trimmed);
    if (domain !== undefined && domain.includes(".") && hostName.test(domain)) domains.add(domain);
    else bad.push(at + 1);
  }
  const more = bad.length > 5 ? ` and ${bad.length - 5} more` : "";
  const problems = bad.length === 0 ? [] : [`not a domain: line ${bad.slice(0, 5).join(", ")}${more}`];
  return { domains, problems };
}

/** Reads a file. Throws if it cannot be read. */
function readDisposable(file: string): DisposableDomains {
  const bytes = readAtMost(file, maxBytes);
  const digest = createHash("sha256").update(bytes).digest("base64url");
  return { ...parseDomains(bytes.toString()), digest };
}

/** Throws INVALID_CONFIG if a start could not read the file. */
export function examine({ disposableDomainsFile: file }: Pick<Config, "disposableDomainsFile">): void {
  try {
    if (file !== undefined) readDisposable(file);
  } catch (error) {
    throw unreadable(file ?? "", "disposableDomainsFile", error);
  }
}

/** What the process has read last, and how the file looked then. */
const list = part((_ctx: CoreContext) => ({ now: empty, seen: "" }));

/** The present list. A file that cannot be read leaves the last one. */
export function disposableDomains(ctx: CoreContext): DisposableDomains {
  const file = ctx.config.disposableDomainsFile;
  const state = list(ctx);
  if (file === undefined) return state.now;
  try {
    const { mtimeMs, size, ino } = statSync(file);
    const looks = `${mtimeMs} ${size} ${ino}`;
    if (looks === state.seen) return state.now;
    state.now = readDisposable(file);
    state.seen = looks;
    for (const problem of state.now.problems) ctx.log.warn("disposableDomainsFile has bad lines", { problem });
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    const consequence = state.now.digest === "" ? "no domain is known" : "the last list stays";
    const problem = `it cannot be read (${code}); ${consequence}`;
    if (state.seen !== code) ctx.log.warn("disposableDomainsFile cannot be read", { problem });
    state.seen = code;
    state.now = { ...state.now, problems: [problem] };
  }
  return state.now;
}

export function isDisposable(ctx: CoreContext, domain: string): boolean {
  return isListed(domain, disposableDomains(ctx).domains);
}

type Seen = Record<string, { digest: string; at: number }>;

function seenFrom(text: string | undefined): Seen {
  return text === undefined ? {} : (JSON.parse(text) as Seen);
}

/** Tells the other nodes which list this one has, for `doctor`. */
export async function reportDisposable(ctx: Context): Promise<boolean> {
  if (ctx.config.disposableDomainsFile === undefined) return false;
  const { digest } = disposableDomains(ctx);
  const now = ctx.clock();
  await ctx.storage.write(async (tx) => {
    const others = Object.entries(seenFrom(await findMetadata(tx, fact))).filter(([, { at }]) => at > now - day);
    await replaceMetadata(
      tx,
      fact,
      JSON.stringify({ ...Object.fromEntries(others), [hostname()]: { digest, at: now } }),
    );
  });
  return false;
}

/** The machines that lately had another list than this one. */
export async function othersDisposable(ctx: Context, digest: string): Promise<string[]> {
  const seen = Object.entries(seenFrom(await findMetadata(ctx.storage.reader, fact)));
  const isLate = ({ at }: Seen[string]) => at > ctx.clock() - hour;
  return seen.flatMap(([name, node]) => (name !== hostname() && isLate(node) && node.digest !== digest ? [name] : []));
}
