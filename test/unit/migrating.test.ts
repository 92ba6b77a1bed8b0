import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { foreignHash } from "../../src/credentials/passwords/foreign-hashes.ts";
import { parseUserLine } from "../../src/people/user-line.ts";
import { leftOut, noProgram } from "../support/left-out.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/migrating.md"), "utf8");
const noJq = noProgram("jq");

/**
 * What the system of a heading exports, in the shape that its documentation shows, with the rows
 * that real systems have besides: absent, null and past values, accounts of nobody.
 */
const exports: Record<string, { documents: unknown[]; users: (object | string)[] }> = {
  Firebase: {
    documents: [
      {
        users: [
          {
            localId: "jxspr8Ki0RYycVU8zykbdLGjFQ3M",
            email: "ada@example.org",
            emailVerified: true,
            passwordHash: "lSrfV15cpx95",
            salt: "42xEC+ixf3L2lw==",
            displayName: "Ada",
            photoUrl: "https://cdn.example/ada.png",
            createdAt: "1486324170123",
            providerUserInfo: [
              { providerId: "google.com", rawId: "123", email: "ada@example.org" },
              { providerId: "apple.com", federatedId: "x" },
              { providerId: "phone" },
            ],
          },
          { localId: "anonymous", createdAt: "1486324170123", disabled: true, providerUserInfo: [] },
          { localId: "anonymous2" },
          {
            localId: "phone",
            phoneNumber: "+491234",
            email: null,
            emailVerified: null,
            passwordHash: "",
            createdAt: null,
          },
          { localId: "unhashed", email: "bob@example.org", passwordHash: "abc", displayName: null, photoUrl: "" },
          {
            localId: "empty",
            email: "",
            emailVerified: true,
            providerUserInfo: [{ providerId: "github.com", rawId: "7" }],
          },
        ],
      },
    ],
    users: [
      {
        email: "ada@example.org",
        emailVerified: true,
        createdAt: 1486324170000,
        picture: "https://cdn.example/ada.png",
        identities: [{ provider: "google", subject: "123", email: "ada@example.org" }],
      },
      { id: "phone", email: null, disabled: false },
      { id: "unhashed", email: "bob@example.org", password: null },
      { id: "empty", email: null, identities: [{ provider: "github", subject: "7" }] },
    ],
  },
  Auth0: {
    documents: [
      {
        _id: { $oid: "60425dc43519d90068f82973" },
        email: "ada@example.org",
        email_verified: true,
        passwordHash: "$2b$10$Z6hUTEEeoJXN5/AmSm/4.eZ75RYgFVriQM9LPhNEC7kbAbS/VAaJ2",
        password_set_date: { $date: "2021-03-05T16:31:00.000Z" },
        tenant: "shop",
      },
      { _id: "auth0|60425dc43519d90068f82974", email: "bob@example.org", passwordHash: null },
      { _id: { $oid: "60425dc43519d90068f82975" }, username: "carol", email: null, email_verified: false },
      { _id: { $oid: "60425dc43519d90068f82976" }, email: "", email_verified: true },
    ],
    users: [
      { id: "60425dc43519d90068f82973", email: "ada@example.org", emailVerified: true },
      { id: "60425dc43519d90068f82974", email: "bob@example.org", emailVerified: false, password: null },
      { id: "60425dc43519d90068f82975", email: null },
      { id: "60425dc43519d90068f82976", email: null, emailVerified: false },
    ],
  },
  Keycloak: {
    documents: [
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
              { type: "otp", secretData: "not json", credentialData: null },
              { type: "password" },
              {
                type: "password",
                secretData:
                  '{"value":"bO75sSS+xBhl0k9yBzTVsX/eLm1WcAaub84rQv/Nyak=","salt":"yMnKy8zNzs/Q0dLT1NXW1w==","additionalParameters":{}}',
                credentialData: '{"hashIterations":27500,"algorithm":"pbkdf2-sha256"}',
              },
            ],
            federatedIdentities: [{ identityProvider: "google", userId: "123", userName: "ada" }],
          },
          {
            id: "4c973896-5761-41fc-8217-07c5d13a004c",
            email: "bob@example.org",
            emailVerified: false,
            firstName: null,
            lastName: "Builder",
            enabled: false,
            createdTimestamp: 1505479415590,
            credentials: [
              {
                type: "password",
                secretData:
                  '{"value":"bO75sSS+xBhl0k9yBzTVsX/eLm1WcAaub84rQv/Nyak=","salt":"yMnKy8zNzs/Q0dLT1NXW1w=="}',
                credentialData:
                  '{"hashIterations":5,"algorithm":"argon2","additionalParameters":{"hashLength":["32"],"memory":["7168"],"type":["id"],"version":["1.3"],"parallelism":["1"]}}',
              },
            ],
          },
          {
            id: "4c973896-5761-41fc-8217-07c5d13a004d",
            username: "service-account-shop",
            enabled: true,
            createdTimestamp: 1505479415590,
            serviceAccountClientId: "shop",
            credentials: [],
          },
          {
            id: "4c973896-5761-41fc-8217-07c5d13a004e",
            username: "nomail",
            credentials: null,
            federatedIdentities: null,
          },
          { id: "4c973896-5761-41fc-8217-07c5d13a004f", email: "", emailVerified: true, federationLink: "ldap" },
        ],
      },
    ],
    users: [
      { email: "ada@example.org", name: "Ada", disabled: false, createdAt: 1505479415000 },
      { email: "bob@example.org", name: "Builder", disabled: true },
      { id: "4c973896-5761-41fc-8217-07c5d13a004e", email: null, name: null, disabled: false },
      { id: "4c973896-5761-41fc-8217-07c5d13a004f", email: null, emailVerified: false },
    ],
  },
  Supabase: {
    documents: [
      {
        id: "83fd9e20-7a80-46e4-bf29-a86e3d6bbf66",
        email: "ada@example.org",
        encrypted_password: "$2a$10$Z6hUTEEeoJXN5/AmSm/4.eZ75RYgFVriQM9LPhNEC7kbAbS/VAaJ2",
        email_confirmed_at: "2023-01-01T00:00:00+00:00",
        raw_user_meta_data: { name: "Ada" },
        created_at: "2023-01-01T00:00:00.123456+00:00",
        banned_until: null,
        is_anonymous: false,
      },
      {
        id: "83fd9e20-7a80-46e4-bf29-a86e3d6bbf67",
        email: "bob@example.org",
        encrypted_password: null,
        email_confirmed_at: null,
        raw_user_meta_data: null,
        created_at: null,
        banned_until: "2023-02-01T00:00:00+00:00",
      },
      {
        id: "83fd9e20-7a80-46e4-bf29-a86e3d6bbf68",
        email: "carol@example.org",
        encrypted_password: "",
        raw_user_meta_data: { full_name: "Carol" },
        created_at: "2023-01-01 00:00:00+00",
        banned_until: "2999-02-01T00:00:00+00:00",
      },
      { id: "83fd9e20-7a80-46e4-bf29-a86e3d6bbf69", email: null, is_anonymous: true, created_at: null },
      {
        id: "83fd9e20-7a80-46e4-bf29-a86e3d6bbf6a",
        email: "gone@example.org",
        deleted_at: "2023-01-01T00:00:00+00:00",
      },
      {
        id: "83fd9e20-7a80-46e4-bf29-a86e3d6bbf6b",
        email: "",
        phone: "4912345",
        email_confirmed_at: "2023-01-01T00:00:00Z",
      },
    ],
    users: [
      { email: "ada@example.org", emailVerified: true, name: "Ada", disabled: false, createdAt: 1672531200123 },
      { email: "bob@example.org", emailVerified: false, name: null, disabled: false, password: null, createdAt: null },
      { email: "carol@example.org", name: "Carol", disabled: true, createdAt: 1672531200000 },
      { id: "83fd9e20-7a80-46e4-bf29-a86e3d6bbf6b", email: null, emailVerified: false },
    ],
  },
  Django: {
    documents: [
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
            date_joined: null,
          },
        },
        { model: "shop.user", pk: "8f14e45f", fields: { password: null, email: "bob@example.org" } },
        { model: "auth.user", fields: { username: "natural", email: "carol@example.org", password: "" } },
        { model: "auth.user", pk: null, fields: { username: "nobody", email: null, password: "!" } },
        { model: "auth.user", pk: -1, fields: { username: "AnonymousUser", email: "", password: "!x" } },
      ],
    ],
    users: [
      { id: "1", email: "ada@example.org", name: "Ada", disabled: false },
      { id: "2", email: null, name: null, disabled: true, password: null },
      { id: "8f14e45f", email: "bob@example.org", name: null, disabled: false, password: null },
      { id: null, email: "carol@example.org" },
      "required if there is no id",
    ],
  },
};

