import { json } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import type { ClientCaller } from "../openid/client-guard.ts";
import * as pushedRequests from "../openid/pushed-requests.ts";
import type { Context } from "../runtime/context.ts";

/** POST /oauth2/par */
export async function parHandler(ctx: Context, _request: HttpRequest, { form, ...found }: ClientCaller) {
  return json(await pushedRequests.push(ctx, found, form), 201);
}
