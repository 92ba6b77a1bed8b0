import { z } from "zod";
import type { Application } from "../applications/application.ts";
import { publicConfig } from "../applications/public-config.ts";
import * as applications from "../applications/service.ts";
import { json } from "../http/answer.ts";
import { sourceOf, type HttpRequest } from "../http/request.ts";
import type { Context, CoreContext } from "../runtime/context.ts";

/** Short, so that an operator's changes are visible everywhere within a minute. */
const configMaxAgeSeconds = 60;

/** GET /api/config */
export async function publicConfigHandler(ctx: Context, _request: HttpRequest, application: Application) {
  const answer = json(await publicConfig(ctx, application));
  answer.headers["cache-control"] = `public, max-age=${configMaxAgeSeconds}`;
  return answer;
}

const flag = z.boolean("must be a boolean").optional();

/**
 * What an application's own server may change (docs/spec/http-api.md, 4.4); the operator changes
 * the rest.
 */
export const applicationBody = z.strictObject({
  name: z.string("must be a string").optional(),
  redirectUris: z.array(z.string("must be a string"), "must be an array").optional(),
  authMethods: z
    .strictObject(
      {
        passkey: z.strictObject({ enabled: flag, required: flag }, "must be an object").optional(),
        oauth: z
          .strictObject(
            { enabled: flag, providers: z.array(z.string("must be a string"), "must be an array").optional() },
            "must be an object",
          )
          .optional(),
        password: z.strictObject({ enabled: flag }, "must be an object").optional(),
      },
      "must be an object",
    )
    .optional(),
  branding: z
    .strictObject({ homeUrl: z.string("must be a string or null").nullable().optional() }, "must be an object")
    .optional(),
});

/** GET /applications/{appId} */
export async function applicationHandler(ctx: CoreContext, _request: HttpRequest, { id }: Application) {
  return json(await applications.get(ctx, id));
}

/** PATCH /applications/{appId} */
export async function updateApplicationHandler(ctx: CoreContext, request: HttpRequest, { id }: Application) {
  const change = await request.json(applicationBody);
  const actor = { kind: "app", name: id } as const;
  return json(await applications.update(ctx, id, change, actor, { source: sourceOf(request) }));
}
