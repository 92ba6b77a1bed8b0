/** The sign-in methods that a page offers: enabled and allowed by the request. */
export type PageMethods = {
  passkey: boolean;
  password: boolean;
  /** By a code that is mailed to the typed address. */
  emailCode?: boolean;
  /** `name` is the path segment ("google"), `displayName` is for people ("Google"). */
  oauth: readonly { name: string; displayName: string }[];
};
