import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import * as users from "../../src/users/service.ts";
import { localDocuments, agentAt, tokensOf, useDocumentServer, withAgents } from "../support/client-documents.ts";
import { describeEachDatabase } from "../support/service.ts";
import { emptyFolder } from "./command.ts";
import { answer, authsvc } from "./in-process.ts";
import { placeOf } from "./service-place.ts";

const documents = useDocumentServer();

describeEachDatabase("commands about unregistered clients", localDocuments, (service) => {
  it("list, show, block and unblock them", async () => {
    const agents = await withAgents(service);
    const agent = agentAt(documents.serve({ client_name: "Helper" }));
    await tokensOf(agents, agent);
    const place = placeOf(service);
    const json = async (...args: string[]) => await answer(args, place);
    const shown = {
      id: agent.id,
      kind: "document",
      name: "Helper",
      appIds: [agents.app.id],
      users: 1,
      lastUsedAt: expect.any(String) as string,
      createdAt: expect.any(String) as string,
      updatedAt: expect.any(String) as string,
      blockedAt: null,
    };
    expect(await json("client", "list", "--app", agents.app.id)).toEqual([shown]);
    expect(await json("client", "show", agent.id)).toEqual(shown);
    const text = await authsvc(["client", "show", agent.id], place);
    expect(text.stdout).toMatch(/Calls itself +Helper/u);
    const userId =
      (await users.findByEmail(service.server.app.ctx.storage.reader, agents.app.id, agents.email))?.id ?? "";
    expect(await json("user", "consents", userId)).toMatchObject([{ clientId: agent.id, name: "Helper" }]);
    expect(await json("user", "logins", userId)).toMatchObject([{ clientId: agent.id }]);

    expect((await authsvc(["client", "block", agent.id], place)).code).toBe(2);
    expect(await json("client", "block", agent.id, "--dry-run")).toEqual({
      id: agent.id,
      blocked: false,
      dryRun: true,
    });
    expect(await json("client", "block", agent.id, "--yes")).toEqual({ id: agent.id, blocked: true });
    expect(await json("client", "block", agent.id, "--yes")).toEqual({ id: agent.id, blocked: true });
    const blocked = { ...shown, appIds: [], users: 0, lastUsedAt: null, blockedAt: expect.any(String) as string };
    expect(await json("client", "list", "--app", agents.app.id)).toEqual([blocked]);
    expect(await json("client", "unblock", agent.id)).toEqual({ id: agent.id, unblocked: true });
    expect(await json("client", "list", "--app", agents.app.id)).toEqual([]);
    expect((await authsvc(["client", "unblock", agent.id], place)).code).toBe(3);
    expect((await authsvc(["client", "show", "https://agent.example/nobody.json"], place)).code).toBe(3);
    const refused = await authsvc(["client", "block", "https://agent.example", "--yes"], place);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("with a path")]);
    expect(await json("client", "block", "https://agent.example/new.json", "--yes")).toMatchObject({ blocked: true });
  });
});

it("the setting of an application, its resources, their file, and what doctor says of them", async () => {
  const place = { cwd: emptyFolder() };
  const json = async (...args: string[]) => (await answer(args, place)) as Record<string, unknown>;
  await json("app", "create", "--id", "app_shop", "--name", "Shop", "--redirect-uri", "https://shop.example/callback");
  const set = async (value: string) =>
    ((await json("app", "update", "app_shop", "--client-documents", value))["settings"] as Record<string, unknown>)[
      "clientDocuments"
    ];
  expect(await set("any")).toBe("any");
  expect(await set("claude.ai:8443,claude.ai")).toEqual(["claude.ai", "claude.ai:8443"]);
  expect(await set("claude.ai, chatgpt.com,claude.ai")).toEqual(["chatgpt.com", "claude.ai"]);
  for (const value of ["", "https://claude.ai", "Claude.ai", "*.claude.ai", "claude.ai:443", "claude.ai:0443"]) {
    const refused = await authsvc(["app", "update", "app_shop", "--client-documents", value], place);
    expect([value, refused.code, refused.stderr]).toEqual([value, 2, expect.stringContaining("--client-documents")]);
  }
  const findings = async () =>
    ((await authsvc(["doctor", "--json"], place)).stdout.match(/[^"]*unregistered clients[^"]*/gu) ?? []).join();
  expect(await findings()).toBe("app_shop allows unregistered clients, but none of its resources does.");
  const resource = [
    "resource",
    "create",
    "--app",
    "app_shop",
    "--identifier",
    "https://api.example",
    "--client-documents",
  ];
  expect(await json(...resource)).toMatchObject({ clientDocuments: true });
  expect(await findings()).toBe("");

  const { stdout: file } = await authsvc(["export"], place);
  expect(file).toContain("clientDocuments:\n      - chatgpt.com\n      - claude.ai");
  expect(await set("off")).toBeUndefined();
  expect(await findings()).toBe("https://api.example allows unregistered clients, but app_shop does not.");
  writeFileSync(join(place.cwd, "state.yaml"), file);
  expect((await authsvc(["apply", "state.yaml", "--yes"], place)).code).toBe(0);
  expect((await authsvc(["export"], place)).stdout).toBe(file);
});
