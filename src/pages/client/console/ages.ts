const units: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const zone = zoneFrom(new URLSearchParams(location.search).get("zone"));
const format = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat("en-GB", { ...options, timeZone: zone });
const exact = format({
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  timeZoneName: "short",
});
const byDay = format({ dateStyle: "medium" });

/** The one of the address, or else the browser's. */
function zoneFrom(wanted: string | null): string {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: wanted ?? own }).resolvedOptions().timeZone;
  } catch {
    return own;
  }
}

/** Says how long ago an instant was, and when exactly on hover. */
export function tellAges(within: ParentNode): void {
  for (const element of within.querySelectorAll<HTMLTimeElement>("time[datetime]")) {
    const at = Date.parse(element.dateTime);
    const seconds = (at - Date.now()) / 1000;
    const [unit, length] = units.find(([, each]) => Math.abs(seconds) >= each) ?? ["second", 1];
    element.title = exact.format(at);
    // Older than a month: the date says more.
    const isLongAgo = Math.abs(seconds) > 31 * 86_400;
    element.textContent = isLongAgo ? byDay.format(at) : relative.format(Math.trunc(seconds / length), unit);
  }
}

/** Links of the console keep the zone that the address names. */
export function keepZone(within: ParentNode): void {
  const named = new URLSearchParams(location.search).get("zone");
  if (named === null) return;
  for (const link of within.querySelectorAll<HTMLAnchorElement>('a[href^="/console"]')) {
    const url = new URL(link.href);
    if (url.searchParams.has("zone")) continue;
    url.searchParams.set("zone", named);
    link.href = url.href;
  }
}

/** Of the hours on the page. */
export function tellZone(): void {
  const line = document.querySelector("[data-zone]");
  if (line) line.textContent = `Times are in ${zone.replaceAll("_", " ")}.`;
}
