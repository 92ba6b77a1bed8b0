import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";

export function addConfigCheck(config: CliCommand, cli: Cli): void {
  config
    .command("check")
    .description(
      "check the configuration and the files that it names, as the service reads them: exit code 0, or 2 with what is wrong",
    )
    .examples("authsvc config check", "authsvc config check --config /etc/authsvc/config.yaml --json")
    .action(async () => {
      const { config: checked } = await cli.configure();
      const { file, warnings } = await cli.explainConfig();
      const { examineFiles } = await import("../../../process/configured-files.ts");
      await examineFiles(checked, Date.now());
      await cli.result(
        { valid: true, file: file ?? null, warnings },
        `The configuration is valid (${file ?? "no configuration file"}).\n`,
      );
      for (const warning of warnings) await cli.note(`Warning: ${warning}`);
    });
}
