import { Option, type Command } from "commander";
import type { ClientChange } from "../../applications/clients/settings.ts";
import { standardScopes } from "../../applications/resources/resource.ts";
import { AppError } from "../../lib/errors.ts";
import {
  dpopPolicies,
  type ClientProfile,
  type DpopPolicy,
  type SecondFactorPolicy,
} from "../../storage/column-types.ts";
import type { Io } from "../io.ts";
import { readKeyFile } from "./ask.ts";
import { secondFactorOption } from "./second-factor-flags.ts";

export type ClientFlags = {
  name?: string;
  redirectUri?: string[];
  postLogoutRedirectUri?: string[];
  backchannelLogoutUri?: string;
  scope?: string[];
  resource?: string[];
  exchangeTo?: string[];
  audienceOf?: string[];
  consent?: "none" | "ask";
  requirePkce?: "on" | "off";
  jwksFile?: string;
  idTokenAlg?: "RS256" | "ES256" | "EdDSA";
  idTokenClaims?: "granted" | "minimal";
  assertionAudience?: "issuer" | "any";
  refreshTokens?: "offline_access" | "always";
  allowedGroups?: string;
  deviceGrant?: "on" | "off";
  secondFactor?: SecondFactorPolicy;
  dpop?: DpopPolicy;
  dpopNonce?: "on" | "off";
  profile?: ClientProfile | "none";
};

/** Which flag gave a field that the service refuses. */
export const clientFlagOfField = {
  id: "--id",
  name: "--name",
  redirectUris: "--redirect-uri",
  postLogoutRedirectUris: "--post-logout-redirect-uri",
  backchannelLogoutUri: "--backchannel-logout-uri",
  scopes: "--scope",
  resources: "--resource",
  resourceScopes: "--scope",
  exchangeTo: "--exchange-to",
  audienceOf: "--audience-of",
  requirePkce: "--require-pkce",
  jwks: "--jwks-file",
  allowedGroups: "--allowed-groups",
  idTokenAlg: "--id-token-alg",
  assertionAudience: "--assertion-audience",
  dpop: "--dpop",
  profile: "--profile",
  deviceGrant: "--device-grant",
};

/** Adds the flags of `client create` and `client update`. */
export function addClientFlags<C extends Command>(command: C): C {
  return command
    .option("--name <name>", "name of the program, shown to people who are asked for their consent")
    .option("--redirect-uri <uri...>", "where people return to after signing in; replaces all others; repeatable")
    .option("--post-logout-redirect-uri <uri...>", "where people may return to after signing out; repeatable")
    .option("--backchannel-logout-uri <url>", "https URL that receives a logout token when a login ends")
    .option(
      "--scope <scope...>",
      "scope that it may request (default: all of its application, and of its resources; empty: none of its resources)",
    )
    .option("--resource <uri...>", "resource that it may ask tokens for; replaces all others; repeatable")
    .option("--exchange-to <uri...>", "resource that it may exchange tokens of people for; repeatable")
    .option("--audience-of <uri...>", "resource whose API it is: it may exchange tokens that it receives; repeatable")
    .addOption(
      new Option("--consent <policy>", "ask: people must give their consent first; for third-party programs").choices([
        "none",
        "ask",
      ]),
    )
    .addOption(new Option("--require-pkce <switch>", "require PKCE for every sign-in").choices(["on", "off"]))
    .option("--jwks-file <file>", "public keys (a JSON Web Key Set) for private_key_jwt")
    .addOption(
      new Option(
        "--assertion-audience <which>",
        "audience of private_key_jwt: the issuer (default), or any, which also accepts endpoints",
      ).choices(["issuer", "any"]),
    )
    .addOption(
      new Option("--id-token-alg <name>", "algorithm that signs ID tokens (default: RS256)").choices([
        "RS256",
        "ES256",
        "EdDSA",
      ]),
    )
    .addOption(
      new Option(
        "--id-token-claims <which>",
        "claims of ID tokens: those of the granted scopes, or only required ones",
      ).choices(["granted", "minimal"]),
    )
    .addOption(
      new Option("--refresh-tokens <when>", "whether refresh tokens need the scope offline_access").choices([
        "offline_access",
        "always",
      ]),
    )
    .addOption(
      new Option(
        "--device-grant <switch>",
        "sign people in on devices without a browser (kind device: always)",
      ).choices(["on", "off"]),
    )
    .option("--allowed-groups <list>", "only members of these groups may sign in; empty: everybody")
    .addOption(secondFactorOption("required: people need a second factor to sign in with it"))
    .addOption(
      new Option("--dpop <policy>", "required: only tokens that are bound to a key; off: ignores proofs").choices(
        dpopPolicies,
      ),
    )
    .addOption(
      new Option("--dpop-nonce <switch>", "whether DPoP proofs need a nonce of the service").choices(["on", "off"]),
    )
    .addOption(
      new Option(
        "--profile <name>",
        "fapi2: turn on all that the FAPI 2.0 Security Profile demands, and refuse the rest",
      ).choices(["fapi2", "none"]),
    );
}

/** Only the given options. An empty value removes what may be missing. */
export async function clientChangeFrom(io: Io, flags: ClientFlags): Promise<ClientChange> {
  const { name, redirectUri, postLogoutRedirectUri, backchannelLogoutUri, scope, resource, requirePkce } = flags;
  const {
    jwksFile,
    consent,
    idTokenAlg,
    idTokenClaims,
    assertionAudience,
    refreshTokens,
    allowedGroups,
    deviceGrant,
    secondFactor,
    dpop,
    dpopNonce,
    profile,
  } = flags;
  const change = {
    name,
    redirectUris: redirectUri?.filter((uri) => uri !== ""),
    postLogoutRedirectUris: postLogoutRedirectUri?.filter((uri) => uri !== ""),
    backchannelLogoutUri: backchannelLogoutUri === "" ? null : backchannelLogoutUri,
    ...scopesFrom(scope),
    resources: resource?.filter((uri) => uri !== ""),
    exchangeTo: flags.exchangeTo?.filter((uri) => uri !== ""),
    audienceOf: flags.audienceOf?.filter((uri) => uri !== ""),
    requirePkce: requirePkce && requirePkce === "on",
    jwks: jwksFile === "" ? null : jwksFile && (await readJwks(io, jwksFile)),
    consent,
    idTokenAlg,
    idTokenClaims,
    assertionAudience,
    refreshTokens,
    allowedGroups: allowedGroups === "" ? null : allowedGroups?.split(",").map((name) => name.trim()),
    deviceGrant: deviceGrant && deviceGrant === "on",
    secondFactor,
    dpop,
    dpopNonce: dpopNonce && dpopNonce === "on",
    profile: profile === "none" ? null : profile,
  };
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}

/** Names of scopes of OpenID Connect leave those of resources as they are, and vice versa. */
function scopesFrom(flag: string[] = []): Pick<ClientChange, "scopes" | "resourceScopes"> {
  const names = flag.flatMap((list) => list.split(/[\s,]+/u)).filter((one) => one !== "");
  const scopes = names.filter((one) => standardScopes.includes(one));
  const resourceScopes = names.filter((one) => !standardScopes.includes(one));
  return {
    ...(scopes.length === 0 ? {} : { scopes }),
    ...(resourceScopes.length === 0 && !flag.includes("") ? {} : { resourceScopes }),
  };
}

async function readJwks(io: Io, file: string): Promise<unknown> {
  const text = await readKeyFile(io, file, "--jwks-file");
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError("INVALID_REQUEST", "--jwks-file: the file is not JSON", { cause });
  }
}
