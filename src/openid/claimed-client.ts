import type { Client } from "../applications/clients/client.ts";
import { tokenCredential } from "../http/guards.ts";
import type { HttpRequest } from "../http/request.ts";
import { assertedClient } from "../lib/jose.ts";
import type { Context } from "../runtime/context.ts";
import { claimedClient as clientOfToken } from "../tokens/access-tokens.ts";
import * as callingClient from "./calling-client.ts";

/**
 * The client that a call claims to be of, unverified. Only for deciding which pages may read the
 * answer.
 */
export async function claimedClient(ctx: Context, request: HttpRequest): Promise<Client | undefined> {
  const id = await claimedId(request);
  if (id === undefined) return undefined;
  const form = async () => await request.form();
  return (await callingClient.find(ctx, id, { form, ipAddress: request.ipAddress }))?.client;
}

async function claimedId(request: HttpRequest): Promise<string | undefined> {
  const authorization = request.header("authorization");
  if (authorization !== undefined) {
    const [, basic] = /^basic +([A-Za-z0-9+/=]+)/iu.exec(authorization) ?? [];
    if (basic === undefined) return clientOfToken(tokenCredential(request).token ?? "");
    const [id = ""] = Buffer.from(basic, "base64").toString("utf8").split(":", 1);
    return decodeURIComponent(id.replaceAll("+", " "));
  }
  if (request.method !== "POST") return undefined;
  const form = await request.form();
  const token = form.get("access_token");
  if (token !== undefined) return clientOfToken(token);
  return form.get("client_id") ?? assertedClient(form.get("client_assertion") ?? "");
}
