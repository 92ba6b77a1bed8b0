import * as z from "zod";
import { clientRows } from "../../applications/clients/settings.ts";
import {
  canBeOff,
  fileKeyOf,
  objectOf,
  valueText,
  type Setting,
  type SettingKind,
} from "../../applications/setting.ts";
import { applicationRows, applicationSettings } from "../../applications/settings.ts";
import { clientKinds, profileFieldTypes, secondFactorPolicies } from "../../storage/column-types.ts";

const secretForm = /^(?:env:[A-Za-z_][A-Za-z0-9_]*|file:.+)$/u;

function text(about: string) {
  return z.string("must be a string").describe(about);
}

function list() {
  return z.array(z.string("must be a string"), "must be a list of strings");
}

function flag(about: string) {
  return z.boolean("must be true or false").describe(about);
}

/**
 * A reference, never the secret itself: the file is meant for version control. Reading the file
 * replaces it by the secret.
 */
function secret(about: string) {
  return z
    .string("must be env:NAME or file:PATH")
    .regex(secretForm, "must be env:NAME or file:PATH, not the secret itself")
    .describe(`${about} As env:NAME or file:PATH.`);
}

const group = <Shape extends z.ZodRawShape>(shape: Shape) => z.strictObject(shape, "must be a group of keys");

function oneOf<const T extends readonly string[]>(values: T) {
  return z.enum(values, `must be one of ${values.join(", ")}`);
}

const provider = group({
  name: text("google, github, microsoft, apple, discord, facebook, or a name you choose, with an issuer."),
  clientId: text("The client ID from the provider."),
  clientSecret: secret("The client secret.").optional(),
  privateKey: secret("Apple: the .p8 key, instead of a client secret.").optional(),
  teamId: text("Apple: team ID.").optional(),
  keyId: text("Apple: ID of the private key.").optional(),
  issuer: text("The issuer of your own OpenID Connect provider.").optional(),
  authorizationUrl: text("Overrides the provider's URL.").optional(),
  tokenUrl: text("Overrides the provider's URL.").optional(),
  userinfoUrl: text("Overrides the provider's URL.").optional(),
  jwksUrl: text("Overrides the provider's URL.").optional(),
  trustsEmail: flag("Only with issuer: whether to trust its verified addresses.").optional(),
  trustsSecondFactor: text(
    "Only with issuer: the claim that says it asked for two factors, such as amr=mfa.",
  ).optional(),
  emailClaim: text("The claim that has the address, such as preferred_username, if it is not email.").optional(),
});

const webhook = group({
  id: text("The Webhook ID to use."),
  url: text("The URL that receives events."),
  events: list().describe("The event types to send."),
  enabled: flag("Whether events are sent.").optional(),
  secret: secret("The signing secret.").optional(),
});

/** The claims that an application adds to its tokens. The service checks the rest. */
const claim = group({
  claim: text("The name of the claim."),
  from: text("groups, public.KEY, private.KEY, profile.NAME or value."),
  value: z.unknown().describe("With from: value, the claim's value.").optional(),
  in: z.array(oneOf(["access", "id", "userinfo"]).describe("A place."), "must be a list").describe("Where it appears."),
});
export const claimList = z.array(claim, "must be a list");

const labels = z
  .record(z.string(), z.string("must be a string"), "must be texts by language")
  .describe("What people read, by language, such as en.");
/** A profile field. The service checks the rest. */
const profileField = group({
  name: text("Its name: letters, digits and '_'."),
  type: oneOf(profileFieldTypes).describe("What it holds."),
  label: labels,
  askAt: oneOf(["signUp", "nextSignIn", "never"]).describe("When people are asked.").optional(),
  required: flag("Whether people must answer.").optional(),
  editableBy: oneOf(["user", "server"]).describe("Who writes it.").optional(),
  maxLength: z.int("must be a whole number").describe("Of a text: the most characters.").optional(),
  options: z
    .array(group({ value: text("What is stored."), label: labels }), "must be a list")
    .describe("Of a choice.")
    .optional(),
});
export const profileFieldList = z.array(profileField, "must be a list");

