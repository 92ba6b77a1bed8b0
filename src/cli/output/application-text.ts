import { methodsText } from "../../applications/methods-text.ts";
import { valueIn } from "../../applications/setting.ts";
import { applicationRows } from "../../applications/settings.ts";
import type { CoreContext } from "../../runtime/context.ts";
import type { AppSettings, ApplicationClaim, Branding } from "../../storage/column-types.ts";
import { settingText } from "./setting-text.ts";
import { facts } from "./text.ts";

/** An application as shown by commands; `--json` prints all of it in the form of the HTTP API. */
export type ShownApplication = {
  id: string;
  name: string;
  domain: string | null;
  redirectUris: string[];
  authMethods: {
    passkey: { enabled: boolean; required: boolean };
    oauth: { enabled: boolean; providers: string[] };
    password: { enabled: boolean };
  };
  branding: Branding;
  stats: { totalUsers: number; activeUsers: number; totalLogins: number };
  settings?: AppSettings;
  claims?: ApplicationClaim[] | null;
  relatedOriginsFile?: RelatedOriginsFile;
};

/** Served by another program, at the host of the passkeys. */
type RelatedOriginsFile = { url: string; content: { origins: string[] } };

/** The HTTP API's answer, plus the branding and settings that only commands change. */
export async function withSettings<Answer extends { id: string }>(
  ctx: CoreContext,
  answer: Answer,
): Promise<Answer & Pick<ShownApplication, "settings" | "claims" | "relatedOriginsFile"> & { branding?: Branding }> {
  const applications = await import("../../applications/service.ts");
  const application = await applications.find(ctx, ctx.storage.reader, answer.id);
  if (!application) return answer;
  const { branding, settings, claims } = application;
  const { fileToServe } = await import("../../applications/related-origins.ts");
  const file = fileToServe(ctx, application);
  const shown = { branding: applications.shownBranding(ctx, branding), settings, claims };
  return { ...answer, ...shown, ...(file && { relatedOriginsFile: file }) };
}

export function applicationText(application: ShownApplication): string {
  const { id, name, domain, redirectUris, authMethods, branding, stats, settings, claims } = application;
  const { relatedOriginsFile: file } = application;
  const shown = facts([
    ["App ID", id],
    ["Name", name],
    ["Domain", domain ?? "-"],
    ...(redirectUris.length === 0 ? ["-"] : redirectUris).map((uri, index): [string, string] => [
      index === 0 ? "Redirect URIs" : "",
      uri,
    ]),
    ["Methods", methodsText(authMethods)],
    [
      "Branding",
      Object.values(branding)
        .filter((value) => typeof value === "string")
        .join(", ") || "-",
    ],
    ...(settings ? settingsFacts(settings) : []),
    ...(claims ?? []).map(({ claim, from, in: places }, index): [string, string] => [
      index === 0 ? "Claims" : "",
      `${claim} from ${from}, in ${places.join(", ")}`,
    ]),
    ["Users", `${stats.totalUsers} (${stats.activeUsers} active in 30 days), ${stats.totalLogins} sign-ins`],
  ]);
  if (!file) return shown;
  return `${shown}\nServe this as application/json at ${file.url}:\n${JSON.stringify(file.content)}\n`;
}

const shownRows = applicationRows.filter(
  ([field]) => field.startsWith("settings.") && !field.startsWith("settings.rateLimits."),
);

function settingsFacts(settings: AppSettings): [name: string, value: string][] {
  const limits = Object.entries(settings.rateLimits).map(([type, calls]) => `${type} ${calls} per minute`);
  return [
    ...shownRows.map(([field, row]): [string, string] => [
      row.label,
      settingText(row, valueIn({ settings }, field, row)),
    ]),
    ["Limits", limits.join(", ") || "from the configuration"],
  ];
}
