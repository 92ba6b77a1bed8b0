/** The settings of an OpenID Connect client, as in `client create` and `update`. */
import type { Application } from "../../applications/application.ts";
import { scopesOf, type ClientAnswer } from "../../applications/clients/client.ts";
import type { NewClient } from "../../applications/clients/rules.ts";
import { headerFrom } from "../../applications/clients/proxy.ts";
import { isOfKind } from "../../applications/clients/rules.ts";
import { clientRows, type ClientChange, type ClientField } from "../../applications/clients/settings.ts";
import type { Setting as Row } from "../../applications/setting.ts";
import { invalidRequest } from "../../lib/errors.ts";
import type { ClientKind } from "../../storage/column-types.ts";
import type { Setting } from "../parts/edit.ts";
import { linesOf, listOf, type Values } from "../parts/fields.ts";
import { optionOf, settingOf, textOf } from "./setting.ts";

export type ClientSetting = Setting<ClientAnswer, ClientChange>;
export type NewClientSetting = Omit<Setting<ClientAnswer, Partial<NewClient>>, "of">;

const kinds = ["web", "spa", "native", "device", "proxy"] as const;
const rows = clientRows.filter(([, { form }]) => form === "client");

/** Those that can be changed later; `kind`: of such a client. */
export function clientSettings(application: Application, kind?: ClientKind): ClientSetting[] {
  const ofKind = rows.filter(([field, row]) => kind === undefined || isOfKind(kind, field, row));
  return ofKind.map(([field, row]) => ({
    ...settingOf<ClientAnswer, ClientChange>(field, row),
    ...own(application)[field],
  }));
}

/** Settings that no row describes. */
function own(application: Application): Partial<Record<ClientField, Partial<ClientSetting>>> {
  return {
    scopes: {
      kind: "some-of",
      options: scopesOf(application).map((scope) => [scope, scope] as const),
      of: (client) => client.scopes.join(","),
      change: (value) => ({ scopes: listOf(value) }),
      words: (value) => ["--scope", ...listOf(value)],
    },
    jwks: {
      kind: "lines",
      of: (client) => (client.jwks === null ? "" : JSON.stringify(client.jwks, null, 1)),
      change: (value) => ({ jwks: value === "" ? null : jsonOf(value) }),
      words: (value) => ["--jwks-file", value === "" ? "" : "FILE"],
    },
    headers: {
      kind: "lines",
      of: ({ headers = [] }) => headers.map(({ name, from }) => `${name}=${from}`).join("\n"),
      change: (value) => ({ headers: linesOf(value).map(headerFrom) }),
      words: (value) => ["--header", ...linesOf(value)],
    },
    // Without a value, proofs are accepted as well.
    dpop: { of: (client) => client.dpop ?? "optional" },
  };
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
        ["proxy", "Behind a reverse proxy: it has no sign-in"],
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
  const usual = rows.filter(([, row]) => row.kind !== "other" && row.default !== undefined);
  return {
    ...Object.fromEntries(usual.map(([field, row]: [string, Row]) => [field, textOf(row, row.default)])),
    dpop: "optional",
    kind: "web",
    scopes: scopesOf(application).join(","),
  };
}

function jsonOf(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch (cause) {
    throw invalidRequest("jwks", "not JSON", cause);
  }
}
