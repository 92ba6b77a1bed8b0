import type { Config } from "./config.ts";
import type { Settings } from "./schema.ts";
import { allSettings, type Given } from "./settings.ts";

/**
 * A setting's current value. `source` is where it came from, as its author knows it, or `default`.
 * Secrets are masked.
 */
export type ShownSetting = {
  key: string;
  variable: string;
  value: unknown;
  source: string;
  secret: boolean;
};

/**
 * Every setting in the order of the schema. A `…File` setting is shown as the setting that it
 * provides.
 */
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

/**
 * An unescaped password could be parsed as part of the host, so scheme and host are shown only for
 * an unambiguous URL.
 */
function masked(secret: string): string {
  const [, scheme, host] =
    /^([a-z][a-z0-9+.-]*):\/\/(?:[^@/?#\s]*@)?([a-z0-9.-]+(?::\d{1,5})?|\[[0-9a-f:.]+\](?::\d{1,5})?)(?:[/?][^@#\s]*)?$/iu.exec(
      secret,
    ) ?? [];
  return host === undefined || !URL.canParse(secret) ? "***" : `${scheme}://***@${host}/***`;
}
