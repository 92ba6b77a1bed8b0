export { createAuthsvc, type Authsvc } from "./authsvc.ts";
export { AuthsvcError, type AuthsvcErrorCode } from "./errors.ts";
export type { AuthsvcOptions } from "./settings.ts";
export type { Claims } from "./token.ts";
export type { ProofCheck } from "./verify.ts";
export type { ReceivedEvent } from "./webhook-signature.ts";
export type * from "./api.ts";
