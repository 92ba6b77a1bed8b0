import type { Application } from "../../applications/application.ts";
import type { StrandedIdentities } from "../../applications/providers/provider-clients.ts";
import type { Config } from "../../config/config.ts";
import { day, isoTime, second } from "../../lib/clock.ts";
import { hostOf, isLoopbackHost } from "../../lib/loopback.ts";
import { quotedPath } from "../../lib/own-files.ts";
import { isFailing, type OrganizationProvider } from "../../organizations/provider/provider.ts";
import type { Domain } from "../../organizations/domains/rules.ts";
import type { EndpointAnswer } from "../../records/webhooks/endpoint.ts";
import type { WriteProblemText } from "../../storage/errors/write-problem.ts";
import type { DatabaseTime } from "../../storage/storage.ts";
import { problem, warning, type Finding } from "./finding.ts";

/**
 * Codes live for a minute, and signed times are compared between machines: half a minute is too
 * much.
 */
const maxDeviation = 30 * second;

const mebibyte = 2 ** 20;
const scarceBytes = 100 * mebibyte;

export function configurationFindings({ warnings = [] }: Config): Finding[] {
  return warnings.map((message) => warning("configuration", message, "authsvc config show"));
}

/** A past event says nothing about the clock; a future one says that some clock is wrong. */
export function clockFindings({ here, there }: { here: number; there: DatabaseTime | undefined }): Finding[] {
  if (there === undefined) return [];
  const { at, isCurrent } = there;
  const deviation = isCurrent ? Math.abs(at - here) : at - here;
  if (deviation <= maxDeviation) return [];
  const seconds = Math.round(deviation / second);
  const message = isCurrent
    ? `The clocks of this machine and of the database are ${seconds} seconds apart.`
    : `The database has timestamps ${seconds} seconds in the future: the clock of this machine is or was wrong.`;
  return [problem("clock", message, "timedatectl set-ntp true")];
}

export const movableClock: Finding = {
  check: "clock",
  status: "ok",
  message: "Not compared: the service last ran in development mode, in which tests move its clock.",
  fix: null,
};

/** A master key should be replaced periodically, because nobody knows who has seen it. */
const masterKeyLasts = 2 * 365 * day;

/** `rotatingSince` is undefined if no rotation is in progress. */
export function masterKeyFindings(
  { since, rotatingSince }: { since: number; rotatingSince: number | undefined },
  now: number,
): Finding[] {
  const fix = "authsvc master-key rotate";
  if (rotatingSince !== undefined)
    return [
      warning(
        "master-key",
        `A rotation of the master key began at ${isoTime(rotatingSince)} and has not finished.`,
        fix,
      ),
    ];
  const message = `The master key is ${Math.max(0, Math.floor((now - since) / day))} days old.`;
  return now - since > masterKeyLasts
    ? [warning("master-key", message, fix)]
    : [{ check: "master-key", status: "ok", message, fix: null }];
}

/** The service publishes successors itself, unless it stands still or cannot write. */
export function signingKeyFindings(late: { algorithm: string; dueAt: number }[]): Finding[] {
  return late.map(({ algorithm, dueAt }) =>
    warning(
      "signing-keys",
      `The successor of the ${algorithm} signing key is late: it was due ${isoTime(dueAt)}.`,
      "start the service, or: authsvc signing-key rotate",
    ),
  );
}

/** New breaches become known every week. */
const breachedFileLasts = 365 * day;

export function breachedFindings({ entries, madeAt }: { entries: number; madeAt: number }, now: number): Finding[] {
  const message = `The file of breached passwords has ${entries.toLocaleString("en")} entries and was made ${isoTime(madeAt)}.`;
  return now - madeAt > breachedFileLasts
    ? [warning("passwords", message, "authsvc breached-passwords fetch FILE, then restart")]
    : [{ check: "passwords", status: "ok", message, fix: null }];
}

export function writeFindings(cause: WriteProblemText | undefined): Finding[] {
  return cause ? [problem("database", `Sign-ins fail: ${cause.reason}.`, cause.fix)] : [];
}

/** The disk with the SQLite file. Its log alone takes up to 64 MiB. */
export function spaceFindings(freeBytes: number, dataDir: string): Finding[] {
  if (freeBytes >= scarceBytes) return [];
  const message = `Only ${Math.floor(freeBytes / mebibyte)} MiB are free on the disk of the database; sign-ins fail once it is full.`;
  return [warning("database", message, `make room: df -h ${quotedPath(dataDir)}`)];
}

/** By their number in statfs(2), on Linux. */
const networkFileSystems = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xfe534d42, "SMB"],
  [0xff534d42, "CIFS"],
  [0x01021997, "9p"],
  [0x00c36400, "Ceph"],
  [0x0bd00bd0, "Lustre"],
]);

