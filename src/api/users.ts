/** POST /applications/{appId}/users */
import { z } from "zod";
import type { Application } from "../applications/application.ts";
import * as invites from "../credentials/mailed/invites.ts";
import * as methods from "../credentials/methods/service.ts";
import { json } from "../http/answer.ts";
import { emptyBody } from "../http/empty-body.ts";
import { refuseUnknownParameters, wholeNumberIn } from "../http/query.ts";
import { byServer, type HttpRequest } from "../http/request.ts";
import { isOnRealDay } from "../lib/clock.ts";
import { invalidRequest } from "../lib/errors.ts";
import type { By } from "../records/audit/audit.ts";
import * as mail from "../records/mail/service.ts";
import type { Context } from "../runtime/context.ts";
import * as userAdministration from "../users/administration.ts";
import { userSorts, userStates } from "../users/list-query.ts";
import * as userListings from "../users/listing.ts";
import * as newUsers from "../users/new-users.ts";
import * as profiles from "../users/profile.ts";

const maxPageSize = 200;
const defaultPageSize = 50;

/** The parameters of GET /applications/{appId}/users. */
export const userListParameters = {
  email: { about: "The user with this email address.", schema: { type: "string", format: "email" } },
  name: {
    about: "The beginning of the name. The case of the letters A to Z does not matter.",
    schema: { type: "string" },
  },
  group: { about: "The name of a group. Its members are ordered by ID.", schema: { type: "string" } },
  state: { about: "Whether the user may sign in.", schema: { type: "string", enum: userStates } },
  createdSince: { about: "Created at this time or later.", schema: { type: "string", format: "date-time" } },
  createdBefore: { about: "Created before this time.", schema: { type: "string", format: "date-time" } },
  lastLoginSince: {
    about: "Last signed in at this time or later.",
    schema: { type: "string", format: "date-time" },
  },
  lastLoginBefore: {
    about: "Last signed in before this time, or never.",
    schema: { type: "string", format: "date-time" },
  },
  sort: {
    about:
      "The order; `-` reverses it. By default: by name if `name` is given, by last sign-in if only `lastLogin…` is given, else by creation.",
    schema: { type: "string", enum: userSorts },
  },
  limit: {
    about: "Maximum number of users on a page.",
    schema: { type: "integer", minimum: 1, maximum: maxPageSize, default: defaultPageSize },
  },
  cursor: { about: "`nextCursor` of the previous page; send the same filters and order.", schema: { type: "string" } },
};

/** The body of POST /applications/{appId}/users. */
export const newUserBody = z.strictObject({
  email: z.string("required, a string"),
  emailVerified: z.boolean("must be a boolean").optional(),
  name: z.string("must be a string").optional(),
  picture: z.string("must be a string").optional(),
  password: z.string("must be a string").optional(),
  invite: z.boolean("must be a boolean").optional(),
});

/** The body of PATCH /applications/{appId}/users/{userId}. */
export const userChangeBody = z.strictObject({
  email: z.string("must be a string").optional(),
  emailVerified: z.boolean("must be a boolean").optional(),
  name: z.string("must be a string or null").nullable().optional(),
  picture: z.string("must be a string or null").nullable().optional(),
  disabled: z.boolean("must be a boolean").optional(),
});

/** GET /applications/{appId}/users */
export async function listUsersHandler(ctx: Context, request: HttpRequest, { id }: Application) {
  const query = request.query();
  refuseUnknownParameters(query, Object.keys(userListParameters));
  const asked = {
    email: query.get("email"),
    name: query.get("name"),
    group: query.get("group"),
    state: query.get("state"),
    createdSince: instantIn(query, "createdSince"),
    createdBefore: instantIn(query, "createdBefore"),
    lastLoginSince: instantIn(query, "lastLoginSince"),
    lastLoginBefore: instantIn(query, "lastLoginBefore"),
    sort: query.get("sort"),
  };
  const limit = wholeNumberIn(query, "limit", { from: 1, to: maxPageSize, missing: defaultPageSize });
  return json(await userListings.page(ctx, id, asked, { cursor: query.get("cursor"), limit }));
}

