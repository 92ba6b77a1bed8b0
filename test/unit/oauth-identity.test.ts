import { describe, expect, it } from "vitest";
import { identityFromClaims, identityFromGithub, identityFromUserinfo } from "../../src/oauth/identity.ts";

const email = "ada@example.org";
const proven = { email, emailVerified: true, emailRefuted: false };
const unproven = { email, emailVerified: false, emailRefuted: false };
const proves = { provesEmail: true };
const provesNot = { provesEmail: false };
const refuted = { email, emailVerified: false, emailRefuted: true };

describe("O4: what an id_token says of its address", () => {
  const flags: [flag: unknown, said: object][] = [
    [true, proven],
    ["true", proven],
    [false, refuted],
    ["false", refuted],
    [undefined, unproven],
    [null, unproven],
    [1, unproven],
    [0, unproven],
    ["TRUE", unproven],
    ["yes", unproven],
    [[true], unproven],
    [{ value: true }, unproven],
  ];

  it.each(flags)("email_verified %j from an issuer that proves addresses", (flag, said) => {
    expect(identityFromClaims({ sub: "s", email, email_verified: flag }, proves)).toMatchObject(said);
  });

  it.each(flags)("email_verified %j from Microsoft is no proof, and no refusal", (flag) => {
    expect(identityFromClaims({ sub: "s", email, email_verified: flag, xms_edov: flag }, provesNot)).toMatchObject(
      unproven,
    );
  });

  it("is no proof without an address", () => {
    const said = identityFromClaims({ sub: "s", email_verified: true, preferred_username: email, upn: email }, proves);
    expect(said).toMatchObject({ email: null, emailVerified: false });
  });
});

describe("O2: whose mailboxes Google runs", () => {
  const google = { provesEmail: true, linksHostedOnly: true };
  const said = (address: string, hd: unknown, word: object = { email_verified: true }) =>
    identityFromClaims({ sub: "s", email: address, hd, ...word }, google);

  it.each([
    ["ada@gmail.com", undefined],
    ["Ada@Gmail.com", undefined],
    ["ada@gmail.com", "example.org"],
    [email, "example.org"],
  ])("%s with hd %j links by its address", (address, hd) => {
    expect(said(address, hd)).toMatchObject({ emailVerified: true, linksByEmail: true });
  });

  it.each([
    [email, undefined],
    [email, "gmail.com"],
    [email, "org"],
    [email, "mail.example.org"],
    [email, ["example.org"]],
    [email, true],
    ["ada@mail.example.org", "example.org"],
    ["ada@notgmail.com", undefined],
    ["ada@gmail.com.example.org", undefined],
  ])("%s with hd %j is verified, and links nothing", (address, hd) => {
    expect(said(address, hd)).toMatchObject({ emailVerified: true, linksByEmail: false });
  });

  it("an address that is not verified links nothing, whoever runs its mailbox", () => {
    expect(said("ada@gmail.com", undefined, { email_verified: false })).toMatchObject({
      emailVerified: false,
      linksByEmail: false,
    });
    expect(said(email, "example.org", {})).toMatchObject({ emailVerified: false, linksByEmail: false });
  });
});

describe("what a provider says of somebody's picture", () => {
  const pictureOf = (picture: unknown) => identityFromClaims({ sub: "s", picture }, proves).picture;

  it("is taken from the claims, GitHub, Discord and Facebook alike", () => {
    expect(pictureOf("https://cdn.example/ada.png")).toBe("https://cdn.example/ada.png");
    expect(identityFromGithub({ id: 1, login: "a", avatar_url: "https://cdn.example/a?v=4" }, []).picture).toBe(
      "https://cdn.example/a?v=4",
    );
    expect(identityFromUserinfo("discord", { id: "80351", avatar: "a_1269e74" }, true).picture).toBe(
      "https://cdn.discordapp.com/avatars/80351/a_1269e74.png",
    );
    const data = { url: "https://cdn.example/f.jpg", is_silhouette: false };
    expect(identityFromUserinfo("facebook", { id: "1", picture: { data } }, false).picture).toBe(data.url);
  });

  it.each([
    "http://cdn.example/ada.png",
    "javascript:alert(1)",
    "data:image/png;base64,AAAA",
    "//cdn.example/ada.png",
    "https://user:secret@cdn.example/ada.png",
    `https://cdn.example/${"x".repeat(2048)}`,
    "",
    42,
    null,
    { url: "https://cdn.example/ada.png" },
  ])("leaves %j away", (picture) => {
    expect(pictureOf(picture)).toBeNull();
  });

  it.each([null, undefined, "../../etc/passwd", "a b", 42])("Discord's avatar %j is none", (avatar) => {
    expect(identityFromUserinfo("discord", { id: "1", avatar }, true).picture).toBeNull();
  });

  it.each([null, "https://cdn.example/f.jpg", { data: null }, { data: { url: 1 } }])(
    "Facebook's %j is none",
    (picture) => {
      expect(identityFromUserinfo("facebook", { id: "1", picture }, false).picture).toBeNull();
    },
  );
});

