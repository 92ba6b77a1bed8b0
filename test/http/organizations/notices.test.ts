import { expect, it } from "vitest";
import { useMailServer } from "../../support/mail.ts";
import { withOrganizations } from "../../support/organizations.ts";
import { newEmail } from "../../support/person.ts";
import { until } from "../../support/receiver.ts";
import { describeEachDatabase } from "../../support/service.ts";

const mailServer = await useMailServer();

describeEachDatabase("mails about an organization", { mail: mailServer.mail }, (current) => {
  it("Q19: neither reach an unverified address nor name it", async () => {
    const { send, newOrganization } = await withOrganizations(current());
    const { path, owner } = await newOrganization();
    const unproven = newEmail();
    const { body } = await send("POST", "/users", { email: unproven });
    const member = `${path}/members/${String(body["id"])}`;
    await send("PUT", member, { roles: ["owner"] });
    await send("PATCH", member, { roles: ["admin"] });
    await send("PUT", member, { roles: ["owner"] });
    await send("DELETE", member);
    const email = String((await send("GET", `/users/${owner}`)).body["email"]);
    const told = () => mailServer.to(email).filter(({ text }) => text.includes("Person: –"));
    expect(await until(() => told().length === 4)).toBe(true);
    expect(mailServer.to(email).some(({ text }) => text.includes(unproven))).toBe(false);
    const { db, tables } = current().server.app.ctx.storage.reader;
    const mails = [...(await db.select().from(tables.mails)), ...(await db.select().from(tables.sentMails))];
    expect(mails.filter(({ userId }) => userId === body["id"])).toEqual([]);
  });
});
