import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { version } from "../version.ts";

export function addVersion(program: Command, cli: Cli): void {
  const command = program.command("version").description("print the version of authsvc, Node and the platform");
  examples(command, ["authsvc version", "authsvc version --json"]).action(async () => {
    const { node } = process.versions;
    const platform = `${process.platform}-${process.arch}`;
    await cli.result({ version, node, platform }, `authsvc ${version} (node ${node}, ${platform})\n`);
  });
}
