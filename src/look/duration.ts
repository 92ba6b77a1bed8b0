/**
 * A waiting time for people: "40 seconds", "4 minutes", "1 hour". Rounded up, so that nobody
 * returns too early. Intl provides the plural forms. Also used by the browser code.
 */
export function waitingTime(seconds: number, lang: string): string {
  const whole = Math.max(1, Math.ceil(seconds));
  if (whole < 60) return inUnit(whole, "second", lang);
  if (whole < 3600) return inUnit(Math.ceil(whole / 60), "minute", lang);
  return inUnit(Math.ceil(whole / 3600), "hour", lang);
}

function inUnit(amount: number, unit: string, lang: string): string {
  return new Intl.NumberFormat(lang, { style: "unit", unit, unitDisplay: "long" }).format(amount);
}
