import { describe, expect, test } from "vitest";
import { protectResource } from "../../packages/sdk/src/resource.ts";
import * as personalTokens from "../../src/credentials/personal/service.ts";
import { useService } from "../support/one-service.ts";
import { newUser } from "../support/mail-flows.ts";
import { givePersonalToken } from "../support/personal-tokens.ts";
import { by, createResource } from "../support/resources.ts";
import { usePython } from "./python.ts";
import { verifiers } from "./verifiers.ts";

const current = useService();
const { clientOf } = verifiers(current);
const python = usePython(`
import json, sys
import authsvc
for line in sys.stdin:
    given = json.loads(line)
    client = authsvc.Authsvc(*given["client"])
    try:
        if given["resource"]:
            api = authsvc.ProtectedResource(client, given["resource"], ["read", "write"])
            access, reply = api.require("GET", "/", "Bearer " + given["token"])
            answer = access.scopes if access else reply.status
        else:
            answer = client.verify(given["token"])
    except authsvc.AuthsvcError as error:
        answer = error.code
    print(json.dumps(answer), flush=True)
`);

async function prepared() {
  const service = current();
  const app = await service.createApp({ settings: { personalTokens: true } });
  const { id, email } = await newUser(service, app);
  const end = async () => await personalTokens.end(service.server.app.ctx, { userId: id }, { reason: "operator", by });
  const asked = (token: string, resource: string | null = null) => ({
    client: [service.url, app.id, app.apiKey],
    token,
    resource,
  });
  return { service, app, id, email, end, asked };
}

describe("a personal access token in the packages", () => {
  test("T9, T11: is taken by verify, and refused once it ended", async () => {
    const { service, app, id, email, end, asked } = await prepared();
    const { client } = clientOf(app);
    const token = await givePersonalToken(service, id, { scopes: ["profile", "email"] });
    expect(await client.verify(token)).toMatchObject({ sub: id, aud: app.id, scope: "profile email", email });
    expect(await python(asked(token))).toMatchObject({
      valid: true,
      user: { id, email },
      scopes: ["profile", "email"],
    });
    await end();
    await expect(client.verify(token)).rejects.toMatchObject({ code: "INVALID_TOKEN" });
    expect(await python(asked(token))).toBe("INVALID_TOKEN");
  });

  test("T9: one for a resource is taken there and nowhere else", async () => {
    const { service, app, id, end, asked } = await prepared();
    const [orders, other] = [await createResource(service, app), await createResource(service, app)];
    const token = await givePersonalToken(service, id, { resource: orders, scopes: ["read"] });
    const { client } = clientOf(app);
    await expect(client.verify(token)).rejects.toMatchObject({ code: "INVALID_TOKEN" });
    const ask = async (resource: string, headers: Record<string, string>) => {
      const settings = { issuer: service.url, appId: app.id, apiKey: app.apiKey };
      const api = protectResource({ ...settings, resource, scopes: ["read", "write"] });
      const answer = await api.requireToken(new Request(`${resource}/1`, { headers }));
      api.close();
      return answer instanceof Response ? answer.status : answer.scopes;
    };
    const authorization = `Bearer ${token}`;
    expect(await ask(orders, { authorization })).toEqual(["read"]);
    expect(await ask(other, { authorization })).toBe(401);
    expect(await ask(orders, { authorization: `DPoP ${token}` })).toBe(401);
    expect([await python(asked(token, orders)), await python(asked(token, other))]).toEqual([["read"], 401]);
    await end();
    expect(await ask(orders, { authorization })).toBe(401);
    expect(await python(asked(token, orders))).toBe(401);
  });
});
