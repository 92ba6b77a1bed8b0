/** O4: accounts are there with what was acknowledged; deleted ones, and groups, are not (O10). */
import { Violation } from "../model.ts";
import type { World } from "../world.ts";

export async function checkAccounts(world: World): Promise<void> {
  const { db, tables } = world.node.ctx.storage.reader;
  const { users, passwords, secondFactors, groups, groupMembers } = tables;
  const stored = await db.select().from(users);
  const byId = new Map(stored.map((user) => [user.id, user]));
  const byEmail = new Map(stored.map((user) => [user.email ?? "", user]));
  for (const { name, userId, access } of world.people) {
    if (userId === undefined) continue;
    if (!access.allows("deleted") && !byId.has(userId))
      throw new Violation("O4", `the account of ${name} is not stored`);
    if (access.isOnly("deleted") && byId.has(userId)) throw new Violation("O1", `${name} is stored after the deletion`);
  }
  const named = new Map((await db.select().from(groups)).map(({ id, name }) => [id, name]));
  if ([...named.values()].includes(null)) throw new Violation("O10", "a deleted group waits for ever");
  const joined = await db.select().from(groupMembers);
  for (const account of world.accounts) {
    const { email, userId = "", exists, groups: known } = account;
    const user = byId.get(userId);
    if (!exists.allows(user !== undefined)) throw new Violation("O4", `${email} is ${user ? "" : "not "}stored`);
    if (!user) continue;
    world.mustBeAsKept(account, user.name, user.publicMetadata);
    const isIn = new Set(joined.filter((row) => row.userId === userId).map(({ groupId }) => named.get(groupId)));
    for (const [group, isMember] of known) world.mustBe(`${email} in ${group}`, isMember, isIn.has(group));
  }
  const withPassword = new Set((await db.select().from(passwords)).map(({ userId }) => userId));
  const withFactor = new Set((await db.select().from(secondFactors)).map(({ userId }) => userId));
  for (const { emails, isDone } of world.imports) {
    const present = emails.map((email) => byEmail.get(email));
    const [first] = present.map((user) => user !== undefined);
    if (present.some((user) => (user !== undefined) !== first))
      throw new Violation("O4", `half an import: ${emails[0]}`);
    world.mustBe(`the import of ${emails[0]}`, isDone, first === true);
    for (const user of present)
      if (user && !(withPassword.has(user.id) && withFactor.has(user.id)))
        throw new Violation("O4", `${user.email} was imported without what the line said`);
  }
}
