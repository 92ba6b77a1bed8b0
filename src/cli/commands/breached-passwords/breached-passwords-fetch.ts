import { makeBreachedFile } from "../../breached-files.ts";
import { namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";

export function addBreachedPasswordsFetch(breached: CliCommand, cli: Cli): void {
  breached
    .command("fetch")
    .description(
      "make the file from Have I Been Pwned, over the network: tens of gigabytes; a second call continues the first",
    )
    .argument("[FILE]", "the file to make (default: passwords.breachedFile)")
    .option("--url <url>", "another server; XXXXX are the first digits (default: that of Have I Been Pwned)")
    .examples(
      "authsvc breached-passwords fetch /var/lib/authsvc/breached.bin",
      "authsvc breached-passwords fetch --url https://mirror.example.com/range/XXXXX",
    )
    .action(async (argument: string | undefined, flags: { url?: string }) => {
      const interrupted = "Interrupted. Run the same command again to continue.";
      await makeBreachedFile(cli, { argument, unit: "ranges", interrupted }, async (path, work) => {
        const { fetchBreachedFile, rangeUrl } = await import("../../../credentials/passwords/breached/fetch.ts");
        const { url = rangeUrl } = flags;
        return await namingFlags({ url: "--url" }, () =>
          fetchBreachedFile(path, { url, fetch, now: Date.now(), ...work }),
        );
      });
    });
}
