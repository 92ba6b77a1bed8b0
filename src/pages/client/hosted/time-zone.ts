import { timeZoneCookie } from "../../../lib/time-zone.ts";

/** Tells the service the browser's time zone, for the times on pages and in mails. */
export function tellTimeZone(): void {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  document.cookie = `${timeZoneCookie}=${timeZone}; Path=/; Max-Age=31536000; SameSite=Lax`;
}
