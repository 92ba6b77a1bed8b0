/** Where people enter the code of their device (RFC 8628 §3.3). */
export function deviceAddress(baseUrl: string): string {
  return `${baseUrl}/device`;
}

/** The browser's next address after the decision, with `error` if nothing was allowed. */
export function deviceEndAddress(baseUrl: string, appId: string): string {
  return `${deviceAddress(baseUrl)}/end?app_id=${encodeURIComponent(appId)}`;
}
