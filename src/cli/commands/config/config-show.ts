import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { tableOf, type Columns } from "../../output/table.ts";

export function addConfigShow(config: CliCommand, cli: Cli): void {
  config
    .command("show")
    .description("show the value and source of every setting; secrets are masked")
    .examples("authsvc config show", `authsvc config show --json | jq '.[] | select(.source != "default")'`)
    .action(async () => {
      const { settings } = await cli.explainConfig();
      const columns: Columns<(typeof settings)[number]> = {
        SETTING: ({ key }) => key,
        VALUE: ({ value }) => valueText(value),
        SOURCE: ({ source }) => source,
      };
      await cli.result(settings, tableOf(settings, columns, cli.screen()));
    });
}

function valueText(value: unknown): string {
  if (value === null) return "-";
  if (Array.isArray(value)) return value.join(", ") || "-";
  return typeof value === "string" ? value : JSON.stringify(value);
}
