import { describe, expect, it } from "vitest";
import { complaintsAbout, securityPage, type Content } from "../../scripts/security-page/page.ts";
import { readTitles } from "../../scripts/security-page/titles.ts";

const known = new Set(["S1", "S2", "GHSA-7w99-5wm4-3g79"]);
const read = (source: string, file = "test/security/a.test.ts") => readTitles(file, source, (id) => known.has(id));
const content: Content = {
  chapters: { S: "Sessions" },
  checklist: [
    { id: "S1", holds: "a | b", source: "A 1" },
    { id: "S2", holds: "c", source: "A 2" },
  ],
  cases: [{ id: "GHSA-7w99-5wm4-3g79", alsoKnownAs: [], project: "Somebody's", mechanism: "a race" }],
  tests: [],
  notApplicable: {},
};

describe("the titles of tests", () => {
  it("name the ids that they begin with, in every kind of call and quotation mark", () => {
    const { tests, complaints } = read(`
      it("S1, GHSA-7w99-5wm4-3g79: one \\"wins\\"", async () => {});
      it.each([["x"]])('S2: refuses %s', () => {});
      describeEachDatabase(\`S1: of \${count} one\`, (current) => {});
      it(
        "S2: is broken over lines",
        { timeout: 1 }, () => expect("S1: no title"));
      describe("SHA1 is no id", () => {});
      it("E1: an experiment", () => {});
    `);
    expect(complaints).toEqual([]);
    expect(tests.map(({ ids, sentence, isOwn }) => [ids.join(), sentence, isOwn])).toEqual([
      ["S1,GHSA-7w99-5wm4-3g79", 'one "wins"', true],
      ["S2", "refuses …", true],
      ["S1", "of … one", true],
      ["S2", "is broken over lines", true],
    ]);
  });

  it("elsewhere name the rules that they show beside something else", () => {
    const source = `it("refuses it (security rules S1 and S2, header injection)", () => {}); it("S2: too", () => {});`;
    expect(read(source, "test/cli/a.test.ts").tests).toMatchObject([
      { ids: ["S1", "S2"], sentence: "refuses it", isOwn: false },
      { ids: ["S2"], sentence: "too", isOwn: false },
    ]);
  });

  it.each([
    [`it("S9: x", () => {})`, `no rule and no case has the id "S9"`],
    [`it("CVE-2020-1: x", () => {})`, `no rule and no case has the id "CVE-2020-1"`],
    [`it("S1 x", () => {})`, `no ": " after the ids`],
    [`it("x (security rule S9)", () => {})`, `"S9"`],
  ])("that are wrong are complained about: %s", (source, complaint) => {
    const { tests, complaints } = read(source);
    expect(tests).toEqual([]);
    expect(complaints).toEqual([expect.stringContaining(complaint)]);
  });
});

describe("the security page", () => {
  const mine = (ids: string[], isOwn = true) => ({ file: "test/security/a.test.ts", ids, sentence: "a_b | c", isOwn });

  it("complains about an id with neither a test of its own nor a reason, with both, and about an unknown one", () => {
    const tests = [mine(["S1", "GHSA-7w99-5wm4-3g79"]), mine(["S2"], false)];
    expect(complaintsAbout({ ...content, tests })).toEqual([expect.stringMatching(/^neither a test .*: S2$/u)]);
    expect(complaintsAbout({ ...content, tests, notApplicable: { S2: "no" } })).toEqual([]);
    expect(complaintsAbout({ ...content, tests, notApplicable: { S1: "no", S2: "no", S3: "no" } })).toEqual([
      expect.stringContaining("S1 has a test and a reason"),
      expect.stringContaining(`"S3", which is no rule`),
    ]);
  });

  it("shows beside each id its tests or the reason, as one row whatever they say", () => {
    const page = securityPage({ ...content, tests: [mine(["S1"])], notApplicable: { S2: "there is no such thing" } });
    expect(page).toContain(
      String.raw`| **S1** | a \| b<br><sub>A 1</sub> | [a.test.ts](../test/security/a.test.ts): a\_b \| c |`,
    );
    expect(page).toContain("| Does not apply: there is no such thing |");
    expect(page).toContain("| **GHSA-7w99-5wm4-3g79** | Somebody's | a race | **nothing yet** |");
  });
});
