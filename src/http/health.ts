import { json } from "./answer.ts";

/** GET /healthz: succeeds while the process answers. */
export function healthHandler() {
  return () => json({ status: "ok" });
}

/**
 * GET /readyz: 503 if sign-ins cannot work or the process is about to stop, so that load balancers
 * look elsewhere. `findProblem` returns why the database cannot be written.
 */
export function readinessHandler(
  ping: () => Promise<void>,
  findProblem: () => Promise<string | undefined>,
  isReady: () => boolean,
) {
  return async () => {
    const ready =
      isReady() &&
      (await ping().then(
        () => true,
        () => false,
      ));
    if (!ready) return json({ status: "unavailable" }, 503);
    const reason = await findProblem();
    return reason === undefined ? json({ status: "ready" }) : json({ status: "degraded", reason }, 503);
  };
}
