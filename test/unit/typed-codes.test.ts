import { expect, it } from "vitest";
import { typedFactor } from "../../src/factors/typed-factor.ts";
import { typedCode } from "../../src/lib/typed-code.ts";
import { typedUserCode } from "../../src/sign-in/devices/user-code.ts";

/** The ten digits of each script, zero first: Unicode numbers them in a row. */
function scripts(): string[][] {
  const all = Array.from({ length: 0x110000 }, (_, code) => code)
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCodePoint(code))
    .filter((character) => /\p{Nd}/u.test(character));
  return Array.from({ length: all.length / 10 }, (_, at) => all.slice(at * 10, at * 10 + 10));
}

const inDigits = (digits: string[], code: string) => code.replaceAll(/\d/gu, (digit) => digits[Number(digit)] ?? "");

it("every kind of numeric code is taken in the digits of any script", () => {
  expect(scripts().length).toBeGreaterThan(60);
  for (const digits of scripts()) {
    expect(typedCode(inDigits(digits, "0123 4567"))).toBe("01234567");
    expect(typedCode(inDigits(digits, "8901 2345"))).toBe("89012345");
    expect(typedFactor(inDigits(digits, "901234"))).toEqual({ kind: "totp", code: "901234" });
    expect(typedFactor(inDigits(digits, "567890"))).toEqual({ kind: "totp", code: "567890" });
  }
});

it.each([
  ["spaces", " 123 456 "],
  ["a no-break space", "123\u00A0456"],
  ["an ideographic space", "123\u3000456"],
  ["a hyphen", "123-456"],
  ["a no-break hyphen", "123\u2011456"],
  ["a dash", "123–456"],
  ["a minus sign", "123−456"],
  ["a Japanese hyphen", "１２３ー４５６"],
  ["a half-width Japanese hyphen", "１２３ｰ４５６"],
  ["a full-width hyphen", "１２３－４５６"],
  ["direction marks", "\u200F123456\u200E"],
  ["Arabic digits", "١٢٣٤٥٦"],
  ["Persian digits", "۱۲۳۴۵۶"],
])("%s in a code change nothing", (_title, text) => {
  expect(typedFactor(text)).toEqual({ kind: "totp", code: "123456" });
  expect(typedCode(`${text}78`)).toBe("12345678");
});

it.each([
  ["small letters", "abcdefgh-ijklmnop-qrstuv27", "wdjb mjht"],
  ["full-width letters", "ＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶ２７", "ＷＤＪＢ－ＭＪＨＴ"],
  ["the Turkish capital i", "ABCDEFGHİJKLMNOPQRSTUV27", "WDJB-MJHT"],
])("%s are those of the code", (_title, recovery, device) => {
  expect(typedFactor(recovery)).toEqual(typedFactor("ABCDEFGHIJKLMNOPQRSTUV27"));
  expect(typedFactor(recovery)?.kind).toBe("recovery-code");
  expect(typedUserCode(device)).toBe("WDJBMJHT");
});

it.each(["", "12345", "1234567", "½23456", "①②③④⑤⑥x", "12345O", `123456${" ".repeat(60)}`])("%j is no code", (text) => {
  expect(typedFactor(text)).toBeUndefined();
  expect(typedUserCode(text)).toBeUndefined();
});
