import { describe, expect, it } from "vitest";
import { complaintsAbout, listOfRules, type Content } from "../../scripts/security-rules/list.ts";
import { readTitles } from "../../scripts/security-rules/titles.ts";

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
    expect(tests.map(({ ids, isOwn }) => [ids.join(), isOwn])).toEqual([
      ["S1,GHSA-7w99-5wm4-3g79", true],
      ["S2", true],
      ["S1", true],
      ["S2", true],
    ]);
  });

  it("elsewhere name the rules that they show beside something else", () => {
    const source = `it("refuses it (security rules S1 and S2, header injection)", () => {}); it("S2: too", () => {});`;
    expect(read(source, "test/cli/a.test.ts").tests).toMatchObject([
      { ids: ["S1", "S2"], isOwn: false },
      { ids: ["S2"], isOwn: false },
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

describe("the list of security rules", () => {
  const mine = (ids: string[], file = "test/security/a.test.ts", isOwn = true) => ({ file, ids, isOwn });

  it("complains about an id with neither a test of its own nor a reason, with both, and about an unknown one", () => {
    const tests = [mine(["S1", "GHSA-7w99-5wm4-3g79"]), mine(["S2"], "test/cli/a.test.ts", false)];
    expect(complaintsAbout({ ...content, tests })).toEqual([expect.stringMatching(/^neither a test .*: S2$/u)]);
    expect(complaintsAbout({ ...content, tests, notApplicable: { S2: "no" } })).toEqual([]);
    expect(complaintsAbout({ ...content, tests, notApplicable: { S1: "no", S2: "no", S3: "no" } })).toEqual([
      expect.stringContaining("S1 has a test and a reason"),
      expect.stringContaining(`"S3", which is no rule`),
    ]);
  });

  it("shows beside each id the files of its tests, each once, or the reason", () => {
    const tests = [mine(["S1"]), mine(["S1"]), mine(["S1"], "test/cli/b.test.ts", false)];
    const list = listOfRules({ ...content, tests, notApplicable: { S2: "there is no such thing" } });
    expect(list).toContain("- **S1** a | b (A 1): [a](a.test.ts); *also* [cli/b](../cli/b.test.ts)\n");
    expect(list).toContain("- **S2** c (A 2): does not apply: there is no such thing\n");
    expect(list).toContain("- **GHSA-7w99-5wm4-3g79** Somebody's: a race: **nothing yet**\n");
  });
});
