import { verify, type KeyObject } from "node:crypto";
import type { HttpRequest } from "../../http/request.ts";
import { appleTeam, issuerOf, type StandIn } from "./stand-ins.ts";

/**
 * Whether a token request has the client's credentials, in the only place that this provider
 * accepts.
 */
export function isClient(
  standIn: StandIn,
  request: Pick<HttpRequest, "header">,
  form: Map<string, string>,
  apple: { publicKey: KeyObject; origin: string; now: number },
): boolean {
  const basic = request.header("authorization");
  if (standIn.secretIn === "header") return !form.has("client_secret") && basic === basicCredentials(standIn);
  if (basic !== undefined || form.get("client_id") !== standIn.clientId) return false;
  const secret = form.get("client_secret") ?? "";
  return standIn.name === "apple" ? isAppleSecret(standIn, secret, apple) : secret === standIn.clientSecret;
}

/** RFC 6749 §2.3.1. */
function basicCredentials({ clientId, clientSecret }: StandIn): string {
  const credentials = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
  return `Basic ${Buffer.from(credentials).toString("base64")}`;
}

/** Apple's client secret is a JWT signed with the client's key, valid for at most half a year. */
function isAppleSecret(
  standIn: StandIn,
  secret: string,
  { publicKey, origin, now }: { publicKey: KeyObject; origin: string; now: number },
): boolean {
  const [header = "", payload = "", signature = ""] = secret.split(".");
  const key = { key: publicKey, dsaEncoding: "ieee-p1363" } as const;
  if (!verify("sha256", Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, "base64url"))) return false;
  const { alg, kid } = decoded(header);
  const { iss, sub, aud, iat, exp } = decoded(payload);
  const seconds = now / 1000;
  return (
    alg === "ES256" &&
    kid === appleTeam.keyId &&
    iss === appleTeam.teamId &&
    sub === standIn.clientId &&
    aud === issuerOf(origin, standIn) &&
    Number(iat) <= seconds &&
    Number(exp) > seconds &&
    Number(exp) - Number(iat) <= 15_777_000
  );
}

/** A part of a JWT whose signature was verified. */
function decoded(part: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, "base64url").toString("utf8")) as Record<string, unknown>;
}
