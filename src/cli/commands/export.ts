import type { Cli } from "../cli.ts";
import type { CliCommand } from "../command.ts";

export function addExport(program: CliCommand, cli: Cli): void {
  program
    .command("export")
    .description(
      "print all applications with their providers and webhooks as a file for plan and apply, without secrets",
    )
    .examples("authsvc export > applications.yaml", "authsvc export | authsvc plan -")
    .action(async () => {
      const { stateFileText } = await import("../../upkeep/desired-state/state-file.ts");
      await cli.withApp(async (ctx) => {
        const desiredStates = await import("../../upkeep/desired-state/service.ts");
        const state = await desiredStates.exportState(ctx);
        await cli.file(state, stateFileText(state));
      });
    });
}
