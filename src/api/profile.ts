import { z } from "zod";
import { json } from "../http/answer.ts";
import { sourceOf, type HttpRequest } from "../http/request.ts";
import type { Context } from "../runtime/context.ts";
import type { Bearer } from "../tokens/authentication.ts";
import * as profiles from "../users/profile.ts";
import * as users from "../users/service.ts";

export const profileBody = z.strictObject({
  name: z.string("must be a string").optional(),
  picture: z.string("must be a string or null").nullable().optional(),
});

/** GET /api/user */
export async function currentUserHandler(ctx: Context, _request: HttpRequest, { user, scopes }: Bearer) {
  return json(await users.get(ctx, user.id, scopes));
}

/** GET /users/profile */
export async function profileHandler(ctx: Context, _request: HttpRequest, { user, scopes }: Bearer) {
  return json(await profiles.get(ctx, user.id, scopes));
}

/** PATCH /users/profile */
export async function updateProfileHandler(ctx: Context, request: HttpRequest, { user, scopes }: Bearer) {
  const change = await request.json(profileBody);
  return json(await profiles.update(ctx, user.id, change, scopes, byUser(user.id, request)));
}

/** DELETE /users/profile */
export async function deleteProfileHandler(ctx: Context, request: HttpRequest, { user }: Bearer) {
  await profiles.remove(ctx, user.id, byUser(user.id, request));
  return json({ success: true, message: "The account was deleted." });
}

function byUser(userId: string, request: HttpRequest) {
  return { actor: { kind: "user", name: userId } as const, source: sourceOf(request) };
}
