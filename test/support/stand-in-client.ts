import { createHash, randomBytes } from "node:crypto";
import { addressOf, type StandIn } from "../../src/dev/providers/stand-ins.ts";
import type { TestService } from "./service.ts";

export const codeVerifier = randomBytes(32).toString("base64url");

/** A client of a stand-in that does everything right, so that a test can do one thing wrong. */
export class StandInClient {
  readonly standIn: StandIn;
  readonly address: string;
  readonly redirectUri: string;

  constructor(service: TestService, standIn: StandIn) {
    this.standIn = standIn;
    const origin = new URL(service.url);
    origin.hostname = "127.0.0.1";
    this.address = addressOf(origin.origin, standIn);
    this.redirectUri = `${service.url}/oauth/${standIn.name}/callback`;
  }

  /** The address of a good authorization request; undefined leaves a parameter out. */
  authorizeUrl(changes: Record<string, string | undefined> = {}): string {
    const parameters: Record<string, string | undefined> = {
      client_id: this.standIn.clientId,
      redirect_uri: this.redirectUri,
      response_type: "code",
      scope: "openid email profile name read:user user:email identify public_profile",
      state: "state-1",
      nonce: "nonce-1",
      code_challenge: createHash("sha256").update(codeVerifier).digest("base64url"),
      code_challenge_method: "S256",
      ...(this.standIn.answersBy === "form_post" ? { response_mode: "form_post" } : {}),
      ...changes,
    };
    const url = new URL(`${this.address}/authorize`);
    for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
    return url.href;
  }

  /** Signs somebody in; what the browser would bring back. */
  async agree(form: Record<string, string> = { person: "ada" }, url = this.authorizeUrl()): Promise<URLSearchParams> {
    return broughtBack(await fetch(url, { method: "POST", body: new URLSearchParams(form) }));
  }

  /** A good token request, as `changes` would have it; undefined leaves a field out. */
  async redeem(
    code: string,
    changes: Record<string, string | undefined> = {},
    headers: Record<string, string> = {},
  ): Promise<{ status: number; body: Record<string, unknown> }> {
    const { clientId, clientSecret, secretIn } = this.standIn;
    const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`;
    const credentials = secretIn === "body" ? { client_id: clientId, client_secret: clientSecret } : {};
    const fields: Record<string, string | undefined> = {
      ...credentials,
      grant_type: "authorization_code",
      code,
      redirect_uri: this.redirectUri,
      code_verifier: codeVerifier,
      ...changes,
    };
    const response = await fetch(`${this.address}/token`, {
      method: "POST",
      headers: { ...(secretIn === "header" ? { authorization: basic } : {}), ...headers },
      body: new URLSearchParams(
        Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined),
      ),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  async ask(path: string, accessToken: string): Promise<{ status: number; body: unknown }> {
    const response = await fetch(this.address + path, { headers: { authorization: `Bearer ${accessToken}` } });
    return { status: response.status, body: await response.json() };
  }
}

/**
 * The answer that a stand-in's page takes back to the client, by its Refresh header or in its form.
 */
export async function broughtBack(response: Response): Promise<URLSearchParams> {
  const address = /^0; url=(.+)$/u.exec(response.headers.get("refresh") ?? "")?.[1];
  if (address !== undefined) return new URL(address).searchParams;
  const inputs = (await response.text()).matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/gu);
  return new URLSearchParams(
    [...inputs].map(([, name = "", value = ""]) => [name, value.replaceAll("&quot;", '"').replaceAll("&#39;", "'")]),
  );
}
