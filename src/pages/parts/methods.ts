/** The sign-in methods that a page offers: enabled and allowed by the request. */
export type PageMethods = {
  passkey: boolean;
  password: boolean;
  /** `name` is the path segment ("google"), `displayName` is for people ("Google"). */
  oauth: readonly { name: string; displayName: string }[];
};
