import { expect, it } from "vitest";
import { openAccount } from "../../support/account.ts";
import { useMailServer } from "../../support/mail.ts";
import { withOrganizationPages } from "../../support/organizations.ts";
import { newEmail } from "../../support/person.ts";
import { addedRoles, mayChange, nextRoleSets, roleSets, type Giver } from "../../support/role-changes.ts";
import { describeSqliteFirst, type TestService } from "../../support/service.ts";

const mailServer = await useMailServer();

/** Everybody who tries to give a role: with a browser, and by the id in `by`. */
async function having(service: TestService) {
  const own = await withOrganizationPages(service, { organizationRoles: addedRoles });
  const { send, newVisitor, url } = own;
  const organization = await own.newOrganization();
  const { id, path } = organization;
  const giver = async (...roles: string[]) => {
    const made = await newVisitor();
    if (roles.length > 0) await send("PUT", `${path}/members/${made.userId}`, { roles });
    const token =
      /name="token" value="([^"]+)"/u.exec((await openAccount(service, own.app, made.visitor)).text)?.[1] ?? "";
    const act = async (fields: Record<string, string>) => await made.visitor.post(url(id), { token, ...fields });
    return { ...made, act };
  };
  const givers: Record<Giver, Awaited<ReturnType<typeof giver>>> = {
    owner: await giver("owner"),
    admin: await giver("admin"),
    member: await giver("member"),
    stranger: await giver(),
    former: await giver("owner"),
    disabled: await giver("owner"),
  };
  await send("DELETE", `${path}/members/${givers.former.userId}`);
  await send("PATCH", `/users/${givers.disabled.userId}`, { disabled: true });

  const doors: Record<string, (who: Giver, target: string, after?: string[]) => Promise<number>> = {
    async api(who, target, after) {
      const url = `${path}/members/${target}?by=${givers[who].userId}`;
      return (await (after ? send("PATCH", url, { roles: after }) : send("DELETE", url))).status;
    },
    async page(who, target, after) {
      const fields = Object.fromEntries((after ?? []).map((role) => [`role.${role}`, "on"]));
      return (await givers[who].act({ act: after ? "roles" : "remove", user: target, ...fields })).status;
    },
  };
  /** An id is no proof, so that an owner in `by` counts as an admin. */
  const may = (door: string, who: Giver, before: readonly string[], after?: readonly string[]): boolean =>
    mayChange(door === "api" && who === "owner" ? "admin" : who, before, after);
  /** The page of somebody who is disabled is the sign-in. */
  const statusOf = (door: string, who: Giver, isAllowed: boolean): number => {
    if (isAllowed) return door === "api" ? 200 : 303;
    if (who === "disabled" && door === "page") return 303;
    if (who === "stranger" || who === "former" || who === "disabled") return 404;
    return door === "api" ? 403 : 422;
  };
  return { ...own, organization, givers, doors, may, statusOf };
}

describeSqliteFirst("rights in organizations", { mail: mailServer.mail }, (current) => {
  it("Q2: nobody gives, takes or removes more than their rank allows, at any door (28–30, 32)", async () => {
    const { send, organization, givers, doors, may, statusOf } = await having(current());
    const { path, newMember, rolesOf } = organization;
    const target = await newMember("member");
    const reset = async (roles: string[]) => await send("PUT", `${path}/members/${target}`, { roles });
    for (const [door, change] of Object.entries(doors)) {
      for (const who of Object.keys(givers) as Giver[]) {
        for (const before of roleSets) {
          await reset(before);
          for (const after of nextRoleSets) {
            const cell = `${door}, ${who}: ${before.join()} to ${after?.join() ?? "none"}`;
            const isAllowed = may(door, who, before, after);
            expect([cell, await change(who, target, after)]).toEqual([cell, statusOf(door, who, isAllowed)]);
            expect([cell, await rolesOf(target)]).toEqual([cell, isAllowed ? after : before]);
            if (isAllowed) await reset(before);
          }
        }
      }
    }
  });

  it("Q2: nobody but an owner changes their own roles (28)", async () => {
    const { send, organization, givers, doors, statusOf } = await having(current());
    for (const [door, change] of Object.entries(doors)) {
      for (const who of ["owner", "admin", "member"] as const) {
        const { userId } = givers[who];
        for (const after of roleSets.toReversed()) {
          const cell = `${door}, ${who} to ${after.join()}`;
          const isAllowed = door === "page" && who === "owner";
          expect([cell, await change(who, userId, after)]).toEqual([cell, statusOf(door, who, isAllowed)]);
          expect([cell, await organization.rolesOf(userId)]).toEqual([cell, isAllowed ? after : [who]]);
          if (isAllowed) await send("PUT", `${organization.path}/members/${userId}`, { roles: [who] });
        }
      }
    }
  });

  it("Q2: nobody invites to more than they may give, or withdraws it (29)", async () => {
    const { send, organization, givers, may, statusOf } = await having(current());
    const { path } = organization;
    const open = async (email: string) => {
      const { body } = await send("GET", `${path}/invitations?limit=200`);
      return (body["invitations"] as { id: string; email: string }[]).find((each) => each.email === email)?.id;
    };
    for (const roles of roleSets) {
      const ofServer = newEmail();
      await send("POST", `${path}/invitations`, { invitations: [{ email: ofServer, roles }] });
      for (const who of Object.keys(givers) as Giver[]) {
        const { userId, act } = givers[who];
        for (const door of ["api", "page"]) {
          const cell = `${door}, ${who}: ${roles.join()}`;
          const isAllowed = may(door, who, [], roles);
          const email = newEmail();
          const fields = Object.fromEntries(roles.map((role) => [`role.${role}`, "on"]));
          if (door === "api")
            await send("POST", `${path}/invitations?by=${userId}`, { invitations: [{ email, roles }] });
          else await act({ act: "invite", addresses: email, ...fields });
          const invited = await open(email);
          expect([cell, invited !== undefined]).toEqual([cell, isAllowed]);
          const invitation = invited ?? (await open(ofServer)) ?? "";
          const { status } =
            door === "api"
              ? await send("DELETE", `${path}/invitations/${invitation}?by=${userId}`)
              : await act({ act: "withdraw", invitation });
          expect([cell, status]).toEqual([cell, statusOf(door, who, isAllowed)]);
          expect([cell, await open(email)]).toEqual([cell, undefined]);
          expect([cell, await open(ofServer)]).toEqual([cell, expect.any(String)]);
        }
      }
    }
  });
});
