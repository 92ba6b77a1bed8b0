import { facts } from "./text.ts";

/** What commands show of an application; with `--json` all of it is printed as the HTTP API answers it. */
export type ShownApplication = {
  id: string;
  name: string;
  domain: string | null;
  redirectUris: string[];
  authMethods: {
    passkey: { enabled: boolean; required: boolean };
    oauth: { enabled: boolean; providers: string[] };
    password: { enabled: boolean };
  };
  stats: { totalUsers: number; activeUsers: number; totalLogins: number };
};

/** `passkey (required), password` */
export function methodsText({ passkey, oauth, password }: ShownApplication["authMethods"]): string {
  const names = [
    passkey.enabled && `passkey${passkey.required ? " (required)" : ""}`,
    password.enabled && "password",
    oauth.enabled &&
      ["oauth", oauth.providers.length > 0 && `(${oauth.providers.join(", ")})`].filter(Boolean).join(" "),
  ];
  return names.filter((name) => name !== false).join(", ") || "none";
}

export function applicationText(application: ShownApplication): string {
  const { id, name, domain, redirectUris, authMethods, stats } = application;
  return facts([
    ["App ID", id],
    ["Name", name],
    ["Domain", domain ?? "-"],
    ...(redirectUris.length === 0 ? ["-"] : redirectUris).map((uri, index): [string, string] => [
      index === 0 ? "Redirect URIs" : "",
      uri,
    ]),
    ["Methods", methodsText(authMethods)],
    ["Users", `${stats.totalUsers} (${stats.activeUsers} active in 30 days), ${stats.totalLogins} sign-ins`],
  ]);
}
