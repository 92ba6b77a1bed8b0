import type { EndpointType, Route } from "../http/route.ts";
import type { Access } from "./access.ts";
import type { AnswerName } from "./answers.ts";
import type { RequestName } from "./requests.ts";

/** What the documentation says of one line of `routes.ts`, which has the same method, path and limit: a test compares the two. */
export type Operation = {
  method: Route["method"];
  path: string;
  id: string;
  tag: "Authentication" | "Profile" | "Sign-in methods" | "Applications" | "Webhooks" | "Query-style" | "Service";
  summary: string;
  description?: string;
  access: Access;
  limit: EndpointType | undefined;
  /** Those of the path all belong here; the ones that `access` brings do not. */
  parameters?: { name: string; in: "path" | "query"; required?: boolean; about: string }[];
  request?: RequestName;
  /** `name` undefined: a redirect without a body. */
  answer: { status?: 200 | 201 | 303; name?: AnswerName; about: string };
  /** Beyond what access, body and limit bring. `status` where the code is answered with an unusual one. */
  errors?: {
    code: "INVALID_TOKEN" | "USER_NOT_FOUND" | "METHOD_NOT_FOUND" | "INVALID_REQUEST" | "RATE_LIMITED";
    status?: number;
    when: string;
  }[];
};
