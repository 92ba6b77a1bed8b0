import type { App } from "./app.ts";
import type { Application } from "./applications/application.ts";
import {
  addMemberHandler,
  deleteGroupHandler,
  groupHandler,
  groupsOfUserHandler,
  listGroupsHandler,
  listMembersHandler,
  putGroupHandler,
  removeMemberHandler,
} from "./groups/routes.ts";
import { route, type Guard, type Route } from "./http/route.ts";
import { metadataHandler, patchMetadataHandler } from "./users/metadata-routes.ts";

const groupsPath = "/applications/:appId/groups";
const userPath = "/applications/:appId/users/:userId";

/** Groups and metadata, for the server of the application in the path. */
export function groupRoutes(
  { groups, userMetadata }: Pick<App["services"], "groups" | "userMetadata">,
  server: Guard<Application>,
): Route[] {
  return [
    route("GET", groupsPath, server, "userManagement", listGroupsHandler(groups)),
    route("GET", `${groupsPath}/:name`, server, "userManagement", groupHandler(groups)),
    route("PUT", `${groupsPath}/:name`, server, "userManagement", putGroupHandler(groups)),
    route("DELETE", `${groupsPath}/:name`, server, "userManagement", deleteGroupHandler(groups)),
    route("GET", `${groupsPath}/:name/members`, server, "userManagement", listMembersHandler(groups)),
    route("PUT", `${groupsPath}/:name/members/:userId`, server, "userManagement", addMemberHandler(groups)),
    route("DELETE", `${groupsPath}/:name/members/:userId`, server, "userManagement", removeMemberHandler(groups)),
    route("GET", `${userPath}/groups`, server, "userManagement", groupsOfUserHandler(groups)),
    route("GET", `${userPath}/metadata`, server, "userManagement", metadataHandler(userMetadata)),
    route("PATCH", `${userPath}/metadata`, server, "userManagement", patchMetadataHandler(userMetadata)),
  ];
}
