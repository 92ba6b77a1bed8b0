import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { newEmail } from "../../support/person.ts";
import { updateApp, describeEachDatabase } from "../../support/service.ts";
import { useMailServer } from "../../support/mail.ts";
import { withOrganizations } from "../../support/organizations.ts";

const mailServer = await useMailServer();

describeEachDatabase("acts on the same people and organizations at once", { mail: mailServer.mail }, (current) => {
  it("lock application, person and organization in one order, and never deadlock", async () => {
    const service = current();
    const { app, send, newPerson, newOrganization } = await withOrganizations(service);
    const { db } = service.server.app.ctx.storage.reader;
    const deadlocks = async (): Promise<number> => {
      if (service.dialect === "sqlite") return 0;
      const counted = sql`SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`;
      const { rows } = (await (db as unknown as { execute(query: typeof counted): Promise<unknown> }).execute(
        counted,
      )) as { rows: { deadlocks: string }[] };
      return Number(rows[0]?.deadlocks);
    };
    const before = await deadlocks();
    const [a, b] = [await newOrganization(), await newOrganization()];
    for (let round = 0; round < 8; round += 1) {
      const email = newEmail();
      const userId = await newPerson(email);
      const inviter = await a.newMember("admin");
      // By an invitation that is open still, and locked by two deletions.
      const invitations = [{ email, roles: ["member"] }];
      const invited = await send("POST", `${a.path}/invitations?by=${inviter}`, { invitations });
      expect(invited.body["results"]).toMatchObject([{ error: null }]);
      await send("PUT", `${a.path}/members/${userId}`, { roles: ["member"] });
      const roles = { roles: ["member"] };
      const answers = await Promise.all([
        send("PUT", `${a.path}/members/${userId}`, roles),
        send("PUT", `${b.path}/members/${userId}`, { roles: ["owner"] }),
        send("DELETE", `${a.path}/members/${userId}`),
        send("DELETE", `${b.path}/members/${userId}`),
        send("POST", "/organizations", { name: `Made ${round}`, owner: userId }),
        send("PATCH", `/users/${userId}`, { disabled: round % 2 === 0 }),
        send("PATCH", a.path, { name: `Renamed ${round}` }),
        updateApp(service, app, { settings: { organizationRoles: [`role-${round}`] } }).then(() => ({ status: 200 })),
        send("DELETE", `/users/${userId}`),
        send("DELETE", `/users/${inviter}`),
      ]);
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status >= 500)).toEqual([]);
    }
    expect(await deadlocks()).toBe(before);
  });
});
