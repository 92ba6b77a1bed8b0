import type { ResourceAnswer } from "../../applications/resources/resource.ts";
import type { Screen } from "./screen.ts";
import { facts } from "./text.ts";

export function resourceText(resource: ResourceAnswer, screen: Screen): string {
  const { scopes } = resource;
  const lines = scopes.length === 0 ? ["-"] : scopes.map(({ name, sentence }) => `${name}: ${sentence}`);
  return facts([
    ["Identifier", resource.identifier],
    ["App ID", resource.appId],
    ["Name", resource.name],
    ...lines.map((line, index): [string, string] => [index === 0 ? "Scopes" : "", line]),
    ["Access tokens", `${resource.accessTokenSeconds} seconds`],
    ["Client documents", resource.clientDocuments ? "on" : "off"],
    ["Company sign-in", resource.companySignIn ? "on" : undefined],
    ["Created", screen.moment(resource.createdAt)],
  ]);
}
