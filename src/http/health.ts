import { json } from "./answer.ts";

/** GET /healthz: the process answers. */
export function healthHandler() {
  return () => json({ status: "ok" });
}

/** GET /readyz: the database answers and the process is not about to stop; else 503, so that a balancer looks elsewhere. */
export function readinessHandler(ping: () => Promise<void>, isReady: () => boolean) {
  return async () => {
    const ready =
      isReady() &&
      (await ping().then(
        () => true,
        () => false,
      ));
    return ready ? json({ status: "ready" }) : json({ status: "unavailable" }, 503);
  };
}