/** SQLite shares memory and locks between processes, which network file systems do not. */
export function fileSystemFindings(type: number, dataDir: string): Finding[] {
  const name = networkFileSystems.get(type >>> 0);
  if (name === undefined) return [];
  const message = `The data folder is on a network file system (${name}), where SQLite's locks do not hold: the database can be damaged.`;
  return [problem("database", message, `move ${quotedPath(dataDir)} to a local disk, or use PostgreSQL`)];
}

/** Passkeys need a host name, and https except on this machine. */
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
        `${id} allows sign-in with providers, but has none.`,
        `authsvc app provider set ${id} PROVIDER --client-id ID --client-secret-stdin`,
      ),
    ];
  return without.map((name) =>
    problem(
      "providers",
      `${id} offers ${name}, which is not configured.`,
      `authsvc app provider set ${id} ${name} --client-id ID --client-secret-stdin`,
    ),
  );
}

export const noApplication = warning(
  "applications",
  "Nobody can sign in: there is no application yet.",
  "authsvc app create --name NAME --redirect-uri URI",
);

/**
 * Objects made by `serve --dev`: unusable without it, and confusing in the list of applications.
 */
export function developmentFindings(
  demoAppId: string | undefined,
  standIns: { appId: string; name: string }[],
): Finding[] {
  const idle = "of development mode (serve --dev), and does nothing without it.";
  const apps = demoAppId === undefined ? [] : [demoAppId];
  return [
    ...apps.map((id) =>
      warning("development", `${id} is the demo application ${idle}`, `authsvc app delete ${id} --yes`),
    ),
    // The demo application's stand-ins are removed with it.
    ...standIns
      .filter(({ appId }) => appId !== demoAppId)
      .map(({ appId, name }) =>
        warning(
          "development",
          `${name} of ${appId} is a stand-in ${idle}`,
          `authsvc app provider remove ${appId} ${name} --yes`,
        ),
      ),
  ];
}

/** After a provider moved to another directory, the old identities cannot sign in. */
export function strandedFindings(appId: string, stranded: StrandedIdentities[]): Finding[] {
  return stranded.map(({ provider, directory, issuer, identities }) =>
    warning(
      "providers",
      `${identities} ${identities === 1 ? "identity" : "identities"} of ${provider} of ${appId} cannot sign in: ${identities === 1 ? "it is" : "they are"} from ${issuer}, but ${provider} now uses ${directory}.`,
      `if that is the same directory: set ${provider} to the endpoints of ${issuer}, then to the new ones with --keep-identities`,
    ),
  );
}

export function issuerFindings(
  appId: string,
  tried: { provider: string; issuer: string; problem: string }[],
): Finding[] {
  return tried.map(({ provider, issuer, problem: seen }) =>
    problem(
      "providers",
      `Nobody can sign in to ${appId} with ${provider}. Checking ${issuer} failed: ${seen}.`,
      `open ${issuer.replace(/\/$/u, "")}/.well-known/openid-configuration from this machine; its issuer must be the one given to: authsvc app provider set ${appId} ${provider}`,
    ),
  );
}

/** Their codes are blocked after too many wrong ones, and they have no passkey to use instead. */
export function lockedOutFindings(users: { id: string; appId: string }[]): Finding[] {
  return users.map(({ id, appId }) =>
    warning(
      "second-factors",
      `${id} of ${appId} cannot sign in: too many wrong codes were entered, and the user has no passkey.`,
      `authsvc user recovery-link ${id}`,
    ),
  );
}

/** `most`: not more were read. */
export function newPasswordFindings(
  marked: { appId: string; read: number; marked: number; withoutWay: number }[],
  most: number,
): Finding[] {
  const least = marked.reduce((sum, { read }) => sum + read, 0) < most ? "" : "at least ";
  return marked
    .filter(({ withoutWay }) => withoutWay > 0)
    .map(({ appId, marked: all, withoutWay }) =>
      warning(
        "new-passwords",
        `Of ${least}${all} users of ${appId} whose password must change, ${least}${withoutWay} have no proved address, passkey or second factor: they need a reset.`,
        "authsvc user reset-link USER, for those who have no address either",
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
        `Anybody can create an account of ${id} with another person's address: without a mail server, addresses stay unverified.`,
        `set mail.smtpUrl and mail.from, or: authsvc app update ${id} --sign-up closed`,
      ),
    );
}

/** Codes that nobody can receive: no page offers them. */
export function emailCodeFindings(applications: Application[], sendsMail: boolean): Finding[] {
  if (sendsMail) return [];
  return applications
    .filter(({ settings }) => settings.emailCode === true)
    .map(({ id }) =>
      problem(
        "email-code",
        `${id} lets people sign in with a mailed code, but there is no mail server.`,
        `set mail.smtpUrl and mail.from, or: authsvc app update ${id} --email-code off`,
      ),
    );
}

/** Required values that only the server can write: they stop nobody, and nobody is asked. */
export function profileFieldFindings(appId: string, lacking: number | undefined): Finding[] {
  if (lacking === undefined || lacking === 0) return [];
  const people = lacking === 1 ? "1 person lacks" : `${lacking} people lack`;
  return [
    warning(
      "profile-fields",
      `${appId}: ${people} a required profile field that only the server writes.`,
      "authsvc user update ID --field NAME=VALUE, or PATCH /applications/{appId}/users/{userId}",
    ),
  ];
}

