import type { Application } from "../applications/application.ts";
import { json } from "../http/answer.ts";
import { clientInfoOf, type HttpRequest } from "../http/request.ts";
import { invalidApiKey, invalidAppId, invalidRequest } from "../lib/errors.ts";
import { addMethodBody } from "./adding/add-method-body.ts";
import { initiateBody } from "./initiate-body.ts";
import type { Passkeys } from "../passkeys/service.ts";
import { callbackBody, type Redeem } from "./redemption/redeem.ts";
import type { Bearer } from "../tokens/authentication.ts";
import type { SignIn } from "./service.ts";

/** POST /auth/initiate */
export function initiateHandler(signIn: SignIn) {
  return async (
    request: HttpRequest,
    { application, withoutApiKey }: { application: Application; withoutApiKey: boolean },
  ) => {
    const body = await request.json(initiateBody);
    // Otherwise anybody who sees the code could redeem it.
    if (withoutApiKey && body.codeChallenge === undefined)
      throw invalidRequest("codeChallenge: required without an API key");
    return json(await signIn.initiate(application, body));
  };
}

/** POST /users/auth-methods */
export function addMethodHandler(deps: {
  signIn: SignIn;
  passkeys: Passkeys;
  application(id: string): Promise<Application | undefined>;
}) {
  return async (request: HttpRequest, { user, claims }: Bearer) => {
    const body = await request.json(addMethodBody);
    const application = await deps.application(claims.aud);
    if (!application) throw invalidAppId();
    if (body.type === "passkey" && !(await deps.passkeys.hasRoom(user.id)))
      throw invalidRequest("type: the user already has the maximum number of passkeys");
    return json(await deps.signIn.initiateAdding(application, user.id, body));
  };
}

/** POST /auth/callback */
export function callbackHandler(redeem: Redeem) {
  return async (request: HttpRequest, caller: { application: Application; withoutApiKey: boolean }) => {
    const body = await request.json(callbackBody).catch((error: unknown) => {
      // Without a key, the caller must first prove to be a public client; other errors in its body
      // do not matter.
      throw caller.withoutApiKey ? invalidApiKey() : error;
    });
    if (caller.withoutApiKey && body.codeVerifier === undefined) throw invalidApiKey();
    return json(await redeem.redeem({ body, ...caller, clientInfo: clientInfoOf(request) }));
  };
}
