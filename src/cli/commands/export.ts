import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { examples } from "../examples.ts";

export function addExport(program: Command, cli: Cli): void {
  const command = program
    .command("export")
    .description(
      "print all applications with their providers and webhooks as a file for plan and apply, without secrets",
    );
  examples(command, ["authsvc export > applications.yaml", "authsvc export | authsvc plan -"]).action(async () => {
    const { stateFileText } = await import("../../config/state-file.ts");
    await cli.withApp(async (ctx) => {
      const desiredStates = await import("../../operator/desired-state/service.ts");
      const state = await desiredStates.exportState(ctx);
      await cli.file(state, stateFileText(state));
    });
  });
}
