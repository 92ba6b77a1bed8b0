import * as clientAuthentication from "../applications/clients/authentication.ts";
import type { AuthenticatedClient } from "../applications/clients/authentication.ts";
import type { HttpRequest } from "../http/request.ts";
import type { Guard } from "../http/route.ts";
import { invalidClient, oauthError } from "../lib/errors.ts";

import * as callingClient from "./calling-client.ts";

/** A client that sent a form, and its parameters. */
export type ClientCaller = AuthenticatedClient & { form: FormParameters };

/** RFC 6749 §3.2: a parameter without a value counts as omitted. */
export type FormParameters = { get(name: string): string | undefined };

/**
 * Any client: those without a secret or key name themselves and are counted by address. Throws
 * INVALID_CLIENT, INVALID_REQUEST.
 */
export const anyClient: Guard<ClientCaller> = {
  access: "client",
  async admit(ctx, request) {
    const form = await formOf(request);
    const client = await clientAuthentication.authenticate(ctx, {
      authorization: request.header("authorization"),
      form,
      endpoint: endpointOf(request, ctx.baseUrl),
      find: (id) => callingClient.find(ctx, id, { form: () => parameters(form), ipAddress: request.ipAddress }),
    });
    if (client.client.kind === "proxy")
      throw oauthError("unauthorized_client", "A client of kind proxy signs people in at its own hosts only.");
    const caller = { ...client, form: parameters(form) };
    const { userId } = client;
    if (client.method === "none" && userId === undefined) return { caller, countedAs: undefined };
    const { id } = client.application;
    // Calls of an application as its own client are counted with its others.
    const ofClient = client.client.id === id ? `app:${id}` : `client:${id}:${client.client.id}`;
    return {
      caller,
      countedAs: userId === undefined ? ofClient : `${ofClient}:${userId}`,
      limits: client.application.settings.rateLimits,
    };
  },
};

/** A client with a secret or key. */
export const confidentialClient: Guard<ClientCaller> = {
  access: "client",
  async admit(ctx, request) {
    const admitted = await anyClient.admit(ctx, request);
    if (admitted.caller.method === "none") throw invalidClient("it has no secret");
    return admitted;
  },
};

function parameters(form: Map<string, string>): FormParameters {
  return {
    get(name) {
      const value = form.get(name);
      return value === "" ? undefined : value;
    },
  };
}

/** A call without a body has no credentials. */
async function formOf(request: HttpRequest): Promise<Map<string, string>> {
  return request.header("content-type") === undefined ? new Map<string, string>() : await request.form();
}

function endpointOf(request: HttpRequest, baseUrl: string): string {
  const [path = ""] = request.path.split("?", 1);
  return `${baseUrl}${path}`;
}
