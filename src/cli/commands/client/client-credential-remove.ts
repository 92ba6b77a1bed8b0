import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";

export function addClientCredentialRemove(credential: CliCommand, cli: Cli): void {
  // No --yes, as for secrets: this is for emergencies.
  credential
    .command("remove")
    .description("trust the tokens of an issuer no longer; what a machine got with them ends at once")
    .asks("[ID]", "client ID", "Client ID")
    .asks("[CREDENTIALID]", "Credential ID, such as crd_01k…", "Credential ID")
    .dryRun("validate without removing anything")
    .examples(
      "authsvc client credential remove nightly crd_01k… --dry-run",
      "authsvc client credential remove nightly crd_01k… --json",
    )
    .withApp(async (ctx, clientId: string, id: string) => {
      const trusts = await import("../../../applications/clients/workload/trusts.ts");
      await trusts.remove(ctx, clientId, id, { actor: commandActor(), dryRun: cli.isDryRun() });
      await cli.gone("removed", id, { id, clientId });
    });
}
