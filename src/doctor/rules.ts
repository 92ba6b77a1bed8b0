import type { Application } from "../applications/application.ts";
import { second } from "../lib/clock.ts";
import type { EndpointAnswer } from "../webhooks/endpoint.ts";
import { problem, warning, type Finding } from "./finding.ts";

/** Codes live for a minute and signed times are compared with those of other machines: half of it is too much. */
const mostDeviation = 30 * second;

/** `there`: what the database says that time is; on SQLite, which has no clock of its own, when it was written to last. */
export function clockFindings(
  dialect: "sqlite" | "postgres",
  { here, there }: { here: number; there: number | undefined },
): Finding[] {
  if (there === undefined) return [];
  const ahead = there - here;
  if (dialect === "sqlite" ? ahead <= mostDeviation : Math.abs(ahead) <= mostDeviation) return [];
  const seconds = Math.round(Math.abs(ahead) / second);
  const message =
    dialect === "sqlite"
      ? `The database was written to ${seconds} seconds from now: the clock of this machine is, or was, wrong.`
      : `The clocks of this machine and of the database are ${seconds} seconds apart.`;
  return [problem("clock", message, "timedatectl set-ntp true")];
}

/** Passkeys need a host name, and https beyond this machine. */
export function passkeyFindings(applications: Application[], isPossible: boolean): Finding[] {
  if (isPossible) return [];
  return applications
    .filter(({ authMethods }) => authMethods.passkey.enabled)
    .map(({ id }) =>
      problem(
        "passkeys",
        `Passkeys of ${id} cannot work: the service's base URL is an IP address or not https.`,
        "set baseUrl to https and a host name",
      ),
    );
}

export function providerFindings(
  { id, authMethods: { oauth } }: Application,
  configured: readonly string[],
): Finding[] {
  if (!oauth.enabled) return [];
  const without = oauth.providers.filter((name) => !configured.includes(name));
  if (oauth.providers.length === 0)
    return [
      warning(
        "providers",
        `${id} lets people sign in with providers, but has none.`,
        `authsvc app provider set ${id} PROVIDER --client-id ID --client-secret-stdin`,
      ),
    ];
  return without.map((name) =>
    problem(
      "providers",
      `${id} offers ${name} without an account with it.`,
      `authsvc app provider set ${id} ${name} --client-id ID --client-secret-stdin`,
    ),
  );
}

export function signUpFindings(applications: Application[], verifiesMail: boolean): Finding[] {
  if (verifiesMail) return [];
  return applications
    .filter(({ settings }) => settings.signUp === "open")
    .map(({ id }) =>
      warning(
        "sign-up",
        `Anybody can create an account of ${id} with anybody's address: without a mail server addresses stay unverified.`,
        `set mail.smtpUrl and mail.from, or: authsvc app update ${id} --sign-up closed`,
      ),
    );
}

/** An address that shares its site with nothing else of its application may be a typing error, or what is left of a test. */
export function redirectUriFindings({ id, domain, redirectUris }: Application): Finding[] {
  const fix = `authsvc app update ${id} --redirect-uri URI`;
  if (redirectUris.length === 0)
    return [warning("redirect-uris", `Nobody can sign in to ${id}: it has no redirect URI.`, fix)];
  const hosts = redirectUris.filter((uri) => /^https?:/u.test(uri)).map((uri) => new URL(uri).hostname);
  const own = domain === null ? undefined : siteOf(domain);
  const isShared = (host: string): boolean =>
    siteOf(host) === own || hosts.filter((other) => siteOf(other) === siteOf(host)).length > 1;
  const odd = own !== undefined || hosts.some(isShared) ? hosts.filter((host) => !isShared(host)) : [];
  return [...new Set(odd)].map((host) =>
    warning("redirect-uris", `${id} sends people to ${host}, where nothing else of it is.`, fix),
  );
}

/** The last two labels of a host name: near enough to say what belongs together, though not for every country's names. */
function siteOf(host: string): string {
  return host.split(".").slice(-2).join(".");
}

export function webhookFindings(endpoints: EndpointAnswer[]): Finding[] {
  return endpoints.flatMap(({ id, appId, enabled, disabledReason, failingSince }): Finding[] => {
    if (!enabled && disabledReason !== "operator") {
      const why = disabledReason === "gone" ? "its receiver said that it is gone" : "it failed for five days";
      return [
        problem("webhooks", `${id} of ${appId} was disabled: ${why}.`, `authsvc webhook update ${id} --enabled on`),
      ];
    }
    return enabled && failingSince !== null
      ? [warning("webhooks", `${id} of ${appId} has been failing since ${failingSince}.`, `authsvc webhook test ${id}`)]
      : [];
  });
}
