import type { App } from "./app.ts";
import { route, type Guard, type Route } from "./http/route.ts";
import type { Application } from "./applications/application.ts";
import {
  createUserHandler,
  deleteUserHandler,
  listUsersHandler,
  logoutUserHandler,
  removeUserMethodHandler,
  updateUserHandler,
  userHandler,
  userMethodsHandler,
} from "./users/administration-routes.ts";

/** What an application's server may do with its users. `ownServer`: of the path's application. */
export function userRoutes(
  { userListings, newUsers, userAdministration: users, profiles, methods, invites }: App["services"],
  ownServer: Guard<Application>,
): Route[] {
  const all = "/applications/:appId/users";
  const one = `${all}/:userId`;
  const itsMethods = `${one}/auth-methods`;
  const limit = "userManagement";
  return [
    route("GET", all, ownServer, limit, listUsersHandler(userListings)),
    route("POST", all, ownServer, limit, createUserHandler(newUsers, users, invites)),
    route("GET", one, ownServer, limit, userHandler(users)),
    route("PATCH", one, ownServer, limit, updateUserHandler(users)),
    route("DELETE", one, ownServer, limit, deleteUserHandler(users, profiles)),
    route("POST", `${one}/logout`, ownServer, limit, logoutUserHandler(users)),
    route("GET", itsMethods, ownServer, limit, userMethodsHandler(users, methods)),
    route("DELETE", `${itsMethods}/:methodId`, ownServer, limit, removeUserMethodHandler(users, methods)),
  ];
}
