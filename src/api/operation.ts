import { z } from "zod";
import { json, type Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import { route, type Guard, type Route } from "../http/route.ts";
import type { AppError } from "../lib/errors.ts";
import type { EndpointType } from "../lib/rate-limits.ts";
import type { Context } from "../runtime/context.ts";

/** A line of `api/routes.ts`, with its text in the document. */
export type ApiRoute = Route & { operation: Words };

/** An operation of the API: its texts for the document, and its handler. */
export type Operation<Caller> = Words & {
  respond(ctx: Context, request: HttpRequest, caller: Caller): Promise<Answer> | Answer;
};

type Words = {
  id: string;
  tag:
    | "Authentication"
    | "Profile"
    | "Sign-in methods"
    | "Applications"
    | "Groups"
    | "Organizations"
    | "Users"
    | "Webhooks"
    | "OpenID Connect"
    | "Query-style"
    | "Service";
  summary: string;
  description: string;
  /** The parameters of the query. `schema`: a string by default. */
  query?: Record<string, { required?: boolean; about: string; schema?: Record<string, unknown> }>;
  body?: Body;
  answer: Answered;
  /** A client may send a DPoP proof, which binds the issued token. */
  takesProof?: true;
  /** In addition to those of guard, body and limit. `status` if it is unusual for the code. */
  errors?: {
    code:
      | "INVALID_TOKEN"
      | "INSUFFICIENT_SCOPE"
      | "USER_NOT_FOUND"
      | "METHOD_NOT_FOUND"
      | "INVALID_REQUEST"
      | "RATE_LIMITED";
    status?: number;
    when: string;
  }[];
};

/**
 * `schema` undefined: a redirect without a body. `hasTag`: 304 if the caller's `If-None-Match` has
 * its entity tag.
 */
type Answered<Schema extends z.ZodType = z.ZodType> = {
  status?: 200 | 201 | 303;
  schema?: Named<Schema>;
  about: string;
  hasTag?: true;
  /** The same schema with another status. */
  otherwise?: { status: number; about: string; example: z.output<Schema> };
};

/** A body by its name in the document. */
export type Body<Schema extends z.ZodObject = z.ZodObject> = {
  name: string;
  /** Parses the body, unless it is a form, which the guard reads. */
  schema: Schema;
  isForm?: true;
  /** The body may be omitted altogether. */
  optional?: true;
  fields: { [Field in keyof z.input<Schema>]-?: string | Keywords };
  example: z.input<Schema>;
};

/** A field's description, and rules checked outside the schema, as JSON Schema keywords. */
export type Keywords = {
  about: string;
  type?: string;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: true;
  minimum?: number;
  maximum?: number;
  enum?: readonly string[];
  /** For an array's elements and an object's fields. */
  items?: Keywords;
  inner?: Record<string, string | Keywords>;
};

/** A schema of answers, by its name in the document. */
export type Named<Schema extends z.ZodType = z.ZodType, Example = unknown> = {
  name: string;
  readonly schema: Schema;
  example: Example;
};

/** The schema is built with the document: most services never need it. */
export function named<S extends z.ZodType>(name: string, about: string, make: () => S): Named<S>;
export function named<S extends z.ZodType>(
  name: string,
  about: string,
  make: () => S,
  example: z.output<S>,
): Named<S, z.output<S>>;
export function named<S extends z.ZodType>(name: string, about: string, make: () => S, example?: unknown): Named<S> {
  let schema: S | undefined;
  return {
    name,
    example,
    get schema() {
      return (schema ??= make().meta({ id: name, description: about }));
    },
  };
}

/**
 * An operation that returns JSON. `badBody`: thrown instead of the error in the body. `schemaFor`:
 * the fields that this caller may send; default: all.
 */
export function operation<Caller, Schema extends z.ZodObject, Result extends z.ZodType>({
  badBody,
  schemaFor,
  handle,
  ...words
}: Words & {
  body?: Body<Schema>;
  answer: Answered<Result>;
  badBody?(caller: Caller): AppError | undefined;
  schemaFor?(caller: Caller, ctx: Context): z.ZodType<z.output<Schema>> | Promise<z.ZodType<z.output<Schema>>>;
  handle(
    ctx: Context,
    request: HttpRequest,
    caller: Caller,
    body: z.output<Schema>,
  ): Promise<z.output<Result>> | z.output<Result>;
}): Operation<Caller> {
  const { body: { schema: all, optional, isForm } = {}, answer } = words;
  async function bodyOf(ctx: Context, request: HttpRequest, caller: Caller): Promise<z.output<Schema>> {
    // A form was read by the guard.
    if (!all || isForm === true) return {} as z.output<Schema>;
    const schema = (await schemaFor?.(caller, ctx)) ?? all;
    try {
      return await (optional === true ? request.optionalJson(schema) : request.json(schema));
    } catch (error) {
      throw badBody?.(caller) ?? error;
    }
  }
  return {
    ...words,
    async respond(ctx, request, caller) {
      const body = await bodyOf(ctx, request, caller);
      return json(await handle(ctx, request, caller, body), answer.status);
    },
  };
}

/** Makes a line of `api/routes.ts`. */
export function call<Caller>(
  method: Route["method"],
  path: string,
  guard: Guard<Caller>,
  limit: EndpointType | undefined,
  { respond, ...words }: Operation<Caller>,
): ApiRoute {
  return { ...route(method, path, guard, limit, respond), operation: words };
}

/** For calls without a body, or with an object without fields. */
export const noBody: Body = {
  name: "EmptyRequest",
  schema: z.strictObject({}),
  optional: true,
  fields: {},
  example: {},
};
