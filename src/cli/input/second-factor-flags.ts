import { Option } from "commander";
import { secondFactorPolicies } from "../../storage/column-types.ts";

export const trustBrowsersAbout =
  "for how long people may say that a browser is not asked for the second factor: 1d to 90d, or off";

export function secondFactorOption(about: string): Option {
  return new Option("--second-factor <policy>", about).choices(secondFactorPolicies);
}