describe.skipIf(noJq !== undefined)(`the filters of docs/migrating.md${leftOut(noJq)}`, () => {
  test.each(Object.entries(exports))(
    "turn what %s exports into lines that are imported",
    (system, { documents, users }) => {
      const { stdout, stderr } = filtered(system, documents.map((document) => JSON.stringify(document)).join("\n"));
      expect(stderr).toBe("");
      const [announced, ...lines] = stdout.trim().split("\n");
      expect(JSON.parse(announced ?? "")).toEqual({ lines: lines.length });
      const parsed = lines.map((line) => parseUserLine(line));
      expect(parsed.map((user) => ("rule" in user ? user.rule : user))).toEqual(
        users.map((user) => (typeof user === "string" ? user : expect.objectContaining(deep(user)))),
      );
      for (const user of parsed) {
        if (!("rule" in user)) expect(user.leftOut.filter(({ field }) => field !== "picture")).toEqual([]);
        if ("password" in user && user.password && !user.password.salt)
          expect(foreignHash(user.password.hash)).toHaveProperty("hash");
      }
    },
  );

  test.each(Object.entries(exports))("print nothing of what %s exports if it is cut off", (system, { documents }) => {
    const input = documents.map((document) => JSON.stringify(document)).join("\n");
    const { stdout, status } = filtered(system, input.slice(0, -5));
    expect(stdout).toBe("");
    expect(status).not.toBe(0);
  });
});

function filtered(system: string, input: string) {
  const section = page.slice(page.indexOf(`## From ${system}\n`));
  const filter = /```jq\n([\s\S]*?)```/u.exec(section)?.[1] ?? "";
  return spawnSync("jq", ["-c", "-n", filter], { input, encoding: "utf8" });
}

/** Expects of lists and objects in it what it names. */
function deep(user: object): object {
  return Object.fromEntries(
    Object.entries(user).map(([key, value]: [string, unknown]) => [
      key,
      Array.isArray(value) ? value.map((one: object) => expect.objectContaining(one)) : value,
    ]),
  );
}
