const units: [length: number, name: string, short: string][] = [
  [86_400, "day", "d"],
  [3600, "hour", "h"],
  [60, "minute", "min"],
  [1, "second", "s"],
];

/** `3 hours ago`, `in 2 days`. */
export function spanText(secondsAgo: number): string {
  return span(secondsAgo, (amount, name) => `${amount} ${name}${amount === 1 ? "" : "s"}`);
}

/** `3 h ago`, `in 2 d`: for the cells of a table. */
export function shortSpanText(secondsAgo: number): string {
  return span(secondsAgo, (amount, _, short) => `${amount} ${short}`);
}

function span(secondsAgo: number, textOf: (amount: number, name: string, short: string) => string): string {
  const seconds = Math.round(Math.abs(secondsAgo));
  if (seconds === 0) return "now";
  const [length, name, short] = units.find(([size]) => seconds >= (size === 1 ? 1 : 2 * size)) ?? [1, "second", "s"];
  const text = textOf(Math.floor(seconds / length), name, short);
  return secondsAgo >= 0 ? `${text} ago` : `in ${text}`;
}
