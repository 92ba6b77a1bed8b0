import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";

export function addConfigExample(config: CliCommand, cli: Cli): void {
  config
    .command("example")
    .description("print a configuration file with every setting, its default and its description")
    .examples("authsvc config example > config.yaml", "authsvc config example --json | jq -r .example")
    .action(async () => {
      const { exampleConfig } = await import("../../../config/example.ts");
      const example = exampleConfig();
      await cli.file({ example }, example);
    });
}
