import type { Cli } from "../cli.ts";
import type { CliCommand } from "../command.ts";
import { json } from "../output/text.ts";

export function addOpenApi(program: CliCommand, cli: Cli): void {
  program
    .command("openapi")
    .description("print the OpenAPI 3.1 document of the HTTP API, as served at GET /openapi.json")
    .examples("authsvc openapi > openapi.json", "authsvc openapi | jq '.paths | keys'")
    .action(async () => {
      const { config } = await cli.configure();
      const { openApiDocument } = await import("../../api/openapi/document.ts");
      const { apiRoutes } = await import("../../api/routes.ts");
      const document = openApiDocument(apiRoutes, config.baseUrl ?? `http://localhost:${config.listen.port}`);
      await cli.file(document, json(document, true));
    });
}
