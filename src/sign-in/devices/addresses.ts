/** Where people type the code that their device shows (RFC 8628 §3.3). */
export function deviceAddress(baseUrl: string): string {
  return `${baseUrl}/device`;
}

/** Where the browser is sent when the person has decided, with `error` if nothing was allowed. */
export function deviceEndAddress(baseUrl: string, appId: string): string {
  return `${deviceAddress(baseUrl)}/end?app_id=${encodeURIComponent(appId)}`;
}
