import { withoutBlanks } from "../lib/text.ts";

/**
 * Whether an Accept header prefers text/html to application/json (RFC 9110 §12.5.1). Browser
 * navigation does; fetch, curl and most HTTP clients send the wildcard.
 */
export function prefersHtml(accept: string): boolean {
  const ranges = accept.split(",").map(readRange);
  return qualityOf("text/html", ranges) > qualityOf("application/json", ranges);
}

/** Whether it names text/html, with a weight above 0. */
export function namesHtml(accept: string): boolean {
  return accept
    .split(",")
    .map(readRange)
    .some(({ name, quality }) => name === "text/html" && quality > 0);
}

type MediaRange = { name: string; quality: number };

function readRange(text: string): MediaRange {
  const [name = "", ...parameters] = text.split(";").map((part) => withoutBlanks(part).toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
  const quality = weight === undefined ? 1 : /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/u.test(weight) ? Number(weight) : 0;
  return { name, quality };
}

/** The most specific range wins. */
function qualityOf(type: string, ranges: MediaRange[]): number {
  const [main] = type.split("/", 1);
  for (const name of [type, `${main}/*`, "*/*"]) {
    const range = ranges.find((range) => range.name === name);
    if (range) return range.quality;
  }
  return 0;
}