async function invited(ctx: Context, { email, name, ...rest }: z.infer<typeof newUserBody>, appId: string, by: By) {
  if (Object.keys(rest).length > 1) throw invalidRequest("invite", "only with email and name");
  if (!mail.available(ctx)) throw invalidRequest("invite", "the service has no mail server");
  const invitation = { appId, email, name: name ?? null, locale: null };
  const { userId } = await invites.invite(ctx, invitation, { link: false, dryRun: false }, by);
  const { metadata: _, ...user } = await userAdministration.get(ctx, userId ?? "");
  return user;
}

/** POST /applications/{appId}/users */
export async function createUserHandler(ctx: Context, request: HttpRequest, application: Application) {
  const body = await request.json(newUserBody);
  const by = byServer(request, application);
  if (body.invite === true) return json(await invited(ctx, body, application.id, by), 201);
  const { emailVerified = false, name = null, password, invite: _, ...person } = body;
  const input = { ...person, appId: application.id, emailVerified, name, password };
  return json(await newUsers.create(ctx, input, { dryRun: false }, by), 201);
}

/** PATCH /applications/{appId}/users/{userId} */
export async function updateUserHandler(ctx: Context, request: HttpRequest, application: Application) {
  const change = await request.json(userChangeBody);
  const { id } = await userAdministration.userOf(ctx, application.id, request.parameter("userId"));
  return json(await userAdministration.update(ctx, id, change, { dryRun: false }, byServer(request, application)));
}

/** DELETE /applications/{appId}/users/{userId} */
export async function deleteUserHandler(ctx: Context, request: HttpRequest, application: Application) {
  const { id } = await userAdministration.userOf(ctx, application.id, request.parameter("userId"));
  await profiles.remove(ctx, id, byServer(request, application));
  return json({ success: true, message: "The user was deleted." });
}

/** POST /applications/{appId}/users/{userId}/logout */
export async function logoutUserHandler(ctx: Context, request: HttpRequest, application: Application) {
  // A field that would spare some logins must not be ignored.
  await request.optionalJson(emptyBody);
  const { id } = await userAdministration.userOf(ctx, application.id, request.parameter("userId"));
  return json(await userAdministration.revokeLogins(ctx, id, { dryRun: false }, byServer(request, application)));
}

/** GET /applications/{appId}/users/{userId}/auth-methods */
export async function userMethodsHandler(ctx: Context, request: HttpRequest, application: Application) {
  const { id } = await userAdministration.userOf(ctx, application.id, request.parameter("userId"));
  return json({ methods: await methods.answersFor(ctx, id, ["profile", "email"]) });
}

/** DELETE /applications/{appId}/users/{userId}/auth-methods/{methodId} */
export async function removeUserMethodHandler(ctx: Context, request: HttpRequest, application: Application) {
  const { id } = await userAdministration.userOf(ctx, application.id, request.parameter("userId"));
  await methods.remove(ctx, id, request.parameter("methodId"), byServer(request, application));
  return json({ success: true, message: "The sign-in method was removed." });
}

/** GET /applications/{appId}/users/{userId} */
export async function userHandler(ctx: Context, request: HttpRequest, application: Application) {
  const { id } = await userAdministration.userOf(ctx, application.id, request.parameter("userId"));
  return json(await userAdministration.get(ctx, id));
}

const instantForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/u;

function instantIn(query: Map<string, string>, name: string): number | undefined {
  const text = query.get(name);
  if (text === undefined) return undefined;
  const instant = instantForm.test(text) && isOnRealDay(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(instant)) throw invalidRequest(name, "a time such as 2026-11-20T10:00:00Z");
  return instant;
}
