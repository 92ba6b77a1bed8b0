import { json } from "../http/answer.ts";
import { clientInfoOf, type HttpRequest } from "../http/request.ts";
import type { Bearer } from "../tokens/authentication.ts";
import type { Methods } from "./service.ts";

/** GET /users/auth-methods */
export function listMethodsHandler(methods: Methods) {
  return async (_request: HttpRequest, { user, scopes }: Bearer) =>
    json({ methods: await methods.answersFor(user.id, scopes) });
}

/** DELETE /users/auth-methods/{methodId} */
export function removeMethodHandler(methods: Methods) {
  return async (request: HttpRequest, { user, claims }: Bearer) => {
    const by = { actor: { kind: "user", name: user.id } as const, clientInfo: clientInfoOf(request) };
    await methods.remove(user.id, request.parameter("methodId"), by, { keep: { login: claims.sid } });
    return json({ success: true, message: "The sign-in method was removed." });
  };
}
