import type { AuthMethods } from "../storage/column-types.ts";

/** `passkey (required), password` */
export function methodsText({ passkey, oauth, password }: AuthMethods): string {
  const names = [
    passkey.enabled && `passkey${passkey.required ? " (required)" : ""}`,
    password.enabled && "password",
    oauth.enabled &&
      ["oauth", oauth.providers.length > 0 && `(${oauth.providers.join(", ")})`].filter(Boolean).join(" "),
  ];
  return names.filter((name) => name !== false).join(", ") || "none";
}
