import {
  createUserHandler,
  deleteUserHandler,
  listUsersHandler,
  logoutUserHandler,
  removeUserMethodHandler,
  updateUserHandler,
  userHandler,
  userMethodsHandler,
} from "./api/users.ts";
import type { Application } from "./applications/application.ts";
import { route, type Guard, type Route } from "./http/route.ts";

/** What an application's server may do with its users. `ownServer`: of the path's application. */
export function userRoutes(ownServer: Guard<Application>): Route[] {
  const all = "/applications/:appId/users";
  const one = `${all}/:userId`;
  const itsMethods = `${one}/auth-methods`;
  const limit = "userManagement";
  return [
    route("GET", all, ownServer, limit, listUsersHandler),
    route("POST", all, ownServer, limit, createUserHandler),
    route("GET", one, ownServer, limit, userHandler),
    route("PATCH", one, ownServer, limit, updateUserHandler),
    route("DELETE", one, ownServer, limit, deleteUserHandler),
    route("POST", `${one}/logout`, ownServer, limit, logoutUserHandler),
    route("GET", itsMethods, ownServer, limit, userMethodsHandler),
    route("DELETE", `${itsMethods}/:methodId`, ownServer, limit, removeUserMethodHandler),
  ];
}
