import type { Application } from "../applications/application.ts";
import { json } from "../http/answer.ts";
import { emptyBody } from "../http/empty-body.ts";
import { refuseUnknownParameters, wholeNumberIn } from "../http/query.ts";
import { byServer, type HttpRequest } from "../http/request.ts";
import { invalidRequest } from "../lib/errors.ts";
import { isId } from "../lib/names.ts";
import type { Context } from "../runtime/context.ts";
import * as groupDeletion from "../users/groups/deletion.ts";
import { checkedGroupName } from "../users/groups/rules.ts";
import * as groups from "../users/groups/service.ts";

const maxPageSize = 200;
const defaultPageSize = 50;

/** The group's name in the path. Throws INVALID_REQUEST if no group can have it. */
function nameOf(request: HttpRequest): string {
  let name: string;
  try {
    name = decodeURIComponent(request.parameter("name"));
  } catch {
    throw invalidRequest("name", "malformed percent-encoding");
  }
  return checkedGroupName(name);
}

/** GET /applications/{appId}/groups */
export async function listGroupsHandler(ctx: Context, _request: HttpRequest, { id }: Application) {
  return json({ groups: await groups.list(ctx, id) });
}

/** PUT /applications/{appId}/groups/{name} */
export async function putGroupHandler(ctx: Context, request: HttpRequest, application: Application) {
  await request.optionalJson(emptyBody);
  const { group } = await groups.create(ctx, application.id, nameOf(request), byServer(request, application));
  return json(group);
}

/** GET /applications/{appId}/groups/{name} */
export async function groupHandler(ctx: Context, request: HttpRequest, { id }: Application) {
  return json(await groups.get(ctx, id, nameOf(request)));
}

/** DELETE /applications/{appId}/groups/{name} */
export async function deleteGroupHandler(ctx: Context, request: HttpRequest, application: Application) {
  await groupDeletion.remove(ctx, application.id, nameOf(request), byServer(request, application));
  return json({ success: true, message: "The group was deleted." });
}

/** GET /applications/{appId}/groups/{name}/members */
export async function listMembersHandler(ctx: Context, request: HttpRequest, { id }: Application) {
  const query = request.query();
  refuseUnknownParameters(query, ["limit", "cursor"]);
  const limit = wholeNumberIn(query, "limit", { from: 1, to: maxPageSize, missing: defaultPageSize });
  const after = query.get("cursor") ?? "";
  if (after !== "" && !isId(after)) throw invalidRequest("cursor", "must be the nextCursor of the previous page");
  return json(await groups.members(ctx, id, nameOf(request), { after, limit }));
}

/** PUT /applications/{appId}/groups/{name}/members/{userId} */
export async function addMemberHandler(ctx: Context, request: HttpRequest, application: Application) {
  await request.optionalJson(emptyBody);
  const userIds = [request.parameter("userId")];
  await groups.add(ctx, application.id, nameOf(request), userIds, byServer(request, application));
  return json({ success: true, message: "The user is a member of the group." });
}

/** DELETE /applications/{appId}/groups/{name}/members/{userId} */
export async function removeMemberHandler(ctx: Context, request: HttpRequest, application: Application) {
  const userIds = [request.parameter("userId")];
  await groups.remove(ctx, application.id, nameOf(request), userIds, byServer(request, application));
  return json({ success: true, message: "The user is not a member of the group." });
}

/** GET /applications/{appId}/users/{userId}/groups */
export async function groupsOfUserHandler(ctx: Context, request: HttpRequest, { id }: Application) {
  return json({ groups: await groups.ofUserIn(ctx, id, request.parameter("userId")) });
}
