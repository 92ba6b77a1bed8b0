import type { Access, Route } from "../../http/route.ts";
import type { EndpointType } from "../../lib/rate-limits.ts";
import type { AnswerName } from "./answers.ts";
import type { RequestName } from "./requests.ts";

/**
 * The documentation of one line of `routes.ts`, with the same method, path and limit; a test
 * compares the two.
 */
export type Operation = {
  method: Route["method"];
  path: string;
  id: string;
  tag:
    | "Authentication"
    | "Profile"
    | "Sign-in methods"
    | "Applications"
    | "Groups"
    | "Users"
    | "Webhooks"
    | "OpenID Connect"
    | "Query-style"
    | "Service";
  summary: string;
  description: string;
  access: Access;
  limit: EndpointType | undefined;
  /** All path parameters, but not those that `access` adds. */
  parameters?: {
    name: string;
    in: "path" | "query";
    required?: boolean;
    about: string;
    /** A string by default. */
    schema?: Record<string, unknown>;
  }[];
  request?: RequestName | "EmptyRequest";
  /**
   * `name` undefined: a redirect without a body. `hasTag`: 304 if the caller's `If-None-Match` has
   * its entity tag.
   */
  answer: { status?: 200 | 201 | 303; name?: AnswerName | "Done"; about: string; hasTag?: true };
  /** In addition to those of access, body and limit. `status` if it is unusual for the code. */
  errors?: {
    code: "INVALID_TOKEN" | "USER_NOT_FOUND" | "METHOD_NOT_FOUND" | "INVALID_REQUEST" | "RATE_LIMITED";
    status?: number;
    when: string;
  }[];
};
