/** What the browser code may have to say, written into the page as JSON so that it speaks the page's language. */
export type PasskeyTexts = {
  failed: string;
  offline: string;
  busy: string;
  /** Holds `{wait}`, to be replaced by a waiting time. */
  tooManyTries: string;
  timedOut: string;
  emailMissing: string;
  /** By the name of the exception that the browser throws. */
  errors: Partial<Record<string, string>>;
  /** By the field that was refused. */
  fields: Partial<Record<string, string>>;
};
