/** Adds parameters to `uri`. Keeps the existing query unchanged; values arrive byte for byte. */
export function withParameters(uri: string, parameters: Record<string, string | null | undefined>): string {
  const pairs = Object.entries(parameters)
    .filter((pair): pair is [string, string] => pair[1] !== null && pair[1] !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  if (pairs.length === 0) return uri;
  const separator = !uri.includes("?") ? "?" : uri.endsWith("?") || uri.endsWith("&") ? "" : "&";
  return `${uri}${separator}${pairs.join("&")}`;
}

/** The URL of an application's account page (docs/spec/decisions.md, 6). */
export function accountAddress(baseUrl: string, appId: string): string {
  return `${baseUrl}/account?app_id=${encodeURIComponent(appId)}`;
}
