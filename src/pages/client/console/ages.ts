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

const hourFormats = [
  [/\d+ \w{3} \d{4}, [\d:]+/u, { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" }],
  [/\w{3} [\d:]{5}/u, { weekday: "short", hour: "2-digit", minute: "2-digit" }],
  [/[\d:]{5}/u, { hour: "2-digit", minute: "2-digit" }],
] as const;

/** Hours of charts, which are UTC without a script. */
export function tellHours(within: ParentNode): void {
  for (const element of within.querySelectorAll<HTMLElement | SVGElement>("[data-hour]")) {
    const text = element.textContent ?? "";
    const [form, options] = hourFormats.find(([each]) => each.test(text)) ?? [];
    const at = Date.parse(element.dataset["hour"] ?? "");
    if (form && options)
      element.textContent = text.replace(
        form,
        format(options)
          .format(at)
          .replace(/^(\w{3}),/u, "$1"),
      );
  }
}

/** Fields for an hour take the zone's; what is sent is UTC, as without a script. */
export function takeHours(): void {
  for (const label of document.querySelectorAll("[data-utc]")) label.remove();
  for (const field of document.querySelectorAll<HTMLInputElement>('input[type="datetime-local"]')) {
    const sent = document.createElement("input");
    [sent.type, sent.name, sent.value] = ["hidden", field.name, field.value];
    field.removeAttribute("name");
    field.after(sent);
    if (sent.value !== "") field.value = inZone(Date.parse(`${sent.value}Z`));
    field.addEventListener("change", () => {
      const wall = Date.parse(`${field.value}Z`);
      // Twice: the first guess may be on the other side of a clock change.
      let at = wall;
      for (let turn = 0; turn < 2 && field.value !== ""; turn += 1) at += wall - Date.parse(`${inZone(at)}Z`);
      sent.value = field.value === "" ? "" : new Date(at).toISOString().slice(0, 16);
    });
  }
}

/** As such a field has it: "2026-11-20T14:00". */
function inZone(at: number): string {
  const options = { dateStyle: "short", timeStyle: "short", timeZone: zone } as const;
  return new Intl.DateTimeFormat("sv", options).format(at).replace(" ", "T");
}

/** Of the hours on the page. */
export function tellZone(): void {
  const line = document.querySelector("[data-zone]");
  if (line) line.textContent = `Times are in ${zone.replaceAll("_", " ")}.`;
}
