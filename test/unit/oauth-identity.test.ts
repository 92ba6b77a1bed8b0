import { describe, expect, it } from "vitest";
import {
  identityFromClaims,
  identityFromGithub,
  identityFromUserinfo,
} from "../../src/credentials/identities/identity.ts";

const email = "ada@example.org";
const proves = { provesEmail: true };

describe("O2: whose mailboxes Google runs", () => {
  const google = { provesEmail: true, linksHostedOnly: true };
  const said = (address: string, hd: unknown, word: object = { email_verified: true }) =>
    identityFromClaims({ sub: "s", email: address, hd, ...word }, google);

  it.each([
    ["ada@gmail.com", undefined],
    ["Ada@Gmail.com", undefined],
    ["ada@gmail.com", "example.org"],
    [email, "example.org"],
    ["ada@bücher.example", "Bücher.example"],
    ["ada@xn--bcher-kva.example", "bücher.example"],
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

  it("an address that is not verified links nothing, no matter who runs its mailbox", () => {
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

describe("O12: the name that a provider tells", () => {
  const claims = (changed: object) => identityFromClaims({ sub: "s", email, email_verified: true, ...changed }, proves);

  it.each([42, {}, "a\0b", "a\u0007b", "", "   "])("leaves the name %j away", (name) => {
    expect(claims({ name }).name).toBeNull();
  });

  it("cuts a long one", () => {
    expect(claims({ name: "x".repeat(201) }).name).toBe("x".repeat(200));
  });
});
