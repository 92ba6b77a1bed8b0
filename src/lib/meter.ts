/** What is counted and timed of the work inside, for whoever watches the service (`src/metrics`). Never throws, and costs next to nothing. */
export type Meter = {
  /** An app got its tokens (`success`), or a proof was refused (`failure`). */
  signIn(method: string, result: "success" | "failure"): void;
  /** A password's hash had its turn, after that long in the queue. */
  hashWaited(milliseconds: number): void;
  /** A transaction, from being asked for until it was durable, or failed. */
  transaction(milliseconds: number, result: "success" | "failure"): void;
  /** One attempt at a webhook, from connecting to the end of the answer. */
  webhookAttempt(milliseconds: number, result: "delivered" | "failed"): void;
  /** One attempt at a mail. */
  mailAttempt(result: "sent" | "failed" | "refused"): void;
};

export const silentMeter: Meter = {
  signIn() {},
  hashWaited() {},
  transaction() {},
  webhookAttempt() {},
  mailAttempt() {},
};
