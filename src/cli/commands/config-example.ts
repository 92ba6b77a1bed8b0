import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { examples } from "../examples.ts";

export function addConfigExample(config: Command, cli: Cli): void {
  const command = config
    .command("example")
    .description("print a configuration file with every setting, its default and its description");
  examples(command, ["authsvc config example > config.yaml", "authsvc config example --json | jq -r .example"]).action(
    async () => {
      const { exampleConfig } = await import("../../config/example.ts");
      const example = exampleConfig();
      await cli.file({ example }, example);
    },
  );
}
