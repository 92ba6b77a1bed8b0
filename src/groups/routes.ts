import type { Application } from "../applications/application.ts";
import { json } from "../http/answer.ts";
import { emptyBody } from "../http/empty-body.ts";
import { clientInfoOf, type HttpRequest } from "../http/request.ts";
import { invalidRequest } from "../lib/errors.ts";
import { checkedGroupName, type GroupCall } from "./rules.ts";
import type { Groups } from "./service.ts";

const maxMembersOfPage = 200;
const membersOfPage = 50;
const userIdForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/u;

function callOf(request: HttpRequest, { id }: Application): GroupCall {
  return { actor: { kind: "app", name: id }, clientInfo: clientInfoOf(request) };
}

/** The group in the path. Throws INVALID_REQUEST for what cannot be a name. */
function nameOf(request: HttpRequest): string {
  let name: string;
  try {
    name = decodeURIComponent(request.parameter("name"));
  } catch {
    throw invalidRequest("name: malformed percent-encoding");
  }
  return checkedGroupName(name);
}

/** GET /applications/{appId}/groups */
export function listGroupsHandler(groups: Groups) {
  return async (_request: HttpRequest, { id }: Application) => json({ groups: await groups.list(id) });
}

/** PUT /applications/{appId}/groups/{name} */
export function putGroupHandler(groups: Groups) {
  return async (request: HttpRequest, application: Application) => {
    await request.optionalJson(emptyBody);
    const { group } = await groups.create(application.id, nameOf(request), callOf(request, application));
    return json(group);
  };
}

/** GET /applications/{appId}/groups/{name} */
export function groupHandler(groups: Groups) {
  return async (request: HttpRequest, { id }: Application) => json(await groups.get(id, nameOf(request)));
}

/** DELETE /applications/{appId}/groups/{name} */
export function deleteGroupHandler(groups: Groups) {
  return async (request: HttpRequest, application: Application) => {
    await groups.delete(application.id, nameOf(request), callOf(request, application));
    return json({ success: true, message: "The group was deleted." });
  };
}

/** GET /applications/{appId}/groups/{name}/members */
export function listMembersHandler(groups: Groups) {
  return async (request: HttpRequest, { id }: Application) => {
    const query = request.query();
    const unknown = [...query.keys()].find((key) => key !== "limit" && key !== "cursor");
    if (unknown !== undefined) throw invalidRequest("query: only limit and cursor");
    const limit = query.get("limit") ?? String(membersOfPage);
    if (!/^\d{1,3}$/u.test(limit) || Number(limit) < 1 || Number(limit) > maxMembersOfPage)
      throw invalidRequest(`limit: a whole number from 1 to ${maxMembersOfPage}`);
    const after = query.get("cursor") ?? "";
    if (after !== "" && !userIdForm.test(after)) throw invalidRequest("cursor: the nextCursor of the page before");
    return json(await groups.members(id, nameOf(request), { after, limit: Number(limit) }));
  };
}

/** PUT /applications/{appId}/groups/{name}/members/{userId} */
export function addMemberHandler(groups: Groups) {
  return async (request: HttpRequest, application: Application) => {
    await request.optionalJson(emptyBody);
    const userIds = [request.parameter("userId")];
    await groups.add(application.id, nameOf(request), userIds, callOf(request, application));
    return json({ success: true, message: "The user is a member of the group." });
  };
}

/** DELETE /applications/{appId}/groups/{name}/members/{userId} */
export function removeMemberHandler(groups: Groups) {
  return async (request: HttpRequest, application: Application) => {
    const userIds = [request.parameter("userId")];
    await groups.remove(application.id, nameOf(request), userIds, callOf(request, application));
    return json({ success: true, message: "The user is not a member of the group." });
  };
}

/** GET /applications/{appId}/users/{userId}/groups */
export function groupsOfUserHandler(groups: Groups) {
  return async (request: HttpRequest, { id }: Application) =>
    json({ groups: await groups.ofUserIn(id, request.parameter("userId")) });
}
