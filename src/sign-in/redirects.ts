/** `uri` with parameters added; the query that it has is kept to the letter, and values arrive byte for byte. */
export function withParameters(uri: string, parameters: Record<string, string | null | undefined>): string {
  const pairs = Object.entries(parameters)
    .filter((pair): pair is [string, string] => pair[1] !== null && pair[1] !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  if (pairs.length === 0) return uri;
  const separator = !uri.includes("?") ? "?" : uri.endsWith("?") || uri.endsWith("&") ? "" : "&";
  return `${uri}${separator}${pairs.join("&")}`;
}

/** Where the account page of an application is (decision 6). */
export function accountAddress(baseUrl: string, appId: string): string {
  return `${baseUrl}/account?app_id=${encodeURIComponent(appId)}`;
}