/** An own text. The service checks the rest. */
const ownText = group({
  place: text("Where it is shown, such as sign-in.title or mail.verify.subject."),
  text: labels,
  url: text("Of footer.link: an https URL, or mailto: and an address.").optional(),
});
export const ownTextList = z.array(ownText, "must be a list");

const secondFactor = oneOf(secondFactorPolicies).describe(applicationSettings["settings.secondFactor"].about);

/** Settings that are no plain value, by their fields. */
const own: Record<string, z.ZodType> = {
  claims: claimList,
  "settings.profileFields": profileFieldList,
  "settings.texts": ownTextList,
  "settings.clientDocuments": z.union(
    [z.enum(["off", "any"]), z.array(z.string())],
    "must be off, any or a list of hosts",
  ),
  headers: z.array(
    group({
      name: text("The name of the header."),
      from: text("id, email, name, groups, private.KEY, profile.FIELD, or assertion."),
    }),
    "must be a list",
  ),
  jwks: z.looseObject({ keys: z.array(z.looseObject({}), "must be a list") }, "must be a JSON Web Key Set"),
  trusts: z.array(
    group({
      issuer: text("The issuer (iss) of the tokens."),
      subject: text("Their subject (sub), compared exactly."),
      audience: text("Their audience (aud); null: the issuer of this service.").nullable().optional(),
    }),
    "must be a list",
  ),
};

/** What a file has for a setting of each kind. */
const types: Record<SettingKind, (row: Setting) => z.ZodType> = {
  text: () => z.string("must be a string"),
  number: () => z.int("must be a whole number"),
  duration: durationType,
  switch: () => z.boolean("must be true or false"),
  choice: ({ options = {} }) => oneOf(Object.keys(options)),
  choices: ({ options = {} }) => z.array(oneOf(Object.keys(options)), "must be a list"),
  lines: list,
  list: list,
  other: list,
};

function durationType(row: Setting): z.ZodType {
  const { least, most } = row.range ?? { least: 0, most: 0 };
  const isInDays = row.unit === "days";
  const shortest = isInDays && least === 0 ? 1 : least;
  const longest = valueText(row, most);
  const rule = shortest === 0 ? `a duration, such as ${longest}` : `${valueText(row, shortest)} to ${longest}`;
  const form = `\\d{1,9}${isInDays ? "d" : longest.endsWith("d") ? "[smhd]" : "[smh]"}`;
  const [message, pattern] = canBeOff(row) ? [`must be ${rule}, or off`, `(?:off|${form})`] : [`must be ${rule}`, form];
  return z.string(message).regex(new RegExp(`^${pattern}$`, "u"), message);
}

/** Null means that nothing is set, unless an option does. */
function settingIn(field: string, row: Setting): z.ZodType {
  const { about, empty, none = "", options = {} } = row;
  const isNullable = row.default === null && !(none in options);
  const type = own[field] ?? types[row.kind](row);
  if (!isNullable) return type.describe(about);
  return type.describe(empty === undefined ? about : `${about.slice(0, -1)}; null: ${empty}.`).nullable();
}

/** For the compiler, only the name is known of them: what reads the others is their rows. */
function settingsOf(rows: readonly (readonly [field: string, row: Setting])[]): { name: z.ZodOptional<z.ZodString> } {
  const shape = objectOf(rows.map(([field, row]) => [fileKeyOf(field, row), settingIn(field, row)]));
  return optionalIn(shape) as { name: z.ZodOptional<z.ZodString> };
}

function optionalIn(shape: object): z.ZodRawShape {
  return Object.fromEntries(
    Object.entries(shape).map(([name, type]: [string, object]) => [
      name,
      (type instanceof z.ZodType ? type : group(optionalIn(type))).optional(),
    ]),
  );
}

