import { accountOperations } from "./account-operations.ts";
import { authenticationOperations } from "./authentication-operations.ts";
import { openIdOperations } from "./openid-operations.ts";
import type { Operation } from "./operation.ts";
import { publicOperations } from "./public-operations.ts";
import { serverOperations } from "./server-operations.ts";
import { usersOperations } from "./users-operations.ts";

/** Every call of the HTTP API, in the order of an integration. */
export const operations: Operation[] = [
  ...authenticationOperations,
  ...accountOperations,
  ...serverOperations,
  ...usersOperations,
  ...openIdOperations,
  ...publicOperations,
];
