let loading: Promise<Set<string>> | undefined;

/** Whether a password (lower-case) is among the 49,000 that people choose most. The list is loaded with the first sign-up. */
export async function loadCommonPasswords(): Promise<(lowerCase: string) => boolean> {
  loading ??= import("@zxcvbn-ts/language-common").then(({ dictionary }) => new Set(dictionary["passwords-common"]));
  const common = await loading;
  return (lowerCase) => common.has(lowerCase);
}