/**
 * An address that shares its site with nothing else of its application may be a typing error or
 * left over from a test.
 */
export function redirectUriFindings(
  { id, domain, redirectUris }: Application,
  { isDevelopment }: { isDevelopment: boolean },
): Finding[] {
  const fix = `authsvc app update ${id} --add-redirect-uri URI`;
  if (redirectUris.length === 0)
    return [warning("redirect-uris", `Nobody can sign in to ${id}: it has no redirect URI.`, fix)];
  const web = redirectUris.filter((uri) => /^https?:/u.test(uri)).map((uri) => new URL(uri));
  const hosts = web
    .filter((url) => !(isDevelopment && isLoopbackHost(hostOf(url), "localhost and below")))
    .map(({ hostname }) => hostname);
  const own = domain === null ? undefined : siteOf(domain);
  const isShared = (host: string): boolean =>
    siteOf(host) === own || hosts.filter((other) => siteOf(other) === siteOf(host)).length > 1;
  const odd = own !== undefined || hosts.some(isShared) ? hosts.filter((host) => !isShared(host)) : [];
  return [...new Set(odd)].map((host) =>
    warning("redirect-uris", `${id} redirects to ${host}, unlike its domain and its other redirect URIs.`, fix),
  );
}

/**
 * The last two labels of a host name: a good enough approximation of its site, though not in every
 * country.
 */
function siteOf(host: string): string {
  return host.split(".").slice(-2).join(".");
}

export function webhookFindings(endpoints: EndpointAnswer[]): Finding[] {
  return endpoints.flatMap(({ id, appId, enabled, disabledReason, failingSince }): Finding[] => {
    if (!enabled && disabledReason !== "operator") {
      const why = disabledReason === "gone" ? "the receiver responded 410 Gone" : "it failed for five days";
      return [
        problem("webhooks", `${id} of ${appId} was disabled: ${why}.`, `authsvc webhook update ${id} --enabled on`),
      ];
    }
    return enabled && failingSince !== null
      ? [warning("webhooks", `${id} of ${appId} has been failing since ${failingSince}.`, `authsvc webhook test ${id}`)]
      : [];
  });
}

/** Providers of organizations by which nobody can sign in. */
export function organizationProviderFindings(
  failed: readonly (Pick<OrganizationProvider, "appId" | "failingSince" | "failedAt" | "failure"> & { slug: string })[],
): Finding[] {
  return failed
    .filter(isFailing)
    .map(({ appId, slug, failingSince, failure }) =>
      warning(
        "organizations",
        `The provider of the organization ${slug} of ${appId} fails since ${isoTime(failingSince ?? 0)}: ${failure}.`,
        `authsvc organization provider test ${slug} --app ${appId}`,
      ),
    );
}

/** Applications whose servers verify tokens without the entries about organizations. */
export function oldReaderFindings(appIds: readonly string[]): Finding[] {
  return appIds.map((appId) =>
    warning(
      "organizations",
      `A server of ${appId} reads the revocation feed without entries about organizations, so it may accept the organization of a token for up to 15 minutes too long.`,
      "Update authsvc's package in that server, or add kinds=organization to its call of /auth/revocations.",
    ),
  );
}

/** Records that are missing, and a DNS that gives no answer. */
export function domainFindings(
  domains: readonly Pick<Domain, "domain" | "appId" | "organizationId" | "state" | "answer">[],
): Finding[] {
  const [unknown, missing] = [
    domains.filter(({ answer }) => answer?.result === "unknown"),
    domains.filter(({ answer }) => answer?.result !== "unknown"),
  ];
  const [first] = unknown;
  const names = unknown.map(({ domain }) => domain).join(", ");
  return [
    ...(first
      ? [
          warning(
            "organizations",
            `DNS gives no definite answer about the domains of organizations: ${names} (${first.answer?.reason}).`,
            `dig TXT _authsvc-challenge.${first.domain}; set dns.servers to name servers that answer`,
          ),
        ]
      : []),
    ...missing.map(({ domain, appId, organizationId: id, state }) =>
      warning(
        "organizations",
        state === "lapsed"
          ? `The domain ${domain} of the organization ${id} of ${appId} is lost: its record was missing on three days.`
          : `The record of the domain ${domain} of the organization ${id} of ${appId} is missing.`,
        `authsvc organization domain check ${id} ${domain} --app ${appId}`,
      ),
    ),
  ];
}

/** Only the server or an operator appoints another owner. */
export function ownerlessFindings(ownerless: readonly { id: string; appId: string; slug: string }[]): Finding[] {
  return ownerless.map(({ id, appId, slug }) =>
    warning(
      "organizations",
      `The organization ${slug} of ${appId} has no owner any more who is not disabled.`,
      `authsvc organization member add ${id} USER --app ${appId} --roles owner`,
    ),
  );
}
