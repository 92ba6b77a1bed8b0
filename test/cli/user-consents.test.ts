import { expect, it } from "vitest";
import { newParty } from "../support/openid-tokens.ts";
import { authorize, authorizeUrl } from "../support/openid.ts";
import { Visitor } from "../support/person.ts";
import { describeEachDatabase } from "../support/service.ts";
import { answer, authsvc } from "./in-process.ts";
import { placeOf } from "./service-place.ts";

describeEachDatabase("user consents", (current) => {
  it("lists what a person has agreed to on the page, as a table and as JSON", async () => {
    const service = current();
    const { app, client, email } = await newParty(service, { name: "Grafana", consent: "ask" });
    const visitor = new Visitor();
    const agreedAt = service.clock.now;
    const proven = await authorize(service, client, { email }, { scope: "openid email" }, visitor);
    await visitor.submit(await visitor.get(proven.location.href), "/step/consent", {});
    service.clock.advance(3_600_000);
    const asked = await visitor.get(authorizeUrl(service, client, { scope: "openid profile" }));
    const done = await visitor.submit(await visitor.get(asked.location.href), "/step/consent", {});
    expect(done.location.searchParams.has("code")).toBe(true);

    const place = placeOf(service);
    const users = (await answer(["user", "list", "--app", app.id], place)) as { id: string; email: string }[];
    const id = users.find((user) => user.email === email)?.id ?? "";
    const stranger = (await answer(["user", "create", "--app", app.id, "--email", "a@example.com"], place)) as {
      id: string;
    };
    expect((await authsvc(["user", "consents", stranger.id], place)).stderr).toContain(
      "This user has not given consent to any client.",
    );
    expect(await authsvc(["user", "consents", "usr_nobody"], place)).toMatchObject({ code: 3, stdout: "" });
    expect(await answer(["user", "consents", id], place)).toEqual([
      {
        clientId: client.id,
        name: "Grafana",
        scopes: ["openid", "email", "profile"],
        resources: [],
        createdAt: new Date(agreedAt).toISOString(),
        updatedAt: new Date(agreedAt + 3_600_000).toISOString(),
      },
    ]);
    const { code, stdout, stderr } = await authsvc(["user", "consents", id], place);
    expect([code, stderr]).toEqual([0, ""]);
    const [head = "", row = "", ...more] = stdout.trimEnd().split("\n");
    expect(head).toMatch(/^CLIENT ID +NAME +SCOPES +ALLOWED +LAST CHANGE$/u);
    expect(row).toMatch(new RegExp(`^${client.id} +Grafana +openid email profile +\\S.*\\S$`, "u"));
    expect(more).toEqual([]);
  });

  it("ends the access of a client: its consent and its logins", async () => {
    const service = current();
    const { client, email, app } = await newParty(service, { name: "Grafana", consent: "ask" });
    const visitor = new Visitor();
    const proven = await authorize(service, client, { email }, { scope: "openid email" }, visitor);
    await visitor.submit(await visitor.get(proven.location.href), "/step/consent", {});
    const place = placeOf(service);
    const users = (await answer(["user", "list", "--app", app.id], place)) as { id: string; email: string }[];
    const id = users.find((user) => user.email === email)?.id ?? "";
    const end = ["user", "consents", id, "--end", client.id];
    expect((await authsvc([...end, "--dry-run"], place)).stdout).toBe(`The access of ${client.id} would end.\n`);
    expect(await answer(["user", "consents", id], place)).toHaveLength(1);
    expect((await authsvc(end, place)).stdout).toBe(`The access of ${client.id} ended.\n`);
    expect(await answer(["user", "consents", id], place)).toEqual([]);
    expect(await authsvc(end, place)).toMatchObject({ code: 3, stdout: "" });
  });
});
