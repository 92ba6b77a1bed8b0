const units: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
];
const format = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** Says how long ago an instant was. The instant itself stays as its tooltip. */
export function tellAges(within: ParentNode): void {
  for (const element of within.querySelectorAll<HTMLTimeElement>("time[datetime]")) {
    const seconds = (Date.parse(element.dateTime) - Date.now()) / 1000;
    const [unit, length] = units.find(([, each]) => Math.abs(seconds) >= each) ?? ["second", 1];
    // Older than a month: the date says more.
    if (Math.abs(seconds) > 31 * 86_400) continue;
    element.title = `${element.dateTime.slice(0, 19).replace("T", " ")} UTC`;
    element.textContent = format.format(Math.trunc(seconds / length), unit);
  }
}
