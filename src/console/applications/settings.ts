/** The settings of an application, as in `app update`. */
import type * as z from "zod";
import type { Application } from "../../applications/application.ts";
import type { NewProfileField } from "../../applications/profile-fields.ts";
import type { Setting as Row } from "../../applications/setting.ts";
import {
  applicationRows,
  applicationSettings,
  type ApplicationChange,
  type ApplicationField,
} from "../../applications/settings.ts";
import { claimList, profileFieldList } from "../../upkeep/desired-state/state-schema.ts";
import { invalidRequest } from "../../lib/errors.ts";
import { enteredAddress } from "../../lib/stored-picture.ts";
import type { ApplicationClaim } from "../../storage/column-types.ts";
import type { Setting } from "../parts/edit.ts";
import { listOf } from "../parts/fields.ts";
import { settingOf, wholeNumber } from "./setting.ts";

export type ApplicationSetting = Setting<Application, ApplicationChange>;

export const methodNames = ["passkey", "password", "oauth"] as const;
export const methodOptions = [
  ["passkey", "Passkey"],
  ["password", "Password"],
  ["oauth", "Provider"],
] as const;

function ofRow(field: ApplicationField): ApplicationSetting {
  return settingOf(field, applicationSettings[field]);
}

const methods: ApplicationSetting = {
  name: "methods",
  label: "Methods",
  about: "What people can sign in with.",
  kind: "some-of",
  options: methodOptions,
  of: ({ authMethods }) => methodNames.filter((method) => authMethods[method].enabled).join(","),
  change: (value) => {
    const chosen = listOf(value);
    if (chosen.length === 0) throw invalidRequest("methods", "at least one");
    const has = (method: (typeof methodNames)[number]) => ({ enabled: chosen.includes(method) });
    return { authMethods: { passkey: has("passkey"), password: has("password"), oauth: has("oauth") } };
  },
  words: (value) => ["--methods", value],
};

const claims: ApplicationSetting = {
  ...ofRow("claims"),
  hint: 'A list in JSON, such as [{"claim": "roles", "from": "groups", "in": ["access", "id"]}]. Empty: none.',
  kind: "lines",
  of: (application) => (application.claims === null ? "" : JSON.stringify(application.claims, null, 1)),
  change: (value) => ({ claims: claimsFrom(value) }),
  words: (value) => ["--claims", value === "" ? "" : JSON.stringify(claimsFrom(value))],
};

const profileFields: ApplicationSetting = {
  ...ofRow("settings.profileFields"),
  hint: 'A list in JSON, such as [{"name": "team", "type": "text", "label": {"en": "Your team"}, "askAt": "signUp"}]. Empty: none.',
  kind: "lines",
  of: ({ settings }) => (settings.profileFields ? JSON.stringify(settings.profileFields, null, 1) : ""),
  change: (value) => ({ settings: { profileFields: profileFieldsFrom(value) } }),
  words: (value) => ["--profile-fields", value === "" ? "" : JSON.stringify(profileFieldsFrom(value))],
};

/** About the change, not the application. */
export const signsNow: ApplicationSetting = {
  name: "signsNow",
  label: "A new signing algorithm",
  kind: "some-of",
  options: [["now", "Sign with it at once. Servers that cache the key set refuse its tokens for up to 10 minutes."]],
  of: () => "",
  change: () => ({}),
  words: () => ["--now"],
};

const clientDocuments: ApplicationSetting = {
  ...ofRow("settings.clientDocuments"),
  change: (value) => ({
    settings: { clientDocuments: value === "off" || value === "any" ? value : listOf(value) },
  }),
};

const ofLimits = "settings.rateLimits.";

/** The service checks its range, and names all limits alike. */
function limit(field: ApplicationField): ApplicationSetting {
  const type = field.slice(ofLimits.length);
  const name = `limit.${type}`;
  const { range, rule = "" }: Row = applicationSettings[field];
  return {
    ...ofRow(field),
    name,
    refusedAs: name,
    change(value) {
      const calls = value === "" ? null : wholeNumber(value);
      if (calls !== null && !(calls >= (range?.least ?? 0) && calls <= (range?.most ?? 0)))
        throw invalidRequest(name, rule);
      return { settings: { rateLimits: { [type]: calls } } };
    },
    words: (value) => ["--limit", `${type}=${value === "" ? "default" : value}`],
  };
}

/** The field is empty for an uploaded logo: it shows and compares only entered addresses. */
const logo: ApplicationSetting = {
  ...ofRow("branding.logo"),
  of: ({ branding }) => enteredAddress(branding.logo) ?? "",
};

const own: Partial<Record<ApplicationField, ApplicationSetting>> = {
  "branding.logo": logo,
  claims,
  "settings.clientDocuments": clientDocuments,
  "settings.profileFields": profileFields,
};

function settingFor(field: ApplicationField): ApplicationSetting {
  return own[field] ?? (field.startsWith(ofLimits) ? limit(field) : ofRow(field));
}

function settingsIn(form: string): ApplicationSetting[] {
  return applicationRows.filter(([, row]) => row.form === form).map(([field]) => settingFor(field));
}

export const brandingSettings = settingsIn("branding");

export const settingGroups: readonly {
  id: string;
  title: string;
  about: string;
  settings: readonly ApplicationSetting[];
}[] = [
  {
    id: "names",
    title: "Names and addresses",
    about: "What people read, and the addresses that they may be sent back to.",
    settings: settingsIn("names"),
  },
  {
    id: "methods",
    title: "Ways to sign in",
    about: "Who may create an account, and how people prove who they are.",
    settings: [methods, ...settingsIn("methods")],
  },
  {
    id: "factors",
    title: "Second factor and sessions",
    about: "What is asked for besides the first proof, and how long a sign-in lasts.",
    settings: settingsIn("factors"),
  },
  {
    id: "tokens",
    title: "Tokens",
    about: "What tokens say about people, and how they are signed.",
    settings: [...settingsIn("tokens"), signsNow],
  },
  {
    id: "organizations",
    title: "Organizations",
    about: "For applications whose customers are companies: members with roles.",
    settings: settingsIn("organizations"),
  },
  {
    id: "profile",
    title: "Profile and terms",
    about: "What people are asked before they are signed in.",
    settings: settingsIn("profile"),
  },
  {
    id: "api",
    title: "API and limits",
    about: "Which calls programs may make, and how many in a minute.",
    settings: settingsIn("api"),
  },
];

/** The settings of a new application, as in `app create`. */
export const newApplicationSettings: readonly ApplicationSetting[] = [
  ofRow("name"),
  ofRow("redirectUris"),
  ofRow("domain"),
  methods,
  ofRow("settings.emailCode"),
  ofRow("settings.secondFactor"),
];

function claimsFrom(value: string): ApplicationClaim[] {
  return listFrom("claims", claimList, value);
}

function profileFieldsFrom(value: string): NewProfileField[] {
  return listFrom("settings.profileFields", profileFieldList, value);
}

function listFrom<T>(field: string, schema: z.ZodType<T[]>, value: string): T[] {
  if (value === "") return [];
  const parsed = schema.safeParse(jsonOf(field, value));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalidRequest(field, [issue?.path.join("."), issue?.message].filter((part) => part !== "").join(": "));
}

function jsonOf(field: string, value: string): unknown {
  try {
    return JSON.parse(value);
  } catch (cause) {
    throw invalidRequest(field, "not JSON", cause);
  }
}
