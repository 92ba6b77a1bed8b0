import { commandActor, namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { roleFlag } from "../../input/operator-flags.ts";

type Flags = { email: string; role: string; name?: string; link?: boolean; withdraw?: string };

export function addOperatorInvite(operator: CliCommand, cli: Cli): void {
  operator
    .command("invite")
    .description("invite somebody to the console, and mail a link to create their passkey; it works once, for 7 days")
    .asks("--email <address>", "email address of the operator", undefined, "withdraw")
    .asks(...roleFlag, "withdraw")
    .option("--name <name>", "name of the operator, if new")
    .option("--link", "print the link instead of mailing it")
    .option("--withdraw <operator>", "void the invitation of this operator (ID or email address), and remove them")
    .dryRun("validate without changing anything")
    .examples(
      "authsvc operator invite --email ada@example.com --role owner",
      "authsvc operator invite --email bob@example.com --role viewer --link --json | jq -r .link",
    )
    .withApp(async (ctx, { email, role, name, link = false, withdraw }: Flags) => {
      const operators = await import("../../../operators/service.ts");
      if (withdraw !== undefined) {
        const dryRun = cli.isDryRun();
        const gone = await operators.withdraw(ctx, withdraw, { dryRun }, { actor: commandActor() });
        const text = `The invitation of ${gone.email ?? gone.id} ${dryRun ? "would be" : "was"} withdrawn.\n`;
        return await cli.result({ ...gone, withdrawn: !dryRun }, text);
      }
      const options = { link, dryRun: cli.isDryRun() };
      const made = await namingFlags({ email: "--email", role: "--role", name: "--name" }, () =>
        operators.invite(ctx, { email, role, name: name ?? null }, options, { actor: commandActor() }),
      );
      if (cli.isDryRun()) return await cli.result(made, "");
      await cli.result(made, made.link === null ? `${made.email} was invited as ${made.role}.\n` : `${made.link}\n`);
      if (cli.isJson()) return;
      await cli.note(
        made.link === null
          ? `The link works once, until ${made.expiresAt}.`
          : `It works once, until ${made.expiresAt}. Anybody who has it becomes this operator.`,
      );
    });
}
