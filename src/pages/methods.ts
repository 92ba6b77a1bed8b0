/** The ways to sign in that a page offers, already restricted to what is enabled and asked for. */
export type PageMethods = {
  passkey: boolean;
  password: boolean;
  /** `name` is the path value ("google"), `displayName` what people read ("Google"). */
  oauth: readonly { name: string; displayName: string }[];
};
