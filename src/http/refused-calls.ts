import { expired, type AppError } from "../lib/errors.ts";
import type { RequestSource } from "../lib/request-source.ts";
import { sourceOf } from "./request.ts";
import type { Answered } from "./router.ts";

/** A rejected call, as the audit log records it. `claimed`: by the caller, unverified. */
export type RefusedCall = {
  action: "call.refused";
  result: "failure";
  app: { id: string | null } | { claimed: string | undefined };
  userId: string | null;
  source: RequestSource;
  details: { code: string; route: string; reason?: string };
};

/**
 * Calls that were denied access. Errors in an authorized caller's request are not security events.
 */
const auditedCodes = new Set([
  "INVALID_API_KEY",
  "INVALID_CLIENT",
  "INVALID_TOKEN",
  "INVALID_APP_ID",
  "INSUFFICIENT_SCOPE",
  "RATE_LIMITED",
  "BUSY",
]);

/** Why client authentication failed, which the client itself does not learn. */
export function clientReason(error: AppError | undefined): { reason?: string } {
  return error?.code === "INVALID_CLIENT" && typeof error.cause === "string" ? { reason: error.cause } : {};
}

/** Undefined for a call that was admitted, or failed for another reason. */
export function refusedCall({ request, route, status, error, caller }: Answered): RefusedCall | undefined {
  if (status < 400 || !route) return undefined;
  const code = error?.code ?? (status === 429 ? "RATE_LIMITED" : "");
  // Every client sends an expired token from time to time.
  if (!auditedCodes.has(code) || error?.cause === expired) return undefined;
  const [kind, id = null] = caller?.split(":") ?? [];
  return {
    action: "call.refused",
    result: "failure",
    app: kind === "app" || kind === "client" ? { id } : { claimed: request.header("x-service-app-id") },
    userId: kind === "user" ? id : null,
    source: sourceOf(request),
    details: {
      code: code === "BUSY" ? "RATE_LIMITED" : code,
      route: `${route.method} ${route.path}`,
      ...clientReason(error),
    },
  };
}
