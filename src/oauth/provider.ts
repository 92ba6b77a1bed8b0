import { createPrivateKey, sign } from "node:crypto";
import { providerTemplate, type Endpoints, type KnownProvider } from "./providers.ts";
import type { ProviderRow } from "./provider-store.ts";

/** A provider that an app can use now: the table's facts, the app's account, all endpoints known. */
export type ConfiguredProvider = Omit<KnownProvider, "endpoints"> & {
  name: string;
  endpoints: Endpoints;
  clientId: string;
  /** Decrypted, or minted, when it is needed. */
  clientSecret(): Promise<string>;
};

/** Where an app's account with a provider lives; undefined members must still be discovered. */
export function endpointsOf(row: ProviderRow): Partial<Endpoints> {
  const { endpoints } = providerTemplate(row.name);
  return {
    authorizationUrl: row.authorizationUrl ?? endpoints.authorizationUrl,
    tokenUrl: row.tokenUrl ?? endpoints.tokenUrl,
    userinfoUrl: row.userinfoUrl ?? endpoints.userinfoUrl,
    jwksUrl: row.jwksUrl ?? endpoints.jwksUrl,
    issuer: row.issuer ?? endpoints.issuer,
  };
}

const clientSecretSeconds = 300;

/** Apple's client secret: a JWT signed with the app's .p8 key, minted for each exchange instead of kept for half a year. */
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
