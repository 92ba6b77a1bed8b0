import { json } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import type { Bearer } from "../tokens/service.ts";
import type { Users } from "./service.ts";

/** GET /api/user */
export function currentUserHandler(users: Users) {
  return async (_request: HttpRequest, { user, scopes }: Bearer) => json(await users.get(user.id, scopes));
}
