import { describe, expect, it } from "vitest";
import { accessChanges, newSomeone } from "../support/access-changes.ts";
import { countDeadlocks, usePlaceWithLocks, untilWaiting } from "../support/locks.ts";

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
  const at = usePlaceWithLocks();

  it.each(accessChanges(() => at.place))("%s", async (_title, prepare) => {
    const person = await newSomeone(at.place);
    const act = await prepare(person);
    await at.other.query("BEGIN");
    // As an update of a name does.
    await at.other.query("SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE", [person.id]);
    const acting = act();
    try {
      await Promise.race([untilWaiting(at.other, 1), acting.then(() => Promise.reject(new Error("it did not wait")))]);
      for (const [table, ofUser] of Object.entries(afterTheUser))
        await at.other.query(`SELECT 1 FROM ${table} WHERE ${ofUser} FOR UPDATE NOWAIT`, [person.id]);
    } finally {
      await at.other.query("ROLLBACK");
    }
    await acting.catch(() => {});
  });

  it("no transaction of any of them was ended for a deadlock", async () => {
    expect(await countDeadlocks(at.other, at.restart)).toBe(0);
  });
});
