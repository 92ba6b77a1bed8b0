import { expect, test } from "vitest";
import { localDocuments, agentAt, tokensOf, useDocumentServer, withAgents } from "../support/client-documents.ts";
import { commandsOn, openConsole, runShown } from "../support/console.ts";
import { post } from "../support/openid-tokens.ts";
import { useService } from "../support/one-service.ts";
import { newMachine } from "../support/resources.ts";

const documents = useDocumentServer();
const service = useService(localDocuments);

/** Somebody has allowed a program; `refresh`: whether it still gets tokens. */
async function allowed() {
  const agents = await withAgents(service);
  const agent = agentAt(documents.serve({ client_name: "<b>Helper</b>" }));
  const { refresh_token } = await tokensOf(agents, agent);
  const body = { grant_type: "refresh_token", refresh_token, client_id: agent.id };
  return { agents, agent, refresh: async () => (await post(service, "/oauth2/token", body)).status };
}

test("shows the host of a program that nobody registered, its name as it says, and the machines", async () => {
  const { agents, agent } = await allowed();
  const { client } = await newMachine(service, { name: "Nightly" }, agents.app);
  const { text } = await (await openConsole(service, { role: "viewer" })).get("/agents");
  expect(text).toContain(new URL(agent.id).host);
  expect(text).toContain("&lt;b&gt;Helper");
  expect(text).toContain(`/console/applications/${agents.app.id}/clients/${client.id}`);
  expect(text).not.toContain("/agents/block");
});

test("blocks a program as the command does: it gets no more tokens, and may be allowed again", async () => {
  const [one, other] = [await allowed(), await allowed()];
  const console = await openConsole(service);
  const page = await console.get("/agents");
  const { token = "" } = page.form("/agents/block").fields;
  await console.visitor.post(`${console.url}/console/agents/block`, { token, url: one.agent.id });
  const command = commandsOn(page).find((line) => line.includes(other.agent.id)) ?? "";
  expect(await runShown(service, command)).toMatchObject({ code: 0 });
  expect([await one.refresh(), await other.refresh()]).toEqual([401, 401]);
  const blocked = await console.get("/agents");
  expect(blocked.text).toContain("blocked");
  await console.visitor.post(`${console.url}/console/agents/unblock`, { token, url: one.agent.id });
  expect(await runShown(service, command.replace("block", "unblock"))).toMatchObject({ code: 0 });
  expect((await console.get("/agents")).text).not.toContain("/agents/unblock");
});

test("J8: an operator of one application sees its programs and machines only, and blocks none", async () => {
  const [own, foreign] = [await allowed(), await allowed()];
  await newMachine(service, { name: "Foreign machine" }, foreign.agents.app);
  const { text } = await (await openConsole(service, { appId: own.agents.app.id })).get("/agents");
  expect(text).toContain(own.agent.id);
  for (const hidden of [foreign.agent.id, "Foreign machine", "/agents/block"]) expect(text).not.toContain(hidden);
});

test("refuses what is no client ID, beside the list", async () => {
  const console = await openConsole(service);
  const { token = "" } = (await console.get("/overview")).form("/sign-out").fields;
  const answer = await console.visitor.post(`${console.url}/console/agents/block`, { token, url: "http://x" });
  expect(answer.status).toBe(400);
  expect(answer.text).toContain("Unregistered clients");
});
