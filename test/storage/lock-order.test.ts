import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accessChanges, newSomeone, type Place } from "../support/access-changes.ts";
import { countDeadlocks, untilWaiting } from "../support/locks.ts";
import { startProvider } from "../support/providers/provider.ts";
import { appWith } from "../support/providers/round.ts";
import { startTestService } from "../support/service.ts";

/** What a change of access may have locked only after the user, by the condition for the user. */
const afterTheUser = {
  email_tokens: "user_id = $1",
  sign_in_sessions: "$1 IN (user_id, proven_user_id, account_user_id)",
  browser_sessions: "user_id = $1",
  logins: "user_id = $1",
  passwords: "user_id = $1",
  passkeys: "user_id = $1",
  oauth_identities: "user_id = $1",
  consents: "user_id = $1",
};

// On SQLite there is one lock, and nobody to wait for crosswise.
describe("the order of locks: the user before all that is theirs (docs/decisions/0049) (postgres)", () => {
  let running: Awaited<ReturnType<typeof startTestService>>;
  let place: Place;
  let other: Client;

  beforeAll(async () => {
    running = await startTestService("postgres");
    const { service } = running;
    const provider = await startProvider("github");
    const app = await appWith(service, [provider], { methods: ["password", "passkey", "oauth"] });
    place = { service, app, provider };
    other = new Client(service.config.database.url);
    await other.connect();
  });
  afterAll(async () => {
    await other.end();
    await place.provider.close();
    await running.stop();
  });

  it.each(accessChanges(() => place))("%s", async (_title, prepare) => {
    const person = await newSomeone(place);
    const act = await prepare(person);
    await other.query("BEGIN");
    // As an update of a name does.
    await other.query("SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE", [person.id]);
    const acting = act();
    try {
      await Promise.race([untilWaiting(other, 1), acting.then(() => Promise.reject(new Error("it did not wait")))]);
      for (const [table, ofUser] of Object.entries(afterTheUser))
        await other.query(`SELECT 1 FROM ${table} WHERE ${ofUser} FOR UPDATE NOWAIT`, [person.id]);
    } finally {
      await other.query("ROLLBACK");
    }
    await acting.catch(() => {});
  });

  it("no transaction of any of them was ended for a deadlock", async () => {
    expect(await countDeadlocks(other, running.restart)).toBe(0);
  });
});
