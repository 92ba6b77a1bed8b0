import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { json } from "../text.ts";

export function addOpenApi(program: Command, cli: Cli): void {
  const command = program
    .command("openapi")
    .description("print the HTTP API as an OpenAPI 3.1 document, as GET /openapi.json answers it");
  examples(command, ["authsvc openapi > openapi.json", "authsvc openapi | jq '.paths | keys'"]).action(async () => {
    const { config } = await cli.configure();
    const { openApiDocument } = await import("../../openapi/document.ts");
    const document = openApiDocument(config.baseUrl ?? `http://localhost:${config.listen.port}`);
    await cli.result(document, json(document, true));
  });
}
