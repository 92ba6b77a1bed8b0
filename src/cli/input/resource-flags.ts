import { InvalidArgumentError, Option, type Command } from "commander";
import type { ResourceChange } from "../../applications/resources/resource.ts";
import type { ResourceScope } from "../../storage/column-types.ts";
import { wholeNumberFrom } from "./values.ts";

export type ResourceFlags = {
  name?: string;
  scope?: ResourceScope[];
  accessTokenSeconds?: number;
  clientDocuments?: "on" | "off";
  companySignIn?: "on" | "off";
};

/** The flag of a refused field. */
export const resourceFlagOfField = {
  identifier: "--identifier",
  name: "--name",
  scopes: "--scope",
  accessTokenSeconds: "--access-token-seconds",
};

/** Adds the flags of `resource create` and `resource update`. */
export function addResourceFlags<C extends Command>(command: C): C {
  return command
    .option("--name <name>", "name that people see (default: the identifier without https://)")
    .addOption(
      new Option("--scope <name=sentence...>", "scope, and what it allows; replaces all others; repeatable").argParser(
        (text: string, before: ResourceScope[] | undefined) => [...(before ?? []), ...scopeFrom(text)],
      ),
    )
    .option(
      "--access-token-seconds <number>",
      "how long its tokens are valid (default: 900)",
      wholeNumberFrom(60, 3600),
    )
    .addOption(
      new Option("--client-documents [switch]", "whether unregistered clients may ask for it")
        .choices(["on", "off"])
        .preset("on"),
    )
    .addOption(
      new Option(
        "--company-sign-in [switch]",
        "whether it takes people who signed in by the provider of their organization alone; it must read org_confined",
      )
        .choices(["on", "off"])
        .preset("on"),
    );
}

/** Only the given options. An empty scope removes all. */
export function resourceChangeFrom(flags: ResourceFlags): ResourceChange {
  const { name, scope: scopes, accessTokenSeconds } = flags;
  const clientDocuments = flags.clientDocuments && flags.clientDocuments === "on";
  const companySignIn = flags.companySignIn && flags.companySignIn === "on";
  const change = { name, scopes, accessTokenSeconds, clientDocuments, companySignIn };
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}

function scopeFrom(text: string): ResourceScope[] {
  if (text === "") return [];
  const [, name, sentence] = /^([^=]+)=(.+)$/su.exec(text) ?? [];
  if (name === undefined || sentence === undefined)
    throw new InvalidArgumentError('NAME=SENTENCE, such as read="Read your orders"');
  return [{ name, sentence }];
}
