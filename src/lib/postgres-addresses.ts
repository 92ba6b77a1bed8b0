const parts =
  /^(?<scheme>postgres(?:ql)?:\/\/)(?<user>(?:[^/?#]*@)?)(?<hosts>[^/?#]*)(?<path>[^?#]*)\??(?<query>[^#]*)/u;

/** Modes that node-postgres takes as verify-full, with a warning of its own. */
export const takenAsVerifyFull = ["prefer", "require", "verify-ca"];

/** The same URL with the intended sslmode, so that node-postgres prints no warning. */
export function withMeantSslMode(url: string): string {
  if (/[?&]uselibpqcompat=true/u.test(url)) return url;
  return url.replaceAll(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/gu, "$1verify-full");
}

/**
 * Splits a PostgreSQL URL with several hosts into one URL per host, because node-postgres supports
 * only one. Syntax as in libpq: `postgres://user@a,b:5433/db`, or `?host=a,b&port=5432,5433`.
 * Undefined unless there is one port or one per host.
 * https://www.postgresql.org/docs/18/libpq-connect.html#LIBPQ-MULTIPLE-HOSTS
 */
export function postgresAddresses(url: string): string[] | undefined {
  const { scheme = "", user = "", hosts = "", path = "", query = "" } = parts.exec(url)?.groups ?? {};
  const parameters = new URLSearchParams(query);
  const ports = lastOf(parameters, "port").split(",");
  const named = lastOf(parameters, "host").split(",");
  const count = Math.max(hosts.split(",").length, named.length);
  if (count === 1) return ports.length === 1 ? [url] : undefined;
  if (ports.length > 1 && ports.length !== count) return undefined;
  return Array.from({ length: count }, (_, at) => {
    const own = new URLSearchParams(parameters);
    if (named.length > 1) own.set("host", named[at] ?? "");
    if (ports.length > 1) own.set("port", ports[at] ?? "");
    // A parameter overrides the URL's host.
    const host = named.length > 1 ? "" : hosts.split(",")[at];
    return `${scheme}${user}${host}${path}${own.size === 0 ? "" : `?${own.toString()}`}`;
  });
}

/** Whether a connection must be writable. With several hosts it must: all but one are standbys. */
export function needsPrimary(url: string): boolean {
  const asked = sessionAttributes(url);
  return asked === "read-write" || asked === "primary" || (postgresAddresses(url) ?? []).length > 1;
}

/** The value of `target_session_attrs`; empty if not given. */
export function sessionAttributes(url: string): string {
  return lastOf(new URLSearchParams(parts.exec(url)?.groups?.["query"] ?? ""), "target_session_attrs");
}

/** The schemas that the URL names (`search_path=authsvc`); empty if the role's apply. */
export function searchPath(url: string): string {
  return lastOf(new URLSearchParams(parts.exec(url)?.groups?.["query"] ?? ""), "search_path");
}

/** The files that the URL names: certificates and a key. */
export function postgresFiles(url: string): { name: string; file: string }[] {
  const parameters = new URLSearchParams(parts.exec(url)?.groups?.["query"] ?? "");
  return ["sslrootcert", "sslcert", "sslkey"]
    .map((name) => ({ name, file: lastOf(parameters, name) }))
    .filter(({ file }) => file !== "");
}

/** The last of duplicate parameters wins, as in node-postgres. */
function lastOf(parameters: URLSearchParams, name: string): string {
  return parameters.getAll(name).at(-1) ?? "";
}
