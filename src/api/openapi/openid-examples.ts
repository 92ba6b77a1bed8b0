import { assertionAlgorithms } from "../../applications/clients/jwks.ts";
import { discoveryDocuments } from "../discovery.ts";

const issuer = "https://auth.example.com";

/** One for every answer of OpenID Connect without tokens. */
export const openIdExamples = {
  UserInfo: {
    sub: "usr_01m839jdta2je02g4aajdct527",
    name: "Ada",
    locale: "en",
    updated_at: 1_763_632_800,
    email: "ada@example.com",
    email_verified: true,
    preferred_username: "ada@example.com",
  },
  Introspection: {
    active: true,
    token_type: "Bearer" as const,
    iss: issuer,
    sub: "usr_01m839jdta2je02g4aajdct527",
    aud: "app_shop",
    client_id: "cli_shop",
    scope: "openid profile",
    exp: 1_763_633_700,
    iat: 1_763_632_800,
    jti: "PkSCh8jfzFMMx5ZhYRyFqA",
    sid: "lgn_01m839jdtag4pt38q71qh7yc8r",
  },
  PushedRequest: {
    request_uri: "urn:ietf:params:oauth:request_uri:IhKYSdciZ15ANiR5hHej9TgVP5JkWXg1RhBzQj2sa7o",
    expires_in: 60,
  },
  Revoked: {},
  ...discoveryDocuments(issuer, assertionAlgorithms),
};
