import type { Route } from "../../../src/http/route.ts";
import { formType, requestOf, type Framing, type Input } from "./inputs.ts";
import { renderJson } from "./json-edits.ts";
import { encodeLoosely, type Chosen, type Mangling } from "./values.ts";
import type { Live } from "./world.ts";

const escaped = (name: string, encoded: boolean): string =>
  // What would end the line of the request is never sent as it is: that would be another request.
  encoded ? encodeLoosely(name) : name.replaceAll(/[\0-\x20\x7F#]/gu, "");

/** The bytes of a request, and whether its path matched the route's letter for letter. */
export function bytesOf(route: Route, input: Input, live: Live): { bytes: Buffer; method: string; isPlain: boolean } {
  const method = input.method ?? route.method;
  let at = 0;
  const path = route.path.replaceAll(/:(\w+)/gu, (_, name: string) => {
    const choice = input.parameters[at++];
    return choice && "text" in choice
      ? escaped(choice.text, false).slice(0, 6000)
      : (live.parameters[name] ?? "unknown");
  });
  const pairs: [string, string, boolean][] = [
    ...(input.query.right
      ? Object.entries(live.query).map<[string, string, boolean]>(([name, value]) => [name, value, true])
      : []),
    ...input.query.more,
  ];
  const query = pairs
    .map(([name, value, encoded]) => `${escaped(name, encoded)}=${escaped(value, encoded)}`)
    .join("&")
    .slice(0, 8000);
  const body = bodyOf(route, input, live);
  const lines: [string, string][] = [["host", "localhost"]];
  const add = (name: string, choice: Chosen, right: string | undefined): void => {
    if ("text" in choice) lines.push([name, choice.text]);
    else if ("right" in choice && right !== undefined && right !== "") lines.push([name, right]);
  };
  add("x-service-app-id", input.appId, live.appId);
  add("authorization", input.authorization, live.authorization);
  add("cookie", input.cookie, live.cookie);
  const isForm = input.body.kind === "form" || (input.body.kind === "bytes" && requestOf(route) === undefined);
  if (input.body.kind !== "none") add("content-type", input.contentType, isForm ? formType : "application/json");
  // Whatever a client writes about the length besides is for the tests of raw sockets.
  lines.push(...input.headers);
  const framed = input.body.kind === "none" ? Buffer.alloc(0) : framing(input.framing, body, lines);
  const target = `${path}${input.tail.replace("#", "%23")}${query === "" ? "" : `?${query}`}`;
  const head = `${method} ${target} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value.replaceAll(/[\r\n]/gu, (end) => (end === "\n" ? "" : end))}\r\n`).join("")}\r\n`;
  const isPlain =
    method === route.method && input.tail === "" && input.parameters.every((choice) => !("text" in choice));
  return { bytes: Buffer.concat([Buffer.from(head, isLatin(head) ? "latin1" : "utf8"), framed]), method, isPlain };
}

const isLatin = (value: string): boolean => !/[^\0-\xFF]/u.test(value);

function framing(how: Framing, body: Buffer, lines: [string, string][]): Buffer {
  if (how === "length") {
    lines.push(["content-length", String(body.length)]);
    return body;
  }
  lines.push(["transfer-encoding", "chunked"]);
  const half = Math.ceil(body.length / 2);
  const chunks = [body.subarray(0, half), body.subarray(half)].filter((chunk) => chunk.length > 0);
  return Buffer.concat([
    ...chunks.flatMap((chunk) => [Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n")]),
    Buffer.from("0\r\n\r\n"),
  ]);
}

function bodyOf(route: Route, { body }: Input, live: Live): Buffer {
  if (body.kind === "none") return Buffer.alloc(0);
  if (body.kind === "bytes") return Buffer.from(body.bytes);
  if (body.kind === "json") {
    const example = { ...requestOf(route)?.example, ...pick(live.json, Object.keys(requestOf(route)?.example ?? {})) };
    return mangle(Buffer.from(renderJson(example, body.edits)), body.mangled);
  }
  const fields = [
    ...(body.right ? Object.entries(live.fields).map(([name, value]) => [name, value, true] as const) : []),
    ...body.fields.filter(([name]) => !body.right || !(name in live.fields)),
  ];
  return mangle(
    Buffer.from(
      fields
        .map(([name, value, encoded]) => `${escaped(name, encoded)}=${encoded ? encodeLoosely(value) : value}`)
        .join("&"),
    ),
    body.mangled,
  );
}

function pick(values: Record<string, unknown>, keys: string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([key]) => keys.includes(key)));
}

function mangle(body: Buffer, mangled: Mangling | undefined): Buffer {
  if (!mangled) return body;
  const at = body.length === 0 ? 0 : mangled.at % body.length;
  const put = Buffer.from(mangled.bytes);
  if (mangled.how === "cut") return body.subarray(0, at);
  if (mangled.how === "insert") return Buffer.concat([body.subarray(0, at), put, body.subarray(at)]);
  if (mangled.how === "flip") return Buffer.concat([body.subarray(0, at), put, body.subarray(at + put.length)]);
  if (mangled.how === "utf16") return Buffer.from(body.toString("utf8"), "utf16le");
  if (mangled.how === "bom") return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body]);
  return Buffer.concat([body, body]);
}
