/** What an operator may set of an OpenID Connect client, as `client create` and `update` do. */
import type { Application } from "../../applications/application.ts";
import { scopesOf, type ClientAnswer } from "../../applications/clients/client.ts";
import type { NewClient } from "../../applications/clients/rules.ts";
import type { ClientChange } from "../../applications/clients/settings.ts";
import { invalidRequest } from "../../lib/errors.ts";
import { secondFactorPolicies } from "../../storage/column-types.ts";
import { linesOf, listOf, type Values } from "../parts/fields.ts";
import { cleared, onOff, onOrOff, optionOf, secondFactorOptions, type Setting } from "./setting.ts";

export type ClientSetting = Setting<ClientAnswer, ClientChange>;
export type NewClientSetting = Omit<Setting<ClientAnswer, Partial<NewClient>>, "of">;

const algorithms = ["RS256", "ES256", "EdDSA"] as const;
const kinds = ["web", "spa", "native", "device"] as const;

const uriLines = (value: string) => (value === "" ? [""] : linesOf(value));

/** Those that can be changed later. */
export function clientSettings(application: Application): ClientSetting[] {
  const scopes = scopesOf(application);
  return [
    {
      name: "name",
      label: "Name",
      hint: "People who are asked for their consent see it.",
      of: (client) => client.name,
      change: (value) => ({ name: value }),
      words: (value) => ["--name", value],
    },
    {
      name: "redirectUris",
      label: "Redirect URIs",
      hint: "Where people return to after signing in, one a line.",
      kind: "lines",
      of: (client) => client.redirectUris.join("\n"),
      change: (value) => ({ redirectUris: linesOf(value) }),
      words: (value) => ["--redirect-uri", ...uriLines(value)],
    },
    {
      name: "postLogoutRedirectUris",
      label: "After signing out",
      hint: "Where people may return to, one a line.",
      kind: "lines",
      of: (client) => client.postLogoutRedirectUris.join("\n"),
      change: (value) => ({ postLogoutRedirectUris: linesOf(value) }),
      words: (value) => ["--post-logout-redirect-uri", ...uriLines(value)],
    },
    {
      name: "backchannelLogoutUri",
      label: "Back-channel logout",
      hint: "An https URL that receives a logout token when a login ends.",
      of: (client) => client.backchannelLogoutUri ?? "",
      change: (value) => ({ backchannelLogoutUri: cleared(value) }),
      words: (value) => ["--backchannel-logout-uri", value],
    },
    {
      name: "scopes",
      label: "Scopes",
      kind: "some-of",
      options: scopes.map((scope) => [scope, scope] as const),
      of: (client) => client.scopes.join(","),
      change: (value) => ({ scopes: listOf(value) }),
      words: (value) => ["--scope", ...listOf(value)],
    },
    {
      name: "consent",
      label: "Consent",
      kind: "one-of",
      options: [
        ["none", "Not asked: our own program"],
        ["ask", "Asked: somebody else's program"],
      ],
      of: (client) => client.consent,
      change: (value) => ({ consent: optionOf("consent", value, ["none", "ask"]) }),
      words: (value) => ["--consent", value],
    },
    {
      name: "requirePkce",
      label: "PKCE required",
      hint: "Always, for programs in browsers and on devices.",
      kind: "one-of",
      options: onOff,
      of: (client) => onOrOff(client.requirePkce),
      change: (value) => ({ requirePkce: value === "on" }),
      words: (value) => ["--require-pkce", value],
    },
    {
      name: "refreshTokens",
      label: "Refresh tokens",
      kind: "one-of",
      options: [
        ["offline_access", "With the scope offline_access"],
        ["always", "Always"],
      ],
      of: (client) => client.refreshTokens,
      change: (value) => ({ refreshTokens: optionOf("refreshTokens", value, ["offline_access", "always"]) }),
      words: (value) => ["--refresh-tokens", value],
    },
    {
      name: "deviceGrant",
      label: "Device grant",
      hint: "Signs people in on devices without a browser. Always on for programs of that kind.",
      kind: "one-of",
      options: onOff,
      of: (client) => onOrOff(client.deviceGrant),
      change: (value) => ({ deviceGrant: value === "on" }),
      words: (value) => ["--device-grant", value],
    },
    {
      name: "allowedGroups",
      label: "Allowed groups",
      hint: "Separated by commas. Only their members may sign in. Empty: everybody.",
      empty: "everybody",
      of: (client) => client.allowedGroups?.join(", ") ?? "",
      change: (value) => ({ allowedGroups: value === "" ? null : listOf(value) }),
      words: (value) => ["--allowed-groups", listOf(value).join(",")],
    },
    {
      name: "secondFactor",
      label: "Second factor",
      kind: "one-of",
      options: secondFactorOptions,
      of: (client) => client.secondFactor ?? "off",
      change: (value) => ({ secondFactor: optionOf("secondFactor", value, secondFactorPolicies) }),
      words: (value) => ["--second-factor", value],
    },
    {
      name: "idTokenAlg",
      label: "Algorithm of ID tokens",
      kind: "one-of",
      options: algorithms.map((algorithm) => [algorithm, algorithm] as const),
      of: (client) => client.idTokenAlg,
      change: (value) => ({ idTokenAlg: optionOf("idTokenAlg", value, algorithms) }),
      words: (value) => ["--id-token-alg", value],
    },
    {
      name: "idTokenClaims",
      label: "Claims of ID tokens",
      kind: "one-of",
      options: [
        ["granted", "Those of the granted scopes"],
        ["minimal", "Only the required ones"],
      ],
      of: (client) => client.idTokenClaims,
      change: (value) => ({ idTokenClaims: optionOf("idTokenClaims", value, ["granted", "minimal"]) }),
      words: (value) => ["--id-token-claims", value],
    },
    {
      name: "jwks",
      label: "Public keys",
      hint: "A JSON Web Key Set, for private_key_jwt instead of a secret.",
      kind: "lines",
      of: (client) => (client.jwks === null ? "" : JSON.stringify(client.jwks, null, 1)),
      change: (value) => ({ jwks: value === "" ? null : jsonOf(value) }),
      words: (value) => ["--jwks-file", value === "" ? "" : "FILE"],
    },
    {
      name: "assertionAudience",
      label: "Audience of private_key_jwt",
      kind: "one-of",
      options: [
        ["issuer", "The issuer"],
        ["any", "Also endpoints"],
      ],
      of: (client) => client.assertionAudience,
      change: (value) => ({ assertionAudience: optionOf("assertionAudience", value, ["issuer", "any"]) }),
      words: (value) => ["--assertion-audience", value],
    },
    {
      name: "profile",
      label: "Security profile",
      hint: "FAPI 2.0 turns on all that it demands, and refuses the rest.",
      kind: "one-of",
      options: [
        ["none", "None"],
        ["fapi2", "FAPI 2.0"],
      ],
      of: (client) => client.profile ?? "none",
      change: (value) => ({ profile: value === "none" ? null : optionOf("profile", value, ["fapi2"]) }),
      words: (value) => ["--profile", value],
    },
  ];
}

