import { beforeAll, describe, expect, test } from "vitest";
import { emptyFolder } from "./command.ts";
import { answer, authsvc } from "./in-process.ts";
import { linkSecret } from "../support/mail-flows.ts";

describe("user invite", () => {
  const place = { cwd: emptyFolder() };
  const to = (email: string, ...more: string[]) => ["user", "invite", "--app", "app_shop", "--email", email, ...more];

  beforeAll(async () => {
    await answer(["app", "create", "--name", "Shop", "--id", "app_shop"], place);
  });

  test("prints the link where there is no mail server, and what it is good for", async () => {
    const { code, stdout, stderr } = await authsvc(to("ada@example.com", "--name", "Ada"), place);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^http\S+\/invite\/[\w-]{43}\?app_id=app_\w+\n$/u) as string,
    });
    expect(stderr).toMatch(
      /^It works once, until .*\. Anybody who has it can set up the account of ada@example\.com\.$/mu,
    );
    const [user] = (await answer(["user", "list", "--app", "app_shop"], place)) as { id: string }[];
    expect(user).toMatchObject({ email: "ada@example.com", name: "Ada", emailVerified: false });
    const again = await answer(to("ada@example.com"), place);
    expect(again).toMatchObject({ userId: user?.id, created: false, sent: false });
    const audited = JSON.stringify(await answer(["audit", "list", "--user", user?.id ?? ""], place));
    expect(audited).toContain(`"action":"user.invite"`);
    expect(audited).not.toContain(linkSecret(stdout.trimEnd()));
  });

  test("--dry-run checks, and invites nobody", async () => {
    const before = await answer(["user", "list", "--app", "app_shop"], place);
    const planned = await answer(to("new@example.com", "--dry-run"), place);
    expect(planned).toMatchObject({ dryRun: true, created: true, userId: null, link: null });
    expect(await answer(["user", "list", "--app", "app_shop"], place)).toEqual(before);
  });

  test("--withdraw voids the open link by id or address, once", async () => {
    const { link, userId } = (await answer(to("eve@example.com"), place)) as { link: string; userId: string };
    const withdraw = ["user", "invite", "--withdraw"];
    expect(await answer([...withdraw, userId, "--dry-run"], place)).toMatchObject({ withdrawn: false, dryRun: true });
    expect((await authsvc([...withdraw, "eve@example.com"], place)).stdout).toBe(
      "The invitation of eve@example.com was withdrawn.\n",
    );
    const again = await authsvc([...withdraw, userId], place);
    expect(again).toMatchObject({ code: 4, stderr: expect.stringContaining("has no open invitation") as string });
    const audited = JSON.stringify(await answer(["audit", "list", "--user", userId], place));
    expect(audited).toContain(`"action":"user.invite-withdrawn"`);
    expect(audited).not.toContain(linkSecret(link));
    expect((await authsvc([...withdraw, "usr_nobody"], place)).code).toBe(3);
    expect(await authsvc(["user", "invite"], place)).toMatchObject({ code: 2 });
  });

  test.each([
    [to("nobody"), 2, /^authsvc: --email must be an address such as ada@example\.com, at most 254 characters$/mu],
    [["user", "invite", "--app", "app_none", "--email", "a@example.com"], 3, /There is no application with this id/u],
    [to("bob@example.com"), 4, /already signs in with this address/u],
  ])("%j ends with %i", async (args, code, line) => {
    await authsvc(["user", "create", "--app", "app_shop", "--email", "bob@example.com", "--password-stdin"], {
      ...place,
      input: "correct horse battery staple",
    });
    const refused = await authsvc(args, place);
    expect(refused).toMatchObject({ code, stdout: "" });
    expect(refused.stderr).toMatch(line);
  });
});
