import type { Config } from "./config.ts";
import type { Settings } from "./schema.ts";
import { allSettings } from "./settings.ts";
import type { Given } from "./settings.ts";

/** A setting as it holds now. `source` is where it came from, as its author knows it, or `default`. A secret's value is masked. */
export type ShownSetting = {
  key: string;
  variable: string;
  value: unknown;
  source: string;
  secret: boolean;
};

/** Every setting in the order of the schema; `…File` settings are shown as what they give. */
export function describeSettings(settings: Settings, config: Config, given: Map<string, Given>): ShownSetting[] {
  const secretKeys = allSettings.filter(({ doc }) => doc.secret).map(({ key }) => key);
  return allSettings
    .filter(({ key }) => !secretKeys.some((secret) => key === `${secret}File`))
    .map(({ key, variable, doc }) => {
      const value = key === "data" ? config.dataDir : (valueAt(settings, key) ?? valueAt(config, key) ?? null);
      const secret = doc.secret ?? false;
      const { origin = "default" } = given.get(key) ?? {};
      const source = origin.endsWith(`: ${key}`) ? origin.slice(0, -`: ${key}`.length) : origin;
      return { key, variable, value: secret && typeof value === "string" ? masked(value) : value, source, secret };
    });
}

function valueAt(group: unknown, key: string): unknown {
  const [name = "", ...rest] = key.split(".");
  const value = typeof group === "object" && group !== null ? (group as Record<string, unknown>)[name] : undefined;
  return rest.length === 0 ? value : valueAt(value, rest.join("."));
}

/** Of an address, its scheme and host are no secret, and say which server is meant. */
function masked(secret: string): string {
  const { protocol, host } = URL.canParse(secret) ? new URL(secret) : { protocol: "", host: "" };
  return secret.startsWith(`${protocol}//`) && host !== "" ? `${protocol}//***@${host}/***` : "***";
}