/** Those of a new client. */
export function newClientSettings(application: Application): NewClientSetting[] {
  const [name, ...others] = clientSettings(application);
  return [
    ...(name ? [name] : []),
    {
      name: "kind",
      label: "Where it runs",
      kind: "one-of",
      options: [
        ["web", "On a server: it has a secret"],
        ["spa", "In browsers"],
        ["native", "On devices"],
        ["device", "On devices without a browser"],
      ],
      change: (value) => ({ kind: optionOf("kind", value, kinds) }),
      words: (value) => ["--kind", value],
    },
    {
      name: "id",
      label: "Client ID",
      hint: "Empty: a generated one.",
      change: (value) => ({ id: value }),
      words: (value) => ["--id", value],
    },
    ...others,
  ];
}

export function newClientDefaults(application: Application): Values {
  return {
    kind: "web",
    scopes: scopesOf(application).join(","),
    consent: "none",
    requirePkce: "off",
    refreshTokens: "offline_access",
    deviceGrant: "off",
    secondFactor: "off",
    idTokenAlg: "RS256",
    idTokenClaims: "granted",
    assertionAudience: "issuer",
    profile: "none",
  };
}

function jsonOf(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch (cause) {
    throw invalidRequest("jwks", "not JSON", cause);
  }
}
