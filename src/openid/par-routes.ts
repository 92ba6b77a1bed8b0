import { json } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import type { ClientCaller } from "./client-guard.ts";
import type { PushedRequests } from "./pushed-requests.ts";

/** POST /oauth2/par */
export function parHandler(pushedRequests: PushedRequests) {
  return async (_request: HttpRequest, { form, ...found }: ClientCaller) =>
    json(await pushedRequests.push(found, form), 201);
}
