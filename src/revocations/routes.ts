import { json } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import { invalidRequest } from "../lib/errors.ts";
import { maxWaitSeconds, type Revocations } from "./service.ts";

/** Of one application, whatever its other limits: many servers poll every few seconds. */
export const pollsPerMinute = 6000;

/** GET /auth/revocations */
export function revocationsHandler(revocations: Pick<Revocations, "poll">) {
  return async (request: HttpRequest, { id }: { id: string }) => {
    const query = request.query();
    const wait = waitFrom(query.get("wait"));
    return json(await revocations.poll(id, { after: query.get("after"), wait }, (act) => request.whenGone(act)));
  };
}

function waitFrom(text = "0"): number {
  if (!/^\d{1,2}$/u.test(text) || Number(text) > maxWaitSeconds)
    throw invalidRequest(`wait: whole seconds from 0 to ${maxWaitSeconds}`);
  return Number(text);
}
