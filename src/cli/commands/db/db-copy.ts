import { resolve } from "node:path";
import { postgresUrlProblem } from "../../../config/postgres-url.ts";
import { AppError } from "../../../lib/errors.ts";
import type { DatabasePlace } from "../../../storage/snapshot.ts";
import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { longWork, rowsText, surroundings } from "../../database-work.ts";
import { askUnlessGiven, readSecret, readSecretFile } from "../../input/ask.ts";
import { outputPath } from "../../input/output-file.ts";

type Flags = { to?: string; toFile?: string; toStdin?: boolean };

export function addDbCopy(db: CliCommand, cli: Cli): void {
  db.command("copy")
    .description(
      "copy the database to an empty one, SQLite or PostgreSQL, and compare every table; stop the service first, or later writes are not copied",
    )
    .option("--to <address>", "target: sqlite:FILE, or postgres://… without a password")
    .option("--to-file <file>", "read the target from a file, such as a URL with a password")
    .option("--to-stdin", "read the target from standard input")
    .dryRun("check both databases without copying anything")
    .examples(
      "authsvc db copy --to-file /run/secrets/database-url",
      "authsvc db copy --to sqlite:/var/lib/authsvc/authsvc.db --dry-run --json",
    )
    .action(async (flags: Flags) => {
      const { config } = await cli.configure();
      const target = await targetOf(cli, flags);
      const dryRun = cli.isDryRun();
      const { copyDatabase } = await import("../../../upkeep/database/transfers.ts");
      const copied = await longWork(cli, "rows", async (onProgress) =>
        copyDatabase(config, target, { dryRun }, commandActor(), { ...surroundings, onProgress }),
      );
      if (!copied) return;
      await cli.result(
        { ...copied },
        `${rowsText(copied.tables)} ${dryRun ? "would be copied" : "were copied and verified"}.\n`,
      );
      if (!dryRun) await cli.note(keyNote(config.masterKey, target, config.dataDir));
      if (copied.stillInUse)
        await cli.note("The service is running on the source database: its later writes are not in the copy.");
    });
}

function keyNote(masterKey: string | undefined, target: DatabasePlace, dataDir: string): string {
  if (masterKey !== undefined) return "The copy needs the same master key. Keep masterKey in the configuration.";
  const file = resolve(dataDir, "master.key");
  return target.url === undefined
    ? `The copy needs the same master key: put ${file} beside it.`
    : `The copy needs the same master key: set masterKeyFile to ${file}.`;
}

async function targetOf(cli: Cli, { to, toFile, toStdin }: Flags): Promise<DatabasePlace> {
  if ([to, toFile, toStdin].filter((flag) => flag !== undefined).length > 1)
    throw new AppError("INVALID_REQUEST", "--to, --to-file and --to-stdin: give one of them");
  if (toFile !== undefined) return placeFrom(cli, await readSecretFile(cli.io, toFile, "--to-file"), "--to-file");
  if (toStdin)
    return placeFrom(cli, await readSecret(cli.io, { flag: "--to-stdin", question: "Address" }), "--to-stdin");
  const address = await askUnlessGiven(cli.io, to, {
    flag: "--to",
    question: "Target (sqlite:FILE or postgres://…)",
  });
  // Arguments are visible to every user of the machine and end up in the shell's history.
  if (hasPassword(address))
    throw new AppError("INVALID_REQUEST", "--to: a URL with a password is a secret; use --to-file or --to-stdin");
  return placeFrom(cli, address, "--to");
}

function placeFrom(cli: Cli, address: string, flag: string): DatabasePlace {
  if (/^postgres(ql)?:\/\/./u.test(address)) {
    const problem = postgresUrlProblem(address);
    if (problem !== undefined) throw new AppError("INVALID_REQUEST", `${flag}: the address ${problem}`);
    return { url: address, file: "" };
  }
  const [, file = ""] = /^sqlite:(?:\/\/(?=\/))?(.+)$/u.exec(address) ?? [];
  if (file === "") throw new AppError("INVALID_REQUEST", `${flag}: sqlite:FILE, or postgres://…`);
  return { url: undefined, file: outputPath(cli.io, file, flag) };
}

function hasPassword(address: string): boolean {
  return /^postgres(ql)?:\/\/[^/?#@]*:[^@]*@/u.test(address) || /[?&]password=/iu.test(address);
}
