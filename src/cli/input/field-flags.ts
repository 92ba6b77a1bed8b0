/** Values of an application's own profile fields, as `--field NAME=VALUE`. */
import { InvalidArgumentError, type Command } from "commander";
import type { Context } from "../../runtime/context.ts";

export function addFieldFlag(command: Command, more = ""): void {
  command.option("--field <name=value...>", `value of a profile field of the application${more}; repeatable`, addField);
}

function addField(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [, name, value] = /^([A-Za-z0-9_]{1,32})=(.*)$/su.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError("Write it as NAME=VALUE, such as team=Sales.");
  return { ...before, [name]: value };
}

/** How a refusal names each. */
export function fieldNames(given: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.keys(given).map((name) => [`profile.${name}`, `--field ${name}`]));
}

/** The values that the texts mean. An unknown field stays a text, and is refused later. */
export async function profileFrom(
  ctx: Context,
  appId: string,
  given: Record<string, string>,
): Promise<Record<string, unknown>> {
  const applications = await import("../../applications/service.ts");
  const { valueFromText } = await import("../../users/profile-fields.ts");
  const fields = (await applications.find(ctx, ctx.storage.reader, appId))?.settings.profileFields ?? [];
  return Object.fromEntries(
    Object.entries(given).map(([name, text]) => {
      const field = fields.find((each) => each.name === name);
      return [name, field ? valueFromText(field, text) : text];
    }),
  );
}
