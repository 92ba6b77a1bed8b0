import { createPrivateKey, sign } from "node:crypto";
import { providerTemplate, type Endpoints, type KnownProvider } from "./providers.ts";

/** A provider that an app can use: from the table and the app's client, with all endpoints. */
export type ConfiguredProvider = Omit<KnownProvider, "endpoints"> & {
  name: string;
  endpoints: Endpoints;
  clientId: string;
  /**
   * The claim that means "two factors", such as `amr=mfa`; null: a sign-in there counts as one
   * factor.
   */
  trustsSecondFactor: string | null;
  /** The claim that has the address; null: `email`. */
  emailClaim: string | null;
  /** The directory of its subjects (`directoryOf`). */
  directory: string;
  /** Decrypted or minted on demand. */
  clientSecret(): Promise<string>;
};

/** Null or undefined: the table's. */
type ProviderAddresses = { name: string } & {
  [Field in "authorizationUrl" | "tokenUrl" | "userinfoUrl" | "jwksUrl" | "issuer"]?: string | null | undefined;
};

/** The endpoints of an app's client; undefined ones have yet to be discovered. */
export function endpointsOf(row: ProviderAddresses): Partial<Endpoints> {
  const { endpoints } = providerTemplate(row.name);
  return {
    authorizationUrl: row.authorizationUrl ?? endpoints.authorizationUrl,
    tokenUrl: row.tokenUrl ?? endpoints.tokenUrl,
    userinfoUrl: row.userinfoUrl ?? endpoints.userinfoUrl,
    jwksUrl: row.jwksUrl ?? endpoints.jwksUrl,
    issuer: row.issuer ?? endpoints.issuer,
  };
}

/** The addresses that get a client's secret and its users' access tokens. */
export function recipientsOf(settings: Parameters<typeof endpointsOf>[0]): { secret?: string; tokens?: string } {
  const { issuer, tokenUrl = issuer, userinfoUrl = issuer } = endpointsOf(settings);
  // The issuer's discovery document provides missing endpoints.
  return {
    ...(tokenUrl === undefined ? {} : { secret: tokenUrl }),
    ...(userinfoUrl === undefined ? {} : { tokens: userinfoUrl }),
  };
}

/** The directory of a provider's subjects: its issuer, or the host of its user endpoint. */
export function directoryOf(row: ProviderAddresses): string {
  const { issuer, userinfoUrl = "" } = endpointsOf(row);
  if (issuer !== undefined) return issuer.replace(/\/+$/u, "");
  return URL.canParse(userinfoUrl) ? new URL(userinfoUrl).host : "";
}

/**
 * The directory of a provider without settings in the application; "" if the name does not
 * determine it.
 */
export function knownDirectory(name: string): string {
  const { issuer, userinfoUrl } = providerTemplate(name).endpoints;
  return issuer ?? (userinfoUrl === undefined ? "" : new URL(userinfoUrl).host);
}

const clientSecretSeconds = 300;

/**
 * Apple's client secret: a JWT signed with the app's .p8 key, minted for each exchange instead of
 * stored for half a year.
 */
export function mintAppleSecret(
  account: { clientId: string; teamId: string; keyId: string; privateKeyPem: string; issuer: string },
  now: number,
): string {
  const issuedAt = Math.floor(now / 1000);
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const header = encode({ alg: "ES256", kid: account.keyId });
  const claims = encode({
    iss: account.teamId,
    iat: issuedAt,
    exp: issuedAt + clientSecretSeconds,
    aud: account.issuer,
    sub: account.clientId,
  });
  const key = createPrivateKey(account.privateKeyPem);
  const signature = sign("sha256", Buffer.from(`${header}.${claims}`), { key, dsaEncoding: "ieee-p1363" });
  return `${header}.${claims}.${signature.toString("base64url")}`;
}
