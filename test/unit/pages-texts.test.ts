import { describe, expect, it } from "vitest";
import { waitingTime } from "../../src/pages/duration.ts";
import { en } from "../../src/pages/texts/en.ts";
import { textsFor } from "../../src/pages/texts/texts.ts";

/** Every text; the gaps of those that have some hold "Acme". */
const sentences = Object.entries(en).map(([name, text]) => ({
  name,
  sentence: typeof text === "string" ? text : text("Acme" as never, "Acme"),
  hasGap: typeof text !== "string",
}));

describe("the English texts", () => {
  it("all say something and fill their gaps", () => {
    expect(sentences.filter(({ sentence }) => sentence === "" || sentence.trim() !== sentence)).toEqual([]);
    expect(sentences.filter(({ sentence, hasGap }) => sentence.includes("Acme") !== hasGap)).toEqual([]);
  });

  it("keep to the house's words: no exclamation marks, no please, no log in, no codes", () => {
    const words = /!|\bplease\b|\boops\b|\bsorry\b|\blog ?in\b|\blog ?out\b|\bregister\b|\binvalid\b|\berror \d/i;
    expect(sentences.filter(({ sentence }) => words.test(sentence))).toEqual([]);
  });

  it("name the controls as others find them", () => {
    expect(en).toMatchObject({
      email: "Email",
      password: "Password",
      name: "Name",
      signIn: "Sign in",
      createAccount: "Create account",
      signInWithPasskey: "Sign in with a passkey",
      createPasskey: "Create a passkey",
      forgotPassword: "Forgot password?",
      cancel: "Cancel",
    });
    expect(en.continueWith("Google")).toBe("Continue with Google");
    // A label that held the word would make the field's own label name two controls.
    expect(en.showCharacters + en.hideCharacters).not.toMatch(/password/i);
  });
});

describe("choosing a language", () => {
  it("answers English for whatever it does not know", () => {
    for (const header of [undefined, "", "xx", "de;q=0.9, *;q=0.1", "en-GB,en;q=0.5", ";;;,,,q=", "en;q=x"]) {
      expect(textsFor(undefined, header)).toMatchObject({ lang: "en", dir: "ltr" });
    }
    expect(textsFor("de-AT", "en")).toMatchObject({ lang: "en" });
    expect(textsFor("__proto__", "constructor").texts).toBe(en);
  });
});

describe("a waiting time", () => {
  it("is rounded up and has the right plural", () => {
    const times: [number, string][] = [
      [0, "1 second"],
      [1, "1 second"],
      [44.2, "45 seconds"],
      [60, "1 minute"],
      [61, "2 minutes"],
      [240, "4 minutes"],
      [3600, "1 hour"],
      [3700, "2 hours"],
    ];
    for (const [seconds, words] of times) expect(waitingTime(seconds, "en")).toBe(words);
  });
});
