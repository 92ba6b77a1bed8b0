import { isoTime } from "../../../lib/clock.ts";
import { breachedFile } from "../../breached-files.ts";
import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { sizeText } from "../../../lib/sizes.ts";
import { facts } from "../../output/text.ts";

export function addBreachedPasswordsStatus(breached: CliCommand, cli: Cli): void {
  breached
    .command("status")
    .description("read the whole file and show its entries, size and age: exit code 2 if it is missing or damaged")
    .argument("[FILE]", "the file (default: passwords.breachedFile)")
    .examples(
      "authsvc breached-passwords status",
      "authsvc breached-passwords status breached.bin --json | jq .entries",
    )
    .action(async (argument: string | undefined) => {
      const { path, name } = await breachedFile(cli, argument);
      const { openBreachedFile } = await import("../../../credentials/passwords/breached/file.ts");
      const file = await openBreachedFile(path, name);
      try {
        await file.verify();
      } finally {
        await file.close();
      }
      const { entries, bytes, madeAt } = file;
      const text = facts([
        ["File", `${path}, intact`],
        ["Entries", entries.toLocaleString("en")],
        ["Size", sizeText(bytes)],
        ["Made", isoTime(madeAt)],
      ]);
      await cli.result({ file: path, entries, bytes, madeAt: isoTime(madeAt), intact: true }, text);
    });
}
