import { part, type Context } from "../runtime/context.ts";
import { json } from "./answer.ts";

/** GET /healthz: succeeds while the process answers. */
export function healthHandler() {
  return json({ status: "ok" });
}

/** Whether the process is about to stop. */
export const stopping = part(() => ({ now: false }));

/**
 * GET /readyz: 503 if sign-ins cannot work or the process is about to stop, so that load balancers
 * look elsewhere.
 */
export async function readinessHandler(ctx: Context) {
  const { storage, writability } = ctx;
  const ready =
    !stopping(ctx).now &&
    (await storage.ping().then(
      () => true,
      () => false,
    ));
  if (!ready) return json({ status: "unavailable" }, 503);
  const reason = (await writability.look())?.reason;
  return reason === undefined ? json({ status: "ready" }) : json({ status: "degraded", reason }, 503);
}
