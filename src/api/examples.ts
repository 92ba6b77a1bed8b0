// Values that the examples of several operations share.

export const sessionId = "sis_1PfXufJFK8FWS56yJi91BGjd5SgxEXZH9_8OiWX67sc";
export const kid = "KLep9LKuv5__YdT5WqNsCyEBj2UHTKp4I8XjhMASPoE";
const shortUser = { id: "usr_01m839jdta2je02g4aajdct527", email: "ada@example.com", emailVerified: true, name: "Ada" };

/** Decodes to real claims; the signature is made up. */
function exampleJwt(header: object, claims: object, signature: string): string {
  return [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .concat(signature)
    .join(".");
}

export const accessToken = exampleJwt(
  { alg: "ES256", typ: "at+jwt", kid },
  {
    iss: "https://auth.example.com",
    sub: shortUser.id,
    aud: "app_shop",
    user_id: shortUser.id,
    app_id: "app_shop",
    client_id: "app_shop",
    email: shortUser.email,
    email_verified: true,
    iat: 1_763_632_800,
    exp: 1_763_633_700,
    jti: "PkSCh8jfzFMMx5ZhYRyFqA",
    sid: "lgn_01m839jdtag4pt38q71qh7yc8r",
    scope: "profile email",
    auth_time: 1_763_632_800,
    acr: "phr",
    amr: ["pop", "user", "mfa"],
  },
  "iCQmHinfcRoKkYAI5D9WuhWwJvvWSbz0r7wJAx3KAqFtuxP_WVrcRvytYfiIkEIjO2yOmMBYK-z08j_Xs6clnQ",
);

export const idToken = exampleJwt(
  { alg: "RS256", typ: "JWT", kid: "uHwX5M2Ls4Yk0cT9vR3bQ1nE7jPzGdFaSoI6mWxVtKA" },
  {
    name: shortUser.name,
    locale: "en",
    updated_at: 1_763_632_800,
    email: shortUser.email,
    email_verified: true,
    iss: "https://auth.example.com",
    sub: shortUser.id,
    aud: "cli_shop",
    azp: "cli_shop",
    iat: 1_763_632_800,
    exp: 1_763_633_700,
    auth_time: 1_763_632_800,
    nonce: "n-0S6_WzA2Mj",
    acr: "phr",
    amr: ["pop", "user", "mfa"],
    sid: "lgn_01m839jdtag4pt38q71qh7yc8r",
    at_hash: "77QmUPtjPfzWtF2AnpK9RQ",
  },
  "c2lnbmF0dXJl".repeat(42) + "c2lnbmF0",
);

export const refreshToken =
  "HgAAAABsZ25fMDFtODM5amR0YWc0cHQzOHE3MXFoN3ljOHKvaIxA89VfCWhJuiFc7AGh2VTQG6n-BVI7Ne-rX1cE1TB_KDJEXZ1kun6Y7NNpku0";
/** The code in a redirect. */
export const code = "IhKYSdciZ15ANiR5hHej9TgVP5JkWXg1RhBzQj2sa7o";
