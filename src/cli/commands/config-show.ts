import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { table } from "../output/table.ts";

export function addConfigShow(config: Command, cli: Cli): void {
  const command = config.command("show").description("show the value and source of every setting; secrets are masked");
  examples(command, [
    "authsvc config show",
    `authsvc config show --json | jq '.[] | select(.source != "default")'`,
  ]).action(async () => {
    const { settings } = await cli.explainConfig();
    const rows = settings.map(({ key, value, source }) => [key, valueText(value), source]);
    await cli.result(settings, table(["SETTING", "VALUE", "SOURCE"], rows, cli.screen()));
  });
}

function valueText(value: unknown): string {
  if (value === null) return "-";
  if (Array.isArray(value)) return value.join(", ") || "-";
  return typeof value === "string" ? value : JSON.stringify(value);
}
