/** The URL of an application's account page (docs/spec/decisions.md, 6). */
export function accountAddress(baseUrl: string, appId: string): string {
  return `${baseUrl}/account?app_id=${encodeURIComponent(appId)}`;
}
