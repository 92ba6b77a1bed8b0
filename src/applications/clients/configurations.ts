import { isConfidential, type ClientAnswer } from "./client.ts";

type Settings = {
  issuer: string;
  clientId: string;
  scopes: string[];
  /** Where the program receives the response. */
  redirectUri: string;
  /** The origin of the program. */
  origin: string;
  postLogoutRedirectUri: string | undefined;
  client: ClientAnswer;
};

/**
 * `path`: where the program receives responses, if known. `scopes`: those that it requires.
 * `idTokenAlg`: the only one that it takes. `write`: returns its configuration, without the secret.
 */
type Program = {
  title: string;
  path?: string;
  scopes?: string[];
  idTokenAlg?: "RS256";
  write(settings: Settings): string[];
};

/**
 * Programs with "sign in with OpenID Connect", by their names for `client show --for`. Each reads
 * the client secret from a variable or a file, so the printed text works unchanged.
 */
const configurations = {
  grafana: {
    title: "Grafana",
    path: "/login/generic_oauth",
    write: ({ issuer, clientId, scopes, origin, postLogoutRedirectUri }) => [
      "; grafana.ini. The secret is read from the variable CLIENT_SECRET.",
      "[server]",
      `root_url = ${origin}`,
      "",
      "[auth.generic_oauth]",
      "enabled = true",
      "name = authsvc",
      `client_id = ${clientId}`,
      "client_secret = $__env{CLIENT_SECRET}",
      `scopes = ${scopes.join(" ")}`,
      `auth_url = ${issuer}/oauth2/authorize`,
      `token_url = ${issuer}/oauth2/token`,
      `api_url = ${issuer}/oauth2/userinfo`,
      "use_pkce = true",
      ...(scopes.includes("offline_access") ? ["use_refresh_token = true"] : []),
      "login_attribute_path = email",
      "name_attribute_path = name",
      "email_attribute_path = email",
      ...(postLogoutRedirectUri === undefined
        ? []
        : [
            `signout_redirect_url = ${issuer}/oauth2/end-session?post_logout_redirect_uri=${encodeURIComponent(postLogoutRedirectUri)}`,
          ]),
    ],
  },
  nextcloud: {
    title: "Nextcloud",
    path: "/apps/user_oidc/code",
    write: ({ issuer, clientId, scopes }) => [
      "# In the folder of Nextcloud, as its user, with the secret in the variable CLIENT_SECRET.",
      "php occ app:install user_oidc",
      "php occ user_oidc:provider authsvc \\",
      `  --clientid="${clientId}" --clientsecret="$CLIENT_SECRET" \\`,
      `  --discoveryuri="${issuer}/.well-known/openid-configuration" \\`,
      `  --scope="${scopes.join(" ")}" \\`,
      "  --mapping-uid=sub --mapping-display-name=name --mapping-email=email",
    ],
  },
  gitea: {
    title: "Gitea",
    path: "/user/oauth2/authsvc/callback",
    write: ({ issuer, clientId, scopes }) => [
      "# As the user of Gitea, with the secret in the variable CLIENT_SECRET.",
      "gitea admin auth add-oauth --name authsvc --provider openidConnect \\",
      `  --key "${clientId}" --secret "$CLIENT_SECRET" \\`,
      `  --auto-discover-url "${issuer}/.well-known/openid-configuration" \\`,
      `  ${scopes
        .filter((scope) => scope !== "openid")
        .map((scope) => `--scopes ${scope}`)
        .join(" ")}`,
    ],
  },
  "oauth2-proxy": {
    title: "oauth2-proxy",
    path: "/oauth2/callback",
    write: ({ issuer, clientId, scopes, redirectUri }) => [
      "# oauth2-proxy.cfg. Also set OAUTH2_PROXY_COOKIE_SECRET to 32 random bytes, and upstreams to what it protects.",
      'provider = "oidc"',
      `oidc_issuer_url = "${issuer}"`,
      `client_id = "${clientId}"`,
      'client_secret_file = "/etc/oauth2-proxy/client-secret"',
      `redirect_url = "${redirectUri}"`,
      `scope = "${scopes.join(" ")}"`,
      'code_challenge_method = "S256"',
      'email_domains = ["*"]',
    ],
  },
  mod_auth_openidc: {
    title: "Apache",
    path: "/oauth2callback",
    write: ({ issuer, clientId, scopes, redirectUri }) => [
      "# In the virtual host of Apache. The path of OIDCRedirectURI must not exist on the site.",
      "# The included file belongs to root, with mode 600. Write these two lines into it:",
      '#   OIDCClientSecret "the client secret"',
      '#   OIDCCryptoPassphrase "32 random bytes, from: openssl rand -base64 32"',
      "Include /etc/apache2/authsvc-client.conf",
      `OIDCProviderMetadataURL ${issuer}/.well-known/openid-configuration`,
      `OIDCClientID ${clientId}`,
      `OIDCRedirectURI ${redirectUri}`,
      `OIDCScope "${scopes.join(" ")}"`,
      "OIDCPKCEMethod S256",
      "OIDCRemoteUserClaim sub",
      "<Location />",
      "  AuthType openid-connect",
      "  Require valid-user",
      "</Location>",
    ],
  },
  authjs: {
    title: "Auth.js",
    path: "/api/auth/callback/authsvc",
    write: ({ issuer, clientId, scopes, client: { idTokenAlg } }) => [
      "// auth.ts. The secret is read from the variable AUTH_AUTHSVC_SECRET.",
      'import NextAuth from "next-auth";',
      "",
      "export const { handlers, auth, signIn, signOut } = NextAuth({",
      "  providers: [",
      "    {",
      '      id: "authsvc",',
      '      name: "authsvc",',
      '      type: "oidc",',
      `      issuer: "${issuer}",`,
      `      clientId: "${clientId}",`,
      "      clientSecret: process.env.AUTH_AUTHSVC_SECRET,",
      `      authorization: { params: { scope: "${scopes.join(" ")}" } },`,
      '      checks: ["pkce", "state", "nonce"],',
      ...(idTokenAlg === "RS256" ? [] : [`      client: { id_token_signed_response_alg: "${idTokenAlg}" },`]),
      "    },",
      "  ],",
      "});",
    ],
  },
  spring: {
    title: "Spring Boot",
    path: "/login/oauth2/code/authsvc",
    idTokenAlg: "RS256",
    write: ({ issuer, clientId, scopes }) => [
      "# application.yaml. The secret is read from the variable CLIENT_SECRET.",
      "spring:",
      "  security:",
      "    oauth2:",
      "      client:",
      "        registration:",
      "          authsvc:",
      `            client-id: ${JSON.stringify(clientId)}`,
      "            client-secret: ${CLIENT_SECRET}",
      "            authorization-grant-type: authorization_code",
      '            redirect-uri: "{baseUrl}/login/oauth2/code/{registrationId}"',
      `            scope: ${scopes.join(",")}`,
      "        provider:",
      "          authsvc:",
      `            issuer-uri: ${issuer}`,
    ],
  },
  jupyterhub: {
    title: "JupyterHub",
    path: "/hub/oauth_callback",
    scopes: ["profile", "email"],
    write: ({ issuer, clientId, scopes, redirectUri }) => [
      "# jupyterhub_config.py, with the package oauthenticator. The secret is read from the variable CLIENT_SECRET.",
      "import os",
      "",
      'c.JupyterHub.authenticator_class = "generic-oauth"',
      'c.GenericOAuthenticator.login_service = "authsvc"',
      `c.GenericOAuthenticator.client_id = ${JSON.stringify(clientId)}`,
      'c.GenericOAuthenticator.client_secret = os.environ["CLIENT_SECRET"]',
      `c.GenericOAuthenticator.oauth_callback_url = "${redirectUri}"`,
      `c.GenericOAuthenticator.authorize_url = "${issuer}/oauth2/authorize"`,
      `c.GenericOAuthenticator.token_url = "${issuer}/oauth2/token"`,
      `c.GenericOAuthenticator.userdata_url = "${issuer}/oauth2/userinfo"`,
      `c.GenericOAuthenticator.scope = ${JSON.stringify(scopes)}`,
      "# The email address, only if it is verified. Users without one are rejected.",
      'c.GenericOAuthenticator.username_claim = "preferred_username"',
      "# Everybody who may sign in with this client. Otherwise set allowed_users.",
      "c.GenericOAuthenticator.allow_all = True",
    ],
  },
  django: {
    title: "Django",
    path: "/accounts/oidc/authsvc/login/callback/",
    write: ({ issuer, clientId, scopes }) => [
      '# settings.py, with the package "django-allauth[socialaccount]". The secret is read from the variable CLIENT_SECRET.',
      '# urls.py needs: path("accounts/", include("allauth.urls"))',
      "import os",
      "",
      'INSTALLED_APPS += ["allauth", "allauth.account", "allauth.socialaccount"]',
      'INSTALLED_APPS += ["allauth.socialaccount.providers.openid_connect"]',
      'MIDDLEWARE += ["allauth.account.middleware.AccountMiddleware"]',
      "AUTHENTICATION_BACKENDS = [",
      '    "django.contrib.auth.backends.ModelBackend",',
      '    "allauth.account.auth_backends.AuthenticationBackend",',
      "]",
      'LOGIN_URL = "/accounts/oidc/authsvc/login/"',
      "SOCIALACCOUNT_LOGIN_ON_GET = True",
      "SOCIALACCOUNT_PROVIDERS = {",
      '    "openid_connect": {',
      '        "OAUTH_PKCE_ENABLED": True,',
      `        "SCOPE": ${JSON.stringify(scopes)},`,
      '        "APPS": [',
      "            {",
      '                "provider_id": "authsvc",',
      '                "name": "authsvc",',
      `                "client_id": ${JSON.stringify(clientId)},`,
      '                "secret": os.environ["CLIENT_SECRET"],',
      `                "settings": {"server_url": "${issuer}"},`,
      "            }",
      "        ],",
      "    }",
      "}",
    ],
  },
  pgadmin: {
    title: "pgAdmin",
    path: "/oauth2/authorize",
    scopes: ["profile", "email"],
    write: ({ issuer, clientId, scopes }) => [
      "# config_local.py. The secret is read from the variable CLIENT_SECRET.",
      "import os",
      "",
      'AUTHENTICATION_SOURCES = ["oauth2", "internal"]',
      "OAUTH2_AUTO_CREATE_USER = True",
      "OAUTH2_CONFIG = [",
      "    {",
      '        "OAUTH2_NAME": "authsvc",',
      '        "OAUTH2_DISPLAY_NAME": "authsvc",',
      `        "OAUTH2_CLIENT_ID": ${JSON.stringify(clientId)},`,
      '        "OAUTH2_CLIENT_SECRET": os.environ["CLIENT_SECRET"],',
      `        "OAUTH2_SERVER_METADATA_URL": "${issuer}/.well-known/openid-configuration",`,
      `        "OAUTH2_AUTHORIZATION_URL": "${issuer}/oauth2/authorize",`,
      `        "OAUTH2_TOKEN_URL": "${issuer}/oauth2/token",`,
      `        "OAUTH2_API_BASE_URL": "${issuer}/oauth2/",`,
      '        "OAUTH2_USERINFO_ENDPOINT": "userinfo",',
      `        "OAUTH2_SCOPE": "${scopes.join(" ")}",`,
      '        "OAUTH2_CHALLENGE_METHOD": "S256",',
      '        "OAUTH2_RESPONSE_TYPE": "code",',
      "        # The email address, only if it is verified. Users without one are rejected.",
      '        "OAUTH2_USERNAME_CLAIM": "preferred_username",',
      '        "OAUTH2_ICON": "fa-openid",',
      '        "OAUTH2_BUTTON_COLOR": "#3253a8",',
      "    }",
      "]",
    ],
  },
  generic: {
    title: "Another program",
    write: ({ issuer, clientId, scopes, client }) => [
      `Issuer:                 ${issuer}`,
      `Discovery:              ${issuer}/.well-known/openid-configuration`,
      `Client ID:              ${clientId}`,
      `Client secret:          ${isConfidential(client) ? "shown once; for a new one: authsvc client secret create" : "none"}`,
      `Client authentication:  ${isConfidential(client) ? "client_secret_basic or client_secret_post" : "none"}`,
      `Scopes:                 ${scopes.join(" ")}`,
      ...client.redirectUris.map((uri) => `Redirect URI:           ${uri}`),
      "Flow, response type:    authorization code, code",
      `PKCE:                   S256${client.requirePkce ? " (required)" : ""}`,
      `ID token algorithm:     ${client.idTokenAlg}`,
      "User ID:                sub",
      "User name:              preferred_username (the address, if it is verified), email, name",
      `Authorization endpoint: ${issuer}/oauth2/authorize`,
      `Token endpoint:         ${issuer}/oauth2/token`,
      `Userinfo endpoint:      ${issuer}/oauth2/userinfo`,
      `Keys (JWKS):            ${issuer}/.well-known/jwks.json`,
      `Logout endpoint:        ${issuer}/oauth2/end-session`,
    ],
  },
} satisfies Record<string, Program>;

