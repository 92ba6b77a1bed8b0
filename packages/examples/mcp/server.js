import { protectResource } from "@authsvc/sdk/express";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import express from "express";
import { z } from "zod";

const port = process.env.PORT ?? 3000;
const resource = process.env.MCP_URL ?? `http://localhost:${port}/mcp`;
const api = await protectResource({ resource, scopes: ["notes:read", "notes:write"] });
const notes = new Map();
const text = (value) => ({ content: [{ type: "text", text: value }] });

// Each tool asks for its scope itself: one request may carry several calls.
function createServer() {
  const server = new McpServer({ name: "notes", version: "1.0.0" });
  server.registerTool("list-notes", { description: "Lists your notes" }, ({ authInfo }) => {
    const { sub } = api.requireScopes(authInfo, "notes:read").extra;
    return text((notes.get(sub) ?? []).join("\n"));
  });
  const inputSchema = { note: z.string() };
  server.registerTool("add-note", { description: "Adds a note", inputSchema }, ({ note }, { authInfo }) => {
    const { sub } = api.requireScopes(authInfo, "notes:write").extra;
    notes.set(sub, [...(notes.get(sub) ?? []), note]);
    return text("Added.");
  });
  return server;
}

// 403 before a tool runs, so that the program asks its user for the scope and calls again.
const [read, write] = [api.requireToken("notes:read"), api.requireToken("notes:write")];
const isWrite = (message) => message?.params?.name === "add-note";
const app = express();
app.use(api.routes);
app.use("/mcp", read, express.json(), (request, response, next) =>
  [request.body].flat().some(isWrite) ? write(request, response, next) : next(),
);
app.post("/mcp", async (request, response) => {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  response.on("close", () => transport.close());
  await createServer().connect(transport);
  await transport.handleRequest(request, response, request.body);
});
app.all("/mcp", (_, response) => response.sendStatus(405));
app.listen(port);
