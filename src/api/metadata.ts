import { z } from "zod";
import type { Application } from "../applications/application.ts";
import { json } from "../http/answer.ts";
import { byServer, type HttpRequest } from "../http/request.ts";
import type { Context } from "../runtime/context.ts";
import * as userMetadata from "../users/metadata-changes.ts";

/** Not `z.record`, which silently drops a key `__proto__`; the service refuses it. */
const patch = z
  .unknown()
  .refine((value) => value === undefined || (typeof value === "object" && !Array.isArray(value)), "a JSON object")
  .optional();

/** JSON merge patches (RFC 7396) of both parts. */
export const metadataBody = z.strictObject({ public: patch, private: patch });

/** GET /applications/{appId}/users/{userId}/metadata */
export async function metadataHandler(ctx: Context, request: HttpRequest, { id: appId }: Application) {
  return json(await userMetadata.get(ctx, { userId: request.parameter("userId"), appId }));
}

/** PATCH /applications/{appId}/users/{userId}/metadata */
export async function patchMetadataHandler(ctx: Context, request: HttpRequest, application: Application) {
  const body = await request.json(metadataBody);
  const whose = { userId: request.parameter("userId"), appId: application.id };
  return json(await userMetadata.patch(ctx, whose, body, byServer(request, application)));
}
