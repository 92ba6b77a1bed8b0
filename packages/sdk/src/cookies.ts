import { sha256, toBase64Url } from "./encoding.ts";
import { configurationError } from "./settings.ts";

/** Browsers keep 4,096 bytes of a cookie, with its name and attributes. */
const maxPart = 3500;
/** Servers accept about 16 KB of headers. */
const maxParts = 3;

export type Cookies = Awaited<ReturnType<typeof createCookies>>;

/**
 * Browsers send a cookie to all ports of its host: a part of the name tells applications apart. The
 * prefix `__Host-` is refused on http, which is for this machine only.
 */
export async function createCookies(appId: string, origin: string) {
  const isSecure = origin.startsWith("https:");
  const tag = toBase64Url(await sha256(`${appId} ${origin}`)).slice(0, 8);
  const prefix = `${isSecure ? "__Host-" : ""}authsvc-${tag}-`;

  function line(name: string, value: string, maxAgeSeconds: number): string {
    return `${prefix}${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${isSecure ? "; Secure" : ""}`;
  }

  return {
    /** The request's cookies that have the prefix, by name without it. */
    read(header: string | null): Map<string, string> {
      const ours = [...parseCookies(header ?? "")].filter(([name]) => name.startsWith(prefix));
      return new Map(ours.map(([name, value]) => [name.slice(prefix.length), value]));
    },

    line,

    clear: (name: string): string => line(name, "", 0),

    /** Splits a value into as many cookies as it needs; the first begins with their number. */
    split(name: string, value: string, maxAgeSeconds: number, present: Map<string, string>): string[] {
      const count = Math.ceil(value.length / maxPart);
      if (count > maxParts)
        throw configurationError(
          `The session is too large for cookies (${value.length} bytes): reduce the claims of access tokens with authsvc app update --claims.`,
        );
      const parts = Array.from({ length: count }, (_, index) => value.slice(index * maxPart, (index + 1) * maxPart));
      const lines = parts.map((part, index) =>
        line(partName(name, index), index === 0 ? `${count}.${part}` : part, maxAgeSeconds),
      );
      for (let index = count; index < maxParts; index += 1)
        if (present.has(partName(name, index))) lines.push(line(partName(name, index), "", 0));
      return lines;
    },

    join(name: string, present: Map<string, string>): string | undefined {
      const [count = "", first] = (present.get(name) ?? "").split(".");
      if (first === undefined || !(Number(count) <= maxParts)) return undefined;
      let value = first;
      for (let index = 1; index < Number(count); index += 1) value += present.get(partName(name, index)) ?? "";
      return value;
    },

    clearParts(name: string, present: Map<string, string>): string[] {
      const names = Array.from({ length: maxParts }, (_, index) => partName(name, index));
      return names.filter((each) => present.has(each)).map((each) => line(each, "", 0));
    },
  };
}

function partName(name: string, index: number): string {
  return index === 0 ? name : `${name}.${index}`;
}

/**
 * The cookies of a header, in its order. Only space and tab surround a name or value: to a browser,
 * a name that begins with any other byte has no `__Host-` prefix. A name that comes twice counts as
 * none, because one of the two may be another host's.
 */
export function parseCookies(header: string): Map<string, string> {
  const cookies = new Map<string, string>();
  const repeated = new Set<string>();
  for (const pair of header.split(";")) {
    const separator = pair.indexOf("=");
    if (separator === -1) continue;
    const name = withoutBlanks(pair.slice(0, separator));
    if (cookies.has(name)) repeated.add(name);
    cookies.set(name, withoutBlanks(pair.slice(separator + 1)));
  }
  for (const name of repeated) cookies.delete(name);
  return cookies;
}

/** `trim()` also removes byte 0xA0, and a regular expression takes quadratic time. */
function withoutBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text[start])) start += 1;
  while (end > start && isBlank(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

function isBlank(character: string | undefined): boolean {
  return character === " " || character === "\t";
}
