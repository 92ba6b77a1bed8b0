/**
 * The parts of a User-Agent header that we recognise. Only our own names are returned: the header
 * is untrusted text and never goes into a mail or page.
 */
export type Device = "iPhone" | "iPad" | "Android" | "ChromeOS" | "macOS" | "Windows" | "Linux";

const devices: [RegExp, Device][] = [
  [/iPhone/u, "iPhone"],
  [/iPad/u, "iPad"],
  [/Android/u, "Android"],
  [/CrOS/u, "ChromeOS"],
  [/Macintosh/u, "macOS"],
  [/Windows/u, "Windows"],
  [/Linux/u, "Linux"],
];

/** The order matters: most browsers claim to be Chrome and Safari as well. */
const browsers: [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\//u, "Edge"],
  [/\b(?:OPR|OPT|OPX)\//u, "Opera"],
  [/\bSamsungBrowser\//u, "Samsung Internet"],
  [/\bVivaldi\//u, "Vivaldi"],
  [/\b(?:Firefox|FxiOS)\//u, "Firefox"],
  [/\b(?:Chrome|CriOS|Chromium)\//u, "Chrome"],
  [/\bVersion\/[\d.]+ .*\bSafari\//u, "Safari"],
];

export function deviceOf(userAgent: string): Device | undefined {
  return devices.find(([pattern]) => pattern.test(userAgent))?.[1];
}

export function browserOf(userAgent: string): string | undefined {
  return browsers.find(([pattern]) => pattern.test(userAgent))?.[1];
}
