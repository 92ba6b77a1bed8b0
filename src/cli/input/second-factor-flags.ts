import { Option } from "commander";
import { secondFactorPolicies } from "../../storage/column-types.ts";

export function secondFactorOption(about: string): Option {
  return new Option("--second-factor <policy>", about).choices(secondFactorPolicies);
}
