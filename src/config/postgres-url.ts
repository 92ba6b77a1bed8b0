import { isLoopbackHost } from "../lib/loopback.ts";
import {
  postgresAddresses,
  sessionAttributes,
  takenAsVerifyFull,
  withMeantSslMode,
} from "../lib/postgres-addresses.ts";

/**
 * What is wrong with a PostgreSQL URL, as a phrase to follow its name; undefined if it is valid.
 * Without TLS the network can read the data and sometimes the password, so a remote host needs an
 * explicit sslmode.
 */
export function postgresUrlProblem(url: string): string | undefined {
  if (isAmbiguous(url)) return `is ambiguous: write ${mustBeEncoded} in user, password and database`;
  const addresses = postgresAddresses(url);
  if (addresses === undefined) return "must have one port, or one for each of its hosts";
  const asked = sessionAttributes(url);
  // With one host, "any" equals the default.
  if (!["read-write", "primary", addresses.length === 1 ? "any" : "", ""].includes(asked))
    return `has target_session_attrs=${asked}, but the service writes: use target_session_attrs=read-write`;
  return addresses.map(problemOfAddress).find((problem) => problem !== undefined);
}

/** A phrase for people: characters that a URL must escape. */
const mustBeEncoded = "@ as %40, / as %2F, ? as %3F, # as %23 and % as %25";

/**
 * Whether part of the password could be read as a host, port or database, and be printed with them:
 * an unescaped character would end the user information too early.
 */
function isAmbiguous(url: string): boolean {
  const {
    user = "",
    hosts,
    query = "",
  } = /^postgres(?:ql)?:\/\/(?<user>[^/?#]*@)?(?<hosts>[^/?#@]*)(?:\/[^?#@]*)?(?:\?(?<query>[^#]*))?$/u.exec(url)
    ?.groups ?? {};
  if (hosts === undefined) return true;
  const isHost = (host: string): boolean => /^(?:[^:[\]]*|\[[\da-f:.]*\])(?::\d*)?$/iu.test(host);
  // Users of some clouds are called `name@server`.
  const hasStray = query.split("&").some((part) => part.includes("@") && !/^(?:user|password)=/u.test(part));
  return hasStray || !hosts.split(",").every(isHost) || !isDecodable(user);
}

function isDecodable(user: string): boolean {
  try {
    decodeURIComponent(user.replaceAll(/%(?![\da-f]{2})/giu, "%25"));
    return true;
  } catch {
    return false;
  }
}

/** The sslmode, if it is treated as verify-full (postgres-addresses.ts). */
export function stricterSslMode(url: string): string | undefined {
  if (withMeantSslMode(url) === url) return undefined;
  const modes = (postgresAddresses(url) ?? [url]).map((address) => partsOf(address).sslMode);
  return modes.find((mode) => mode !== undefined && takenAsVerifyFull.includes(mode));
}

/** Names that other programs use for the schema in their URLs. */
export function unknownSchemaParameter(url: string): string | undefined {
  return /[?&](schema|currentSchema)=/u.exec(url)?.[1];
}

/**
 * The remote hosts that the URL connects to without TLS, as a list for people; undefined if there
 * are none.
 */
export function unencryptedHost(url: string): string | undefined {
  const hosts = (postgresAddresses(url) ?? [url])
    .map(partsOf)
    .filter(({ host, sslMode }) => sslMode === "disable" && !isOfThisMachine(host))
    .map(({ host }) => host);
  return hosts.length === 0 ? undefined : hosts.join(" and ");
}

function problemOfAddress(address: string): string | undefined {
  const { host, sslMode } = partsOf(address);
  if (host === "") return "must name a host: postgres://USER@HOST/DATABASE";
  if (isOfThisMachine(host) || sslMode === "verify-full" || sslMode === "disable") return undefined;
  const asked =
    sslMode === undefined ? "has no sslmode" : "has an sslmode that does not verify the server's certificate";
  return `${asked}, and ${host} is another machine: add sslmode=verify-full, or sslmode=disable for no encryption`;
}

/**
 * Parses like node-postgres: a parameter overrides the URL's host, and the last of duplicate
 * parameters wins.
 */
function partsOf(url: string): { host: string; sslMode: string | undefined } {
  // The URL class rejects `postgres://USER@/DATABASE?host=/run/postgresql`, which node-postgres
  // accepts.
  const isUrl = URL.canParse(url);
  const text = isUrl ? url : url.replace("@/", "@none/");
  if (!URL.canParse(text)) return { host: "", sslMode: undefined };
  const { hostname, searchParams } = new URL(text);
  const named = isUrl ? decodeURIComponent(hostname).replace(/^\[(.+)\]$/u, "$1") : "";
  const host = searchParams.getAll("host").at(-1) ?? "";
  return { host: host === "" ? named : host, sslMode: searchParams.getAll("sslmode").at(-1) };
}

/** A path is a Unix socket. */
function isOfThisMachine(host: string): boolean {
  return host.startsWith("/") || isLoopbackHost(host);
}
