import type { Application } from "../applications/application.ts";
import * as applications from "../applications/service.ts";
import * as passkeys from "../credentials/passkeys/service.ts";
import { json } from "../http/answer.ts";
import { sourceOf, type HttpRequest } from "../http/request.ts";
import { invalidApiKey, invalidAppId, invalidRequest } from "../lib/errors.ts";
import type { Context } from "../runtime/context.ts";
import { addMethodBody } from "../sign-in/adding/add-method-body.ts";
import { initiateBody } from "../sign-in/initiate-body.ts";
import * as redemption from "../sign-in/redemption/redeem.ts";
import { callbackBody } from "../sign-in/redemption/redeem.ts";
import * as signIn from "../sign-in/service.ts";
import type { Bearer } from "../tokens/authentication.ts";

/** POST /auth/initiate */
export async function initiateHandler(
  ctx: Context,
  request: HttpRequest,
  { application, withoutApiKey }: { application: Application; withoutApiKey: boolean },
) {
  const body = await request.json(initiateBody);
  // Otherwise anybody who sees the code could redeem it.
  if (withoutApiKey && body.codeChallenge === undefined)
    throw invalidRequest("codeChallenge", "required without an API key");
  return json(await signIn.initiate(ctx, application, body));
}

/** POST /users/auth-methods */
export async function addMethodHandler(ctx: Context, request: HttpRequest, { user, claims }: Bearer) {
  const body = await request.json(addMethodBody);
  const application = await applications.find(ctx, ctx.storage.reader, claims.aud);
  if (!application) throw invalidAppId();
  if (body.type === "passkey" && !(await passkeys.hasRoom(ctx.storage.reader, user.id)))
    throw invalidRequest("type", "the user already has the maximum number of passkeys");
  return json(await signIn.initiateAdding(ctx, application, user.id, body));
}

/** POST /auth/callback */
export async function callbackHandler(
  ctx: Context,
  request: HttpRequest,
  caller: { application: Application; withoutApiKey: boolean },
) {
  const body = await request.json(callbackBody).catch((error: unknown) => {
    // Without a key, the caller must first prove to be a public client; other errors in its body
    // do not matter.
    throw caller.withoutApiKey ? invalidApiKey() : error;
  });
  if (caller.withoutApiKey && body.codeVerifier === undefined) throw invalidApiKey();
  return json(await redemption.redeem(ctx, { body, ...caller, source: sourceOf(request) }));
}
