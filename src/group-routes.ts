import {
  addMemberHandler,
  deleteGroupHandler,
  groupHandler,
  groupsOfUserHandler,
  listGroupsHandler,
  listMembersHandler,
  putGroupHandler,
  removeMemberHandler,
} from "./api/groups.ts";
import { metadataHandler, patchMetadataHandler } from "./api/metadata.ts";
import type { Application } from "./applications/application.ts";
import { route, type Guard, type Route } from "./http/route.ts";

const groupsPath = "/applications/:appId/groups";
const userPath = "/applications/:appId/users/:userId";

/** Groups and metadata, for the server of the application in the path. */
export function groupRoutes(server: Guard<Application>): Route[] {
  return [
    route("GET", groupsPath, server, "userManagement", listGroupsHandler),
    route("GET", `${groupsPath}/:name`, server, "userManagement", groupHandler),
    route("PUT", `${groupsPath}/:name`, server, "userManagement", putGroupHandler),
    route("DELETE", `${groupsPath}/:name`, server, "userManagement", deleteGroupHandler),
    route("GET", `${groupsPath}/:name/members`, server, "userManagement", listMembersHandler),
    route("PUT", `${groupsPath}/:name/members/:userId`, server, "userManagement", addMemberHandler),
    route("DELETE", `${groupsPath}/:name/members/:userId`, server, "userManagement", removeMemberHandler),
    route("GET", `${userPath}/groups`, server, "userManagement", groupsOfUserHandler),
    route("GET", `${userPath}/metadata`, server, "userManagement", metadataHandler),
    route("PATCH", `${userPath}/metadata`, server, "userManagement", patchMetadataHandler),
  ];
}
