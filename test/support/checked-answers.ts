import { Agent, setGlobalDispatcher } from "undici";
import type { createDescription } from "./openapi.ts";

type Description = ReturnType<typeof createDescription>;

let isChecking = false;

/**
 * Holds each answer of the HTTP API that any test gets by fetch against the OpenAPI document: a
 * test that gets another one fails.
 */
export function checkEveryAnswer(): void {
  if (isChecking) return;
  isChecking = true;
  // A service that stops gives open connections another second. Those of `fetch` close before that.
  setGlobalDispatcher(new Agent({ keepAliveTimeout: 20, keepAliveMaxTimeout: 20 }));
  const fetched = globalThis.fetch;
  let description: Description | undefined;
  globalThis.fetch = async (input, init) => {
    const response = await fetched(input, init);
    // Everything that this service answers has one; stand-ins for others do not.
    if (response.headers.get("x-request-id")?.startsWith("req_") !== true) return response;
    // Not with the file: most unit tests ask nobody.
    description ??= (await import("./openapi.ts")).createDescription();
    await check(description, input, init, response.clone());
    return response;
  };
}

async function check(
  description: Description,
  input: string | URL | Request,
  init: RequestInit | undefined,
  answer: Response,
): Promise<void> {
  const method = (init?.method ?? (input instanceof Request ? input.method : "GET")).toUpperCase();
  const { pathname } = new URL(input instanceof Request ? input.url : input);
  const operation = description.operationOf(method, pathname);
  // A browser is shown an error as a page; test/http/contract/routes.test.ts looks at those.
  const isErrorPage = answer.status >= 400 && answer.headers.get("content-type")?.startsWith("text/html") === true;
  if (operation === undefined || isErrorPage) return;
  const text = await answer.text();
  const problem = description.problemOf(operation, answer.status, text === "" ? undefined : JSON.parse(text));
  if (problem !== "")
    throw new Error(`not as described in openapi.json: ${method} ${pathname} answered ${answer.status}: ${problem}`);
}
