import { json } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import type { Application } from "./application.ts";
import type { PublicConfig } from "./public-config.ts";

/** Short: what an operator changes or switches off is seen everywhere a minute later. */
const configMaxAgeSeconds = 60;

/** GET /api/config */
export function publicConfigHandler(publicConfig: PublicConfig) {
  return (_request: HttpRequest, application: Application) => {
    const answer = json(publicConfig(application));
    answer.headers["cache-control"] = `public, max-age=${configMaxAgeSeconds}`;
    return answer;
  };
}
