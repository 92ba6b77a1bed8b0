import { didYouMean, nearest } from "./nearest.ts";
import { allSettings, fromText, invalidConfig } from "./settings.ts";
import type { Given } from "./settings.ts";

export type Environment = Record<string, string | undefined>;

const prefix = "AUTHSVC_";
/** What is read elsewhere: by the configuration before its settings, and by the executable before anything (executable/native-folders.ts). */
const otherVariables = ["AUTHSVC_CONFIG", "AUTHSVC_NATIVE_DIR"];
const byVariable = new Map(allSettings.map((setting) => [setting.variable, setting]));

/** The settings in the variables `AUTHSVC_…`. Throws INVALID_CONFIG for one that nothing reads: a misspelt limit must not be silently the default. */
export function readEnvironment(env: Environment): Given[] {
  return Object.entries(env).flatMap(([name, value]): Given[] => {
    if (!name.startsWith(prefix) || value === undefined) return [];
    // An empty variable is what `X=${UNSET}` leaves behind; taking the default instead would, say, put the data into SQLite.
    if (otherVariables.includes(name)) {
      if (value === "") throw invalidConfig(`${name} is empty: give it a value or leave it out`);
      return [];
    }
    const setting = byVariable.get(name);
    if (setting === undefined) throw unknownVariable(name);
    if (value === "" && setting.rule.kind !== "list")
      throw invalidConfig(`${name} is empty: give it a value or leave it out`);
    return [{ key: setting.key, value: fromText(setting, value), origin: name }];
  });
}

function unknownVariable(name: string): Error {
  const members = [...byVariable.keys()].filter((variable) => variable.startsWith(`${name}__`));
  if (members.length > 0) return invalidConfig(`${name} is a group of settings: ${members.join(", ")}`);
  // Without the prefix, which every name shares and which would make any two look alike.
  const known = [...byVariable.keys(), ...otherVariables].map((variable) => variable.slice(prefix.length));
  const short = name.slice(prefix.length);
  // `AUTHSVC_PORT` for `AUTHSVC_LISTEN__PORT`: the right name without its group.
  const meant = nearest(short, known) ?? known.find((variable) => variable.endsWith(`__${short}`));
  return invalidConfig(`${name} is not a setting${didYouMean(meant && prefix + meant)}`);
}
