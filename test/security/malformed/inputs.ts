import * as fc from "fast-check";
import type { Arbitrary } from "fast-check";
import type { Body } from "../../../src/api/operation.ts";
import type { Route } from "../../../src/http/route.ts";
import { operations } from "../../support/routes.ts";
import type { Edit } from "./json-edits.ts";
import {
  anyText,
  ascii,
  boolean,
  bytes,
  canary,
  chosen,
  credential,
  encodeLoosely,
  formNames,
  headers,
  headerText,
  jsonLeaf,
  mangling,
  nasty,
  queryNames,
  sometimes,
  text,
  type Chosen,
  type Mangling,
} from "./values.ts";

export type Framing = "length" | "chunked";

/**
 * One request, but for what is alive only when it is sent. `routeIndex` is into the table of
 * routes.
 */
export type Input = {
  routeIndex: number;
  method: string | undefined;
  parameters: Chosen[];
  tail: string;
  appId: Chosen;
  authorization: Chosen;
  cookie: Chosen;
  /** Names and values as they are, or percent-encoded. */
  query: { right: boolean; more: [name: string, value: string, encoded: boolean][] };
  contentType: Chosen;
  headers: [name: string, value: string][];
  body:
    | { kind: "none" }
    | { kind: "json"; edits: Edit[]; mangled: Mangling | undefined }
    | {
        kind: "form";
        right: boolean;
        fields: [name: string, value: string, encoded: boolean][];
        mangled: Mangling | undefined;
      }
    | { kind: "bytes"; bytes: Uint8Array };
  framing: Framing;
};

export const formType = "application/x-www-form-urlencoded";

/**
 * Requests to these routes. Each is well-formed here and malformed there, so that it gets as far as
 * possible.
 */
export function inputsFor(routes: Route[]): Arbitrary<Input> {
  return fc.oneof(...routes.map((route, routeIndex) => inputFor(route, routeIndex)));
}

function inputFor(route: Route, routeIndex: number): Arbitrary<Input> {
  const names = [...route.path.matchAll(/:\w+/gu)];
  const fieldKeys = Object.keys(requestOf(route)?.fields ?? {});
  const segment = fc.oneof(
    text.map((value) => encodeLoosely(value)),
    fc.constantFrom(...nasty),
    ascii,
  );
  const pair = (known: string[]): Arbitrary<[string, string, boolean]> =>
    fc.tuple(
      fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: anyText }),
      text,
      boolean(5),
    );
  const edit: Arbitrary<Edit> = fc.record({
    at: fc.nat(8),
    how: fc.constantFrom("replace", "replace", "replace", "drop", "wrap", "extra", "twice"),
    json: jsonLeaf,
    key: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom("__proto__", "extra", "", ...fieldKeys) },
      { weight: 1, arbitrary: anyText },
    ),
  });
  const json = fc.record({
    kind: fc.constant("json" as const),
    edits: fc.array(edit, { maxLength: 3 }),
    mangled: sometimes(mangling),
  });
  const form = fc.record({
    kind: fc.constant("form" as const),
    right: boolean(6),
    fields: fc.uniqueArray(pair(formNames), { maxLength: 5, selector: ([name]) => name }),
    mangled: sometimes(mangling),
  });
  const raw = fc.record({ kind: fc.constant("bytes" as const), bytes });
  const none = fc.constant({ kind: "none" as const });
  return fc.record<Input>({
    routeIndex: fc.constant(routeIndex),
    method: fc.oneof(
      { weight: 15, arbitrary: fc.constant(undefined) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          "GET",
          "HEAD",
          "POST",
          "PUT",
          "PATCH",
          "DELETE",
          "OPTIONS",
          "TRACE",
          "PURGE",
          "QUERY",
        ),
      },
    ),
    parameters: fc.tuple(...names.map(() => chosen(5, segment))),
    tail: fc.oneof(
      { weight: 20, arbitrary: fc.constant("") },
      { weight: 1, arbitrary: fc.constantFrom("/", "//", "/x", "%2f", "/.", "/..", ";a=b", "%", "%00", "#a") },
    ),
    appId: chosen(6, headerText),
    authorization: chosen(6, credential),
    cookie: chosen(8, headerText),
    query: fc.record({
      right: boolean(5),
      more: fc.array(pair(queryNames), { maxLength: 2 }).map((more) => more.slice(route.method === "GET" ? 0 : 1)),
    }),
    contentType: chosen(
      12,
      fc.constantFrom(
        "text/plain",
        "application/json; charset=utf-16",
        "application/xml",
        "multipart/form-data; boundary=x",
        "application/json, text/html",
        formType,
        "application/json",
        "",
        ";",
        "x".repeat(500),
        `"'><${canary}>`,
      ),
    ),
    headers: fc.array(headers, { maxLength: 2 }),
    body:
      route.method === "GET"
        ? fc.oneof({ weight: 8, arbitrary: none }, raw)
        : fc.oneof({ weight: 10, arbitrary: requestOf(route) ? json : form }, raw, none),
    framing: fc.constantFrom("length", "length", "chunked"),
  });
}

/** The body that a route is documented to take. */
export function requestOf(route: Route): Body | undefined {
  return operations.find(({ method, path }) => method === route.method && path === route.path)?.body;
}
