import { z } from "zod";
import type { Application } from "../applications/application.ts";
import { publicConfig } from "../applications/public-config.ts";
import * as applications from "../applications/service.ts";
import { applicationSettings } from "../applications/settings.ts";
import { json } from "../http/answer.ts";
import { scope } from "./answers.ts";
import { address, flag, number, text } from "./fields.ts";
import { byManager, type Managed } from "./management-guards.ts";
import { named, operation, type Operation } from "./operation.ts";

const { about: passkeysEnabled } = applicationSettings["authMethods.passkey.enabled"];
const { about: passkeyRequired } = applicationSettings["authMethods.passkey.required"];
const { about: passwordsEnabled } = applicationSettings["authMethods.password.enabled"];
const { about: providersEnabled } = applicationSettings["authMethods.oauth.enabled"];

const passkeySwitch = named("PasskeySwitch", "Passkeys of the application.", () =>
  z.strictObject({ enabled: flag(passkeysEnabled), required: flag(passkeyRequired) }),
);
const passwordSwitch = named("PasswordSwitch", "Passwords of the application.", () =>
  z.strictObject({ enabled: flag(passwordsEnabled) }),
);
const oauthSwitch = named("OAuthSwitch", "Providers of the application.", () =>
  z.strictObject({
    enabled: flag(providersEnabled),
    providers: z.array(text("The name of a provider.")).describe("The providers that are offered."),
  }),
);
const applicationMethods = named("ApplicationMethods", "The ways to sign in to the application.", () =>
  z.strictObject({ passkey: passkeySwitch.schema, oauth: oauthSwitch.schema, password: passwordSwitch.schema }),
);
const branding = named(
  "Branding",
  "The branding of the hosted pages.",
  () =>
    z.strictObject({
      logo: address("The URL of the logo on the hosted pages.").nullable(),
      primaryColor: text("`#rrggbb`").nullable(),
      companyName: text("The name on the hosted pages.").nullable(),
    }),
  { logo: "https://shop.example.com/logo.svg", primaryColor: "#1a5fb4", companyName: "My shop" },
);
const applicationBranding = named(
  "ApplicationBranding",
  "The branding of the hosted pages, and where they link back to.",
  () => branding.schema.extend({ homeUrl: address("Where the pages link back to, if set.").optional() }),
);
const statistics = named("Statistics", "Counts of the application.", () =>
  z.strictObject({
    totalUsers: number("Users of the application."),
    activeUsers: number("Users who signed in within 30 days."),
    totalLogins: number("Sign-ins so far."),
  }),
);
const applicationFields = () => ({
  id: text("The App ID."),
  name: text("The name of the application."),
  domain: text("The domain of its passkeys, if it has its own.").nullable(),
});
const shop = { id: "app_shop", name: "My shop", domain: "example.com", branding: branding.example };

const application = named(
  "Application",
  "An application.",
  () =>
    z.strictObject({
      ...applicationFields(),
      redirectUris: z.array(text("A redirect URI.")).describe(applicationSettings.redirectUris.about),
      authMethods: applicationMethods.schema,
      branding: applicationBranding.schema,
      stats: statistics.schema,
    }),
  {
    ...shop,
    redirectUris: ["https://shop.example.com/callback"],
    authMethods: {
      passkey: { enabled: true, required: false },
      oauth: { enabled: true, providers: ["google", "github"] },
      password: { enabled: true },
    },
    stats: { totalUsers: 1200, activeUsers: 340, totalLogins: 98_000 },
  },
);

export const getApplication = operation({
  id: "getApplication",
  tag: "Applications",
  summary: "Read the application",
  description: "Settings and counts of the application that the API key belongs to.",
  answer: { schema: application, about: "The application with its statistics." },
  handle: (ctx, _request, { id }: Application) => applications.get(ctx, id),
});

const mayBe = z.boolean("must be a boolean").optional();

/**
 * The settings that an application's own server may change (docs/spec/http-api.md, 4.4); the
 * operator changes the rest.
 */
const applicationBody = z.strictObject({
  name: z.string("must be a string").optional(),
  redirectUris: z.array(z.string("must be a string"), "must be an array").optional(),
  authMethods: z
    .strictObject(
      {
        passkey: z.strictObject({ enabled: mayBe, required: mayBe }, "must be an object").optional(),
        oauth: z
          .strictObject(
            { enabled: mayBe, providers: z.array(z.string("must be a string"), "must be an array").optional() },
            "must be an object",
          )
          .optional(),
        password: z.strictObject({ enabled: mayBe }, "must be an object").optional(),
      },
      "must be an object",
    )
    .optional(),
  branding: z
    .strictObject({ homeUrl: z.string("must be a string or null").nullable().optional() }, "must be an object")
    .optional(),
});

