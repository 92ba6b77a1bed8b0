import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { foreignHash } from "../../src/credentials/passwords/foreign-hashes.ts";
import { parseUserLine } from "../../src/users/user-line.ts";
import { leftOut, noProgram } from "../support/left-out.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/migrating.md"), "utf8");
const noJq = noProgram("jq");

/** What the system of a heading exports, in the shape that its documentation shows. */
const exports: Record<string, unknown[]> = {
  Firebase: [
    {
      users: [
        {
          localId: "jxspr8Ki0RYycVU8zykbdLGjFQ3M",
          email: "ada@example.org",
          emailVerified: true,
          passwordHash: "lSrfV15cpx95",
          salt: "42xEC+ixf3L2lw==",
          displayName: "Ada",
          createdAt: "1486324170123",
          providerUserInfo: [
            { providerId: "google.com", rawId: "123", email: "ada@example.org" },
            { providerId: "phone" },
          ],
        },
        { localId: "anonymous", createdAt: "1486324170123", disabled: true, providerUserInfo: [] },
      ],
    },
  ],
  Auth0: [
    {
      _id: { $oid: "60425dc43519d90068f82973" },
      email: "ada@example.org",
      email_verified: true,
      passwordHash: "$2b$10$Z6hUTEEeoJXN5/AmSm/4.eZ75RYgFVriQM9LPhNEC7kbAbS/VAaJ2",
    },
  ],
  Keycloak: [
    {
      users: [
        {
          id: "4c973896-5761-41fc-8217-07c5d13a004b",
          email: "ada@example.org",
          emailVerified: true,
          firstName: "Ada",
          enabled: true,
          createdTimestamp: 1505479415590,
          credentials: [
            {
              type: "password",
              secretData: '{"value":"bO75sSS+xBhl0k9yBzTVsX/eLm1WcAaub84rQv/Nyak=","salt":"yMnKy8zNzs/Q0dLT1NXW1w=="}',
              credentialData: '{"hashIterations":27500,"algorithm":"pbkdf2-sha256"}',
            },
          ],
          federatedIdentities: [{ identityProvider: "google", userId: "123", userName: "ada" }],
        },
        {
          id: "4c973896-5761-41fc-8217-07c5d13a004c",
          email: "bob@example.org",
          enabled: false,
          createdTimestamp: 1505479415590,
          credentials: [
            {
              type: "password",
              secretData: '{"value":"bO75sSS+xBhl0k9yBzTVsX/eLm1WcAaub84rQv/Nyak=","salt":"yMnKy8zNzs/Q0dLT1NXW1w=="}',
              credentialData:
                '{"hashIterations":5,"algorithm":"argon2","additionalParameters":{"hashLength":["32"],"memory":["7168"],"type":["id"],"version":["1.3"],"parallelism":["1"]}}',
            },
          ],
        },
        { id: "service-account", enabled: true, createdTimestamp: 1505479415590 },
      ],
    },
  ],
  Supabase: [
    {
      id: "83fd9e20-7a80-46e4-bf29-a86e3d6bbf66",
      email: "ada@example.org",
      encrypted_password: "$2a$10$Z6hUTEEeoJXN5/AmSm/4.eZ75RYgFVriQM9LPhNEC7kbAbS/VAaJ2",
      email_confirmed_at: "2023-01-01T00:00:00+00:00",
      raw_user_meta_data: { name: "Ada" },
      created_at: "2023-01-01T00:00:00.123456+00:00",
      banned_until: null,
    },
  ],
  Django: [
    [
      {
        model: "auth.user",
        pk: 1,
        fields: {
          password: "pbkdf2_sha256$1000$seasalt$R1/GfWtwog1T8Ev9VndgDjzkiRzbFr8JpmJtL9cMmQU=",
          first_name: "Ada",
          last_name: "",
          email: "ada@example.org",
          is_active: true,
          date_joined: "2021-03-04T05:06:07.890Z",
        },
      },
      {
        model: "auth.user",
        pk: 2,
        fields: {
          password: "!unusable",
          first_name: "",
          last_name: "",
          email: "",
          is_active: false,
          date_joined: "2021-03-04T05:06:07Z",
        },
      },
    ],
  ],
};

describe.skipIf(noJq !== undefined)(`the filters of docs/migrating.md${leftOut(noJq)}`, () => {
  test.each(Object.entries(exports))("turn what %s exports into lines that are imported", (system, documents) => {
    const section = page.slice(page.indexOf(`## From ${system}\n`));
    const filter = /```jq\n([\s\S]*?)```/u.exec(section)?.[1] ?? "";
    const input = documents.map((document) => JSON.stringify(document)).join("\n");
    const { stdout, stderr } = spawnSync("jq", ["-c", filter], { input, encoding: "utf8" });
    expect(stderr).toBe("");
    const lines = stdout.trim().split("\n");
    const users = lines.map((line) => parseUserLine(line));
    expect(users[0]).toMatchObject({ email: "ada@example.org" });
    for (const user of users) {
      expect(user).not.toHaveProperty("rule");
      if ("password" in user && user.password && !user.password.salt)
        expect(foreignHash(user.password.hash)).toHaveProperty("hash");
    }
  });
});
