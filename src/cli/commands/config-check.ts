import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { examples } from "../examples.ts";

export function addConfigCheck(config: Command, cli: Cli): void {
  const command = config
    .command("check")
    .description("check the configuration as the service reads it: exit code 0, or 2 with the invalid setting");
  examples(command, ["authsvc config check", "authsvc config check --config /etc/authsvc/config.yaml --json"]).action(
    async () => {
      const { file, warnings } = await cli.explainConfig();
      await cli.result(
        { valid: true, file: file ?? null, warnings },
        `The configuration is valid (${file ?? "no configuration file"}).\n`,
      );
      for (const warning of warnings) await cli.note(`Warning: ${warning}`);
    },
  );
}
