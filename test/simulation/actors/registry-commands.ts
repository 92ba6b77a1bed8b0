/** What an operator types about people, and acts on several of them by one command. */
import type { TestApp } from "../../support/service.ts";
import { Violation } from "../model.ts";
import type { Registry } from "../registry.ts";
import { time } from "../time.ts";
import { command } from "../command-line.ts";

type Json = Record<string, unknown>;
type Asked = {
  email?: string | undefined;
  emailVerified?: boolean | undefined;
  name?: string | null | undefined;
  picture?: string | null | undefined;
  password?: string | undefined;
  profile?: Json | undefined;
};

/** `""` removes a value. */
export function flagsOf({ email, emailVerified, name, picture, profile = {} }: Asked): string[] {
  const text = (value: unknown): string =>
    value === null ? "" : typeof value === "string" ? value : JSON.stringify(value);
  return [
    ...(email === undefined ? [] : [`--email=${email}`]),
    ...(emailVerified === undefined ? [] : [emailVerified ? "--verified" : "--unverified"]),
    ...(name === undefined ? [] : [`--name=${text(name)}`]),
    ...(picture === undefined ? [] : [`--picture=${text(picture)}`]),
    ...Object.entries(profile).map(([field, value]) => `--field=${field}=${text(value)}`),
  ];
}

export function creating(app: TestApp, { name, emailVerified, password, ...asked }: Asked): string[] {
  const flags = flagsOf({
    ...asked,
    name: name ?? undefined,
    emailVerified: emailVerified === true ? true : undefined,
  });
  return ["user", "create", `--app=${app.id}`, ...flags, ...(password === undefined ? [] : ["--password-stdin"])];
}

/** All that are named are tried. The exit code is that of the first who failed. */
export async function switchSeveral(registry: Registry, app: TestApp): Promise<void> {
  const { world, chances } = registry;
  const act = chances.pick(["disable", "enable", "revoke-logins"] as const);
  const users = registry.present(app).slice(0, 1 + chances.below(3));
  const [missing, dryRun] = [chances.chance(0.3), chances.chance(0.3)];
  const ids = [...users.map((user) => registry.named(user)), ...(missing ? ["usr_00000000000000000000000000"] : [])];
  for (const user of users) user.isUnsure = true;
  const from = time.now();
  const ended = await command(world, ["user", act, ...ids, ...(dryRun ? ["--dry-run"] : [])]);
  if (ended.code !== (missing ? 3 : 0))
    throw new Violation("O10", `${act} of ${ids.join(" ")} ended with ${ended.code}: ${ended.notes}`);
  const said = (ids.length === 1 ? [ended.said] : ended.said) as Json[];
  const [one] = users;
  one?.mustBe(
    said.map(({ id }) => id),
    users.map(({ userId }) => userId),
    `whom ${act} names`,
  );
  for (const user of users) {
    const answer = said.find(({ id }) => id === user.userId) ?? {};
    user.mustBe(answer["dryRun"] ?? false, dryRun, "whether it was a dry run");
    const isChanged = !dryRun && act !== "revoke-logins" && (user.moments?.disabledAt !== null) === (act === "enable");
    if (!dryRun && act === "revoke-logins") user.leaves("entry user.revoke-logins");
    if (isChanged) user.leaves(`entry user.${act}`);
    const body = await registry.answered(200, app, "GET", `/users/${user.userId}`);
    user.learn(body, isChanged ? ["disabledAt", "updatedAt"] : [], { from, to: time.now() });
    if (isChanged && (user.moments?.disabledAt === null) !== (act === "enable")) user.fail(`${act} changed nothing`);
    if (act !== "revoke-logins") user.mustBe({ ...answer, dryRun: undefined }, user.shown, `a user after ${act}`);
    user.isUnsure = false;
  }
  world.reached("a command about several users");
}
