// Loaded before pkg, which has no option for it: adds `runtimeFlags` to what pkg asks Node to build.
import promises from "node:fs/promises";
import path from "node:path";
import { runtimeFlags } from "./runtime-flags.ts";

const { writeFile } = promises;
promises.writeFile = async (file, content, options) => {
  const isOurs = typeof file === "string" && path.basename(file) === "sea-config.json" && typeof content === "string";
  await writeFile(file, isOurs ? withFlags(content) : content, options);
};

function withFlags(config: string): string {
  return JSON.stringify({ ...(JSON.parse(config) as object), execArgv: runtimeFlags });
}