/** Checked as strictly as any group. */
function withSettings<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$loose> {
  return group(shape) as z.ZodObject as z.ZodObject<Shape, z.core.$loose>;
}

/** The keys of each list follow one another. Of several wrong keys, a message names the first. */
function inOrder<Shape extends z.ZodRawShape>(shape: Shape, ...lists: [first: string, ...others: string[]][]): Shape {
  const names = lists.reduce((names, [first, ...others]) => {
    const rest = names.filter((name) => !others.includes(name));
    return rest.toSpliced(rest.indexOf(first) + 1, 0, ...others);
  }, Object.keys(shape));
  return Object.fromEntries(names.map((name) => [name, shape[name]])) as Shape;
}

const client = withSettings(
  inOrder(
    {
      id: text("The client ID to use."),
      ...settingsOf(clientRows),
      kind: oneOf(clientKinds).describe("Where it runs. It cannot be changed.").optional(),
      secrets: z
        .array(group({ value: secret("The client secret to use.") }), "must be a list")
        .describe("Secrets that must exist. Others are left unchanged.")
        .optional(),
    },
    ["name", "kind", "resources", "resourceScopes", "exchangeTo", "audienceOf"],
    ["idTokenClaims", "refreshTokens", "allowedGroups", "secondFactor", "deviceGrant", "jwks", "trusts"],
  ),
);

const resource = group({
  identifier: text("The https URI that its tokens have as aud. It cannot be changed."),
  name: text("The name that people see.").optional(),
  scopes: z
    .array(group({ name: text("The scope."), sentence: text("What it allows, for people.") }), "must be a list")
    .describe("Its scopes.")
    .optional(),
  accessTokenSeconds: z.int("must be a whole number").describe("How long its tokens are valid.").optional(),
  clientDocuments: flag("Whether unregistered clients may ask for it.").optional(),
  companySignIn: flag("Whether it takes people who signed in by their organization's provider alone.").optional(),
});

const application = withSettings(
  inOrder(
    {
      id: text("The App ID to use."),
      ...settingsOf(applicationRows),
      groups: z
        .array(
          z.union(
            [z.string(), group({ name: text("The name."), secondFactor: secondFactor.optional() })],
            "must be a name, or a group of name and secondFactor",
          ),
          "must be a list",
        )
        .describe("The groups of users that must exist. With --prune, others are deleted.")
        .optional(),
      apiKeys: z
        .array(group({ value: secret("The API key to use.") }), "must be a list")
        .describe("API keys that must exist. Others are left unchanged.")
        .optional(),
      providers: z.array(provider, "must be a list").describe("Configured providers.").optional(),
      webhooks: z.array(webhook, "must be a list").describe("Webhook endpoints.").optional(),
      resources: z.array(resource, "must be a list").describe("APIs that tokens are for.").optional(),
      clients: z.array(client, "must be a list").describe("OpenID Connect clients.").optional(),
    },
    ["signingAlgorithm", "groups", "claims"],
  ),
);

/** The file for `plan` and `apply`, before its secrets are read. Omitted values stay unchanged. */
export const stateSchema = group({
  version: z.literal(1, "must be 1").describe("The format version."),
  applications: z.array(application, "must be a list").optional(),
});

/** The desired state of the applications. Every secret is either missing or resolved. */
export type DesiredState = z.output<typeof stateSchema>;
export type DesiredApplication = z.output<typeof application>;
export type DesiredProvider = z.output<typeof provider>;
export type DesiredWebhook = z.output<typeof webhook>;
export type DesiredResource = z.output<typeof resource>;
export type DesiredClient = z.output<typeof client>;

/** The JSON Schema of the file, for editors and other programs: https://json-schema.org */
export function stateJsonSchema(): object {
  return z.toJSONSchema(stateSchema, { io: "input" });
}
