import * as methods from "../credentials/methods/service.ts";
import { json } from "../http/answer.ts";
import { sourceOf, type HttpRequest } from "../http/request.ts";
import type { Context } from "../runtime/context.ts";
import type { Bearer } from "../tokens/authentication.ts";

/** GET /users/auth-methods */
export async function listMethodsHandler(ctx: Context, _request: HttpRequest, { user, scopes }: Bearer) {
  return json({ methods: await methods.answersFor(ctx, user.id, scopes) });
}

/** DELETE /users/auth-methods/{methodId} */
export async function removeMethodHandler(ctx: Context, request: HttpRequest, { user, claims }: Bearer) {
  const by = { actor: { kind: "user", name: user.id } as const, source: sourceOf(request) };
  await methods.remove(ctx, user.id, request.parameter("methodId"), by, { keep: { login: claims.sid } });
  return json({ success: true, message: "The sign-in method was removed." });
}
