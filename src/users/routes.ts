import { z } from "zod";
import { json } from "../http/answer.ts";
import { clientInfoOf, type HttpRequest } from "../http/request.ts";
import type { Bearer } from "../tokens/authentication.ts";
import type { Profiles } from "./profile.ts";
import type { Users } from "./service.ts";

export const profileBody = z.strictObject({
  name: z.string("must be a string").optional(),
  picture: z.string("must be a string or null").nullable().optional(),
});

/** GET /api/user */
export function currentUserHandler(users: Users) {
  return async (_request: HttpRequest, { user, scopes }: Bearer) => json(await users.get(user.id, scopes));
}

/** GET /users/profile */
export function profileHandler(profiles: Profiles) {
  return async (_request: HttpRequest, { user, scopes }: Bearer) => json(await profiles.get(user.id, scopes));
}

/** PATCH /users/profile */
export function updateProfileHandler(profiles: Profiles) {
  return async (request: HttpRequest, { user, scopes }: Bearer) => {
    const change = await request.json(profileBody);
    return json(await profiles.update(user.id, change, scopes, byUser(user.id, request)));
  };
}

/** DELETE /users/profile */
export function deleteProfileHandler(profiles: Profiles) {
  return async (request: HttpRequest, { user }: Bearer) => {
    await profiles.delete(user.id, byUser(user.id, request));
    return json({ success: true, message: "The account was deleted." });
  };
}

function byUser(userId: string, request: HttpRequest) {
  return { actor: { kind: "user", name: userId } as const, clientInfo: clientInfoOf(request) };
}
