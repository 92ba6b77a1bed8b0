/** Counts and times the service's work for `src/metrics`. Methods never throw and are cheap. */
export type Meter = {
  /** An application received its tokens (`success`), or a proof was refused (`failure`). */
  signIn(method: string, result: "success" | "failure"): void;
  /** An authenticated client asked the token endpoint; `grant`: one of a few names. */
  tokenGrant(grant: string, result: "success" | "refused" | "error"): void;
  /** How long a password hash waited in the queue. */
  hashWaited(milliseconds: number): void;
  /** The time from requesting a transaction until it was durable or had failed. */
  transaction(milliseconds: number, result: "success" | "failure"): void;
  /** One webhook attempt, from connecting to the end of the response. */
  webhookAttempt(milliseconds: number, result: "delivered" | "failed"): void;
  /** The revocation feed answered with this many entries. */
  revocationsSent(count: number): void;
  /** A DPoP proof was taken, was seen before, lacked a nonce, or was wrong. */
  dpopProof(result: "success" | "replayed" | "without-nonce" | "failure"): void;
  /** A sign-in by password had to solve a puzzle, solved it, or sent no good solution. */
  puzzle(result: "asked" | "solved" | "refused"): void;
  /** What a reverse proxy was answered that asked about a request. */
  forwardAuthCheck(result: ForwardAuthResult): void;
  mailAttempt(result: "sent" | "failed" | "refused"): void;
  /** A mail that a visitor requested was not sent because of this limit. */
  mailLimited(purpose: string, limit: "address-and-network" | "network" | "address" | "application"): void;
};

/** `public`: the path is. From `groups` on: why somebody or the proxy was refused. */
export type ForwardAuthResult =
  | "allowed"
  | "public"
  | "sign-in"
  | "groups"
  | "second-factor"
  | "identity"
  | "forged"
  | "unknown-host"
  | "malformed"
  | "untrusted-proxy"
  | "error";

export const silentMeter: Meter = {
  signIn() {},
  tokenGrant() {},
  hashWaited() {},
  transaction() {},
  webhookAttempt() {},
  revocationsSent() {},
  dpopProof() {},
  puzzle() {},
  forwardAuthCheck() {},
  mailAttempt() {},
  mailLimited() {},
};
