import type { StandIn } from "./stand-ins.ts";

export type Failure =
  | "authorization-error"
  | "token-500"
  | "token-garbage"
  | "id-token-expired"
  | "id-token-nonce"
  | "id-token-issuer"
  | "id-token-audience"
  | "id-token-signature"
  | "auth-time-old"
  | "auth-time-future"
  | "auth-time-text"
  | "auth-time-missing"
  | "userinfo-500"
  | "userinfo-garbage";

export type FailureChoice = { id: Failure; label: string };

const always: FailureChoice[] = [
  { id: "authorization-error", label: "Authorization: error response" },
  { id: "token-500", label: "Token endpoint: status 500" },
  { id: "token-garbage", label: "Token endpoint: garbage" },
];

const withIdToken: FailureChoice[] = [
  { id: "id-token-expired", label: "id_token: expired" },
  { id: "id-token-nonce", label: "id_token: wrong nonce" },
  { id: "id-token-issuer", label: "id_token: wrong issuer" },
  { id: "id-token-audience", label: "id_token: wrong audience" },
  { id: "id-token-signature", label: "id_token: wrong signature" },
];

const withUserinfo: FailureChoice[] = [
  { id: "userinfo-500", label: "Userinfo endpoint: status 500" },
  { id: "userinfo-garbage", label: "Userinfo endpoint: garbage" },
];

/** Failures of `auth_time` that do not stop a sign-in, but leave its time unproven. */
const oddTimes: FailureChoice[] = [
  { id: "auth-time-old", label: "auth_time: an hour ago, as with an old session" },
  { id: "auth-time-future", label: "auth_time: in an hour" },
  { id: "auth-time-text", label: "auth_time: a text" },
  { id: "auth-time-missing", label: "auth_time: missing" },
];

/** The failures that a stand-in can simulate. */
export function failuresOf({ says }: StandIn): FailureChoice[] {
  return [...always, ...("idToken" in says ? withIdToken : withUserinfo)];
}

/** What a stand-in can claim about the time of the sign-in. */
export function oddTimesOf({ says }: StandIn): FailureChoice[] {
  return "idToken" in says ? oddTimes : [];
}
