import { expect, test } from "vitest";
import { authsvc, emptyFolder, finish, outputOf, start } from "../cli/command.ts";
import { newEmail, signIn } from "../support/person.ts";
import type { TestApp, TestService } from "../support/service.ts";

test("a user who was imported with a bcrypt hash signs in: the executable brings the thread that verifies it", async () => {
  const cwd = emptyFolder();
  const service = start(["serve", "--dev", "--port", "0", "--json"], { cwd });
  const ended = finish(service);
  try {
    const served = JSON.parse(await outputOf(service, /\}/u)) as Record<string, string>;
    const { url, appId = "", apiKey, demoUrl } = served;
    const headers = { authorization: `Bearer ${apiKey}`, "x-service-app-id": appId };
    const app = { id: appId, apiKey, redirectUri: `${demoUrl}/callback`, headers } as TestApp;
    const [email, password] = [newEmail(), "correct horse"];
    const input = JSON.stringify({
      email,
      password: { hash: "$2b$05$abcdefghijklmnopqrstuuHNbAKRhpaujgo33bRWs.NLUTJO3lOy2" },
    });
    expect(await authsvc(["user", "import", "--app", appId], { cwd, input })).toMatchObject({ code: 0 });
    await expect(signIn({ url } as TestService, app, { email, password: "wrong horse" })).rejects.toThrow();
    expect((await signIn({ url } as TestService, app, { email, password })).code).not.toBe("");
  } finally {
    service.kill("SIGTERM");
  }
  expect(await ended).toMatchObject({ code: 0 });
});
