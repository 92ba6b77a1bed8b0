import type { Cli } from "../cli.ts";
import type { CliCommand } from "../command.ts";
import { version } from "../version.ts";

export function addVersion(program: CliCommand, cli: Cli): void {
  program
    .command("version")
    .description("print the version of authsvc, Node and the platform")
    .examples("authsvc version", "authsvc version --json")
    .action(async () => {
      const { node } = process.versions;
      const platform = `${process.platform}-${process.arch}`;
      await cli.result({ version, node, platform }, `authsvc ${version} (node ${node}, ${platform})\n`);
    });
}