export type ProgramClient = {
  redirectUris: string[];
  postLogoutRedirectUris?: string[];
  scopes: string[];
  idTokenAlg?: "RS256";
};

export type ProgramName = keyof typeof configurations;

export const programs = Object.keys(configurations) as ProgramName[];

export function programTitle(program: ProgramName): string {
  return configurations[program].title;
}

/**
 * The client that a program at `address` needs, such as https://grafana.example.com; for another
 * program, `address` is its redirect URI.
 */
export function clientOfProgram(program: ProgramName, address: string): ProgramClient {
  const { path, scopes = [], idTokenAlg }: Program = configurations[program];
  const origin = address.replace(/\/+$/u, "");
  return {
    redirectUris: [path === undefined ? address : `${origin}${path}`],
    ...(path !== undefined && { postLogoutRedirectUris: [`${origin}/`] }),
    scopes: [...new Set(["openid", "profile", "email", ...scopes])],
    ...(idTokenAlg && { idTokenAlg }),
  };
}

/** The configuration of a program, and sentences about missing settings. */
export function configurationFor(
  program: ProgramName,
  client: ClientAnswer,
  issuer: string,
): { text: string; missing: string[] } {
  const { path = "", scopes: needed = [], idTokenAlg, write }: Program = configurations[program];
  const { id, redirectUris, scopes, postLogoutRedirectUris } = client;
  const registered = redirectUris.find((uri) => /^https?:/u.test(uri) && new URL(uri).pathname.endsWith(path));
  const web = redirectUris.find((uri) => /^https?:/u.test(uri));
  const origin = web === undefined ? `https://${program.replaceAll("_", "-")}.example.com` : new URL(web).origin;
  const redirectUri = registered ?? `${origin}${path}`;
  const settings: Settings = {
    issuer,
    clientId: id,
    scopes,
    redirectUri,
    // A program may be below a path.
    origin: redirectUri.slice(0, redirectUri.lastIndexOf(path)),
    postLogoutRedirectUri: postLogoutRedirectUris[0],
    client,
  };
  if (program === "generic") return { text: `${write(settings).join("\n")}\n`, missing: [] };
  const lacking = needed.filter((scope) => !scopes.includes(scope));
  const missing = [
    ...(registered === undefined
      ? [`${program} needs this redirect URI, which the client does not have: ${redirectUri}`]
      : []),
    ...(client.kind === "web" ? [] : [`${program} needs a client of kind web, with a secret.`]),
    ...(lacking.length > 0
      ? [`${program} needs more scopes: authsvc client update ${id} --scope ${[...scopes, ...lacking].join(" ")}`]
      : []),
    ...(idTokenAlg !== undefined && client.idTokenAlg !== idTokenAlg
      ? [`${program} expects ${idTokenAlg}: authsvc client update ${id} --id-token-alg ${idTokenAlg}`]
      : []),
  ];
  return { text: `${write(settings).join("\n")}\n`, missing };
}
