/**
 * The cookie in which the pages' script stores the browser's time zone, such as "Europe/Berlin". It
 * only decides how times are formatted.
 */
export const timeZoneCookie = "authsvc_time_zone";

/** Whether it is a name that Intl knows. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z0-9_+/-]{1,64}$/u.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