export const updateApplication = operation({
  id: "updateApplication",
  tag: "Applications",
  summary: "Change name, redirect URIs and methods",
  description: "Omitted fields stay as they are, at any depth. A list replaces the previous list.",
  body: {
    name: "ApplicationRequest",
    schema: applicationBody,
    fields: {
      name: {
        about:
          "The application's name on its pages: no control characters, no `/` or `@`, and nothing that looks like a web address. Mails keep the name that the operator set. An unchanged name may be longer.",
        minLength: 1,
        maxLength: 200,
      },
      redirectUris: {
        about: "Replaces the list.",
        maxItems: 50,
        items: {
          about: "https, http for localhost, or a private-use scheme with a dot.",
          format: "uri",
          maxLength: 2048,
        },
      },
      authMethods: {
        about: "Omitted fields stay as they are.",
        inner: {
          passkey: {
            about: "Passkeys of the application.",
            inner: {
              enabled: passkeysEnabled,
              required: `${passkeyRequired} Only with \`enabled\`.`,
            },
          },
          oauth: {
            about: "Providers of the application.",
            inner: {
              enabled: providersEnabled,
              providers: { about: "Replaces the list.", items: { about: "The name of a provider." } },
            },
          },
          password: {
            about: "Passwords of the application.",
            inner: { enabled: passwordsEnabled },
          },
        },
      },
      branding: {
        about: "The branding of the hosted pages. The operator sets the rest.",
        inner: {
          homeUrl: {
            about:
              "Where the pages link back to; the rules of redirect URIs apply. Null: the origin of a redirect URI.",
            format: "uri",
            maxLength: 2048,
          },
        },
      },
    },
    example: { authMethods: { password: { enabled: false } } },
  },
  answer: { schema: application, about: "The application after the change." },
  handle(ctx, request, server: Managed, body) {
    const { actor, source } = byManager(request, server);
    return applications.update(ctx, server.id, body, actor, { source });
  },
});

const publicProvider = named("PublicProvider", "A provider that is offered.", () =>
  z.strictObject({
    name: text("The name in paths and requests."),
    displayName: text("The display name."),
    authorizeUrl: address("Complete except for `redirect_uri`."),
  }),
);
const publicProviders = named("PublicProviders", "Providers of the application, each with its URL.", () =>
  z.strictObject({
    enabled: flag(providersEnabled),
    providers: z.array(publicProvider.schema).describe("The providers that are offered."),
  }),
);
const publicMethods = named("PublicMethods", "The ways to sign in, for sign-in buttons.", () =>
  z.strictObject({ passkey: passkeySwitch.schema, oauth: publicProviders.schema, password: passwordSwitch.schema }),
);
const passwordRules = named("PasswordRules", "The rules for a new password.", () =>
  z.strictObject({
    minLength: number("Minimum number of characters of a new password."),
    maxLength: number("Maximum number of characters of a password."),
  }),
);

/** Short, so that an operator's changes are visible everywhere within a minute. */
const configMaxAgeSeconds = 60;

export const getConfig: Operation<Application> = {
  id: "getConfig",
  tag: "Query-style",
  summary: "Read the public settings of an application",
  description: "Names, colours and ways to sign in, for sign-in buttons. Requires no credential.",
  query: { app_id: { required: true, about: "App ID" } },
  answer: {
    schema: named(
      "PublicConfig",
      "The public settings of an application.",
      () =>
        z.strictObject({
          ...applicationFields(),
          branding: branding.schema,
          authMethods: publicMethods.schema,
          emailCode: flag("Whether a code mailed to the address signs in."),
          passwordRules: passwordRules.schema,
          issuer: address("The `iss` of access tokens."),
          jwksUri: address("The key set that verifies access tokens."),
          scopes: z.array(scope.schema).describe("The scopes of the application."),
        }),
      {
        ...shop,
        authMethods: {
          passkey: { enabled: true, required: false },
          oauth: {
            enabled: true,
            providers: [
              {
                name: "github",
                displayName: "GitHub",
                authorizeUrl: "https://auth.example.com/oauth/github/authorize?app_id=app_shop",
              },
            ],
          },
          password: { enabled: true },
        },
        emailCode: false,
        passwordRules: { minLength: 15, maxLength: 256 },
        issuer: "https://auth.example.com",
        jwksUri: "https://auth.example.com/.well-known/jwks.json",
        scopes: ["profile", "email"],
      },
    ),
    about: "May be cached for a minute.",
  },
  async respond(ctx, _request, asked) {
    const answer = json(await publicConfig(ctx, asked));
    answer.headers["cache-control"] = `public, max-age=${configMaxAgeSeconds}`;
    return answer;
  },
};