describe("O4: what GitHub says", () => {
  const user = { id: 42, login: "ada", name: "Ada", email: "public@example.org" };
  const primary = (verified: unknown) => ({ email, primary: true, verified });
  const second = { email: "second@example.org", primary: false, verified: true };

  it("takes the primary address, wherever it stands, and its own flag", () => {
    expect(identityFromGithub(user, [second, primary(true)])).toMatchObject({ subject: "42", name: "Ada", ...proven });
    expect(identityFromGithub(user, [primary(false), second])).toMatchObject(refuted);
  });

  it.each([undefined, null, 1, "true", "yes"])("takes verified %j for no", (flag) => {
    expect(identityFromGithub(user, [primary(flag)])).toMatchObject(refuted);
  });

  it.each([
    ["none", []],
    ["no primary one", [second]],
    [
      "entries of other types",
      [null, 1, "ada@example.org", [primary(true)], { primary: "true", verified: true, email }],
    ],
    ["a primary one without an address", [{ primary: true, verified: true }]],
  ])("has no address with %s, and never the public one of the profile", (_title, emails) => {
    expect(identityFromGithub(user, emails)).toMatchObject({ email: null, emailVerified: false });
  });

  it.each(["42", "", null, undefined, 4.2, Number.NaN, 2 ** 53, -0.5, true, {}, [42]])("refuses the id %j", (id) => {
    expect(() => identityFromGithub({ ...user, id }, [primary(true)])).toThrow("no valid subject");
  });

  it("is called by the login where there is no name", () => {
    expect(identityFromGithub({ ...user, name: null }, []).name).toBe("ada");
  });
});

describe("O4: what Discord and Facebook say", () => {
  it.each([
    [true, proven],
    [false, refuted],
    [undefined, unproven],
    ["true", unproven],
  ])("Discord's verified %j", (verified, said) => {
    const user = { id: "80351110224678912", username: "ada", global_name: "Ada", email, verified };
    expect(identityFromUserinfo("discord", user, true)).toMatchObject({ name: "Ada", ...said });
  });

  it.each([true, false, undefined, "true"])("Facebook's verified %j is about something else", (verified) => {
    expect(identityFromUserinfo("facebook", { id: "1", name: "Ada", email, verified }, false)).toMatchObject(unproven);
  });
});

describe("O12: subjects, addresses and names of every kind", () => {
  const claims = (changed: object) => identityFromClaims({ sub: "s", email, email_verified: true, ...changed }, proves);

  it.each([undefined, null, "", 42, true, {}, ["s"], "x".repeat(256), "a\0b", "a\nb", "\u007F", "\uD800"])(
    "refuses the subject %j",
    (sub) => {
      expect(() => claims({ sub })).toThrow("no valid subject");
    },
  );

  it.each(["x".repeat(255), " ", "S", "s ", "日本", "a|b:c"])("keeps the subject %j as it is", (sub) => {
    expect(claims({ sub }).subject).toBe(sub);
  });

  it.each([" Ada@Example.ORG ", "ADA@EXAMPLE.ORG", "ada@example.org\n"])("knows %j as the same address", (odd) => {
    expect(claims({ email: odd }).email).toBe(email);
  });

  it.each([
    "",
    "ada",
    "ada@localhost",
    "ada＠example.org",
    "ada@example.org,eve@evil.example",
    "ada@example.org@evil.example",
    "ada@ex\u0430mple.org",
    "Ada <ada@example.org>",
    "ada@example.org\0",
    "a da@example.org",
    `${"a".repeat(250)}@example.org`,
    42,
    null,
    {},
    [email],
  ])("takes %j for no address at all, and for no proof", (odd) => {
    expect(claims({ email: odd })).toMatchObject({ email: null, emailVerified: false });
  });

  it.each([42, {}, "x".repeat(201), "a\0b", "a\u0007b", "", "   "])("leaves the name %j away", (name) => {
    expect(claims({ name }).name).toBeNull();
  });
});
