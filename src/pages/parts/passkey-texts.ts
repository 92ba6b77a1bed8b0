/** Messages of the browser code, embedded as JSON in the page's language. */
export type PasskeyTexts = {
  failed: string;
  offline: string;
  busy: string;
  /** Contains `{wait}`, to be replaced by a waiting time. */
  tooManyTries: string;
  timedOut: string;
  emailMissing: string;
  /** By the name of the browser's exception. */
  errors: Partial<Record<string, string>>;
  /** By the refused field; `unsupported` and `refused` for an address. */
  fields: Partial<Record<string, string>>;
};
