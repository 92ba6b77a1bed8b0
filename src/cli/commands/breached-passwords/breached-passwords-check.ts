import { breachedFile } from "../../breached-files.ts";
import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { exitCodes } from "../../exit-codes.ts";
import { readSecret } from "../../input/ask.ts";

export function addBreachedPasswordsCheck(breached: CliCommand, cli: Cli): void {
  breached
    .command("check")
    .description("look up a password from standard input: exit code 4 if it is breached, else 0")
    .argument("[FILE]", "the file (default: passwords.breachedFile)")
    .examples("authsvc breached-passwords check", "authsvc breached-passwords check breached.bin --json < password.txt")
    .action(async (argument: string | undefined) => {
      const { path, name } = await breachedFile(cli, argument);
      const { openBreachedFile } = await import("../../../credentials/passwords/breached/file.ts");
      const file = await openBreachedFile(path, name);
      try {
        const password = await readSecret(cli.io, { flag: "the password", question: "Password" });
        const isBreached = await file.has(password);
        await cli.result({ breached: isBreached }, isBreached ? "breached\n" : "not breached\n");
        if (isBreached) cli.endWith(exitCodes.refused);
      } finally {
        await file.close();
      }
    });
}
