import { providerDisplayName } from "../../applications/providers/providers.ts";
import type { ActivityEvent } from "../../storage/column-types.ts";

const methods: Record<string, string> = {
  passkey: "Passkey",
  password: "Password",
  emailCode: "Code by mail",
  oauth: "Provider",
  invitation: "Invitation",
};

const prefix = "oauth:";

/** A provider's name, where people signed in with one. */
export function providerOf(kind: string): string | undefined {
  return kind.startsWith(prefix) ? providerDisplayName(kind.slice(prefix.length)) : undefined;
}

export function methodName(kind: string): string {
  return providerOf(kind) ?? methods[kind] ?? kind;
}

/** Why something failed or was refused. */
export function reasonName({ event, kind }: { event: ActivityEvent; kind: string }): string {
  if (event === "sign-in.failed") return methodName(kind);
  if (event === "second-factor.failed") return `Second factor (${kind})`;
  return kind === "" ? "Not told apart" : kind;
}
