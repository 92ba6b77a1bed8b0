import * as openApi from "../../src/api/openapi/document.ts";
import { apiRoutes } from "../../src/api/routes.ts";
import type { Route } from "../../src/http/route.ts";

/** Every call of the HTTP API: its line of the table, with what the document says about it. */
export const operations = apiRoutes.map(({ operation, ...line }) => ({
  ...line,
  ...operation,
  access: line.guard.access,
}));

/** The OpenAPI document of all of them. */
export function openApiDocument(baseUrl: string) {
  return openApi.openApiDocument(apiRoutes, baseUrl);
}

/**
 * Who the documentation says may call a route; undefined for those that only our own pages call.
 */
export function accessOf({ method, path }: Pick<Route, "method" | "path">) {
  return operations.find((operation) => operation.method === method && operation.path === path)?.access;
}

/**
 * The address of a route: its parameters replaced by `values`, and by something unknown where there
 * is none.
 */
export function addressOf({ path }: Pick<Route, "path">, values: Record<string, string> = {}): string {
  return path.replaceAll(/:(\w+)/gu, (_, name: string) => values[name] ?? `${name}-unknown`);
}
