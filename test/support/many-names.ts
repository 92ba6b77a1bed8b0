import { fold } from "../../src/people/search-text.ts";
import type { User } from "../../src/users/user.ts";
import { userOf } from "../storage/rows.ts";

/** Repeatable: a test prints its seed. */
export function randomOf(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const parts = [
  [
    "Łukasz",
    "Anne-Marie",
    "O’Brien",
    "Ærø",
    "Großmann",
    "José",
    "Müller",
    "Ñandú",
    "Þór",
    "Đặng",
    "Łódź",
    "İpek",
    "Işık",
  ],
  ["Иванов", "Фёдоров", "Ґалаґан", "Йорданка", "Ольга"],
  ["Σοφία", "ΠΑΠΑΔΟΠΟΥΛΟΣ", "Γιώργος", "Ἀλέξανδρος"],
  ["محمد", "فاطِمَة", "שָׁלוֹם", "דוד"],
  ["山田太郎", "ガブリエル", "ｶﾞﾌﾞﾘｴﾙ", "김민준", "王小明"],
  ["नरेंद्र", "สมชาย", "தமிழ்", "ქეთევან", "Արամ"],
  ["100%", "a_b", "back\\slash", '"quoted"', "(NEAR)", "*", "-", "--", "'", "ada*", "NULL", "½", "ﬁn", "😀 Ada", "№ 7"],
  ["Ada", "Bob", "ann", "ANN", "van der Berg", "de la Cruz", "d'Arc", "Smith-Jones", "x"],
];

/** Users with names of many scripts, some of them alike, some created at the same instant. */
export function manyUsers(appId: string, count: number, random: (below: number) => number): User[] {
  const word = (): string => {
    const script = parts[random(parts.length)] ?? [];
    return script[random(script.length)] ?? "";
  };
  return Array.from({ length: count }, (_, number) => {
    const name = Array.from({ length: random(4) }, word).join(random(9) === 0 ? "-" : " ");
    const id = `usr_${String(number).padStart(26, "0")}`;
    const email =
      random(20) === 0 ? null : `${["ada", "max.m", "info+tag", "o'neil"][random(4)] ?? ""}${number}@example.com`;
    return { ...userOf(appId, id), name: name === "" ? null : name, email, createdAt: 1000 + random(count / 10) };
  });
}

/** A part of somebody's name or address, somewhere in it. */
export function somePart(users: readonly User[], random: (below: number) => number): string {
  const { name, email } = users[random(users.length)] ?? {};
  const characters = [...((random(3) === 0 ? email : name) ?? "a")];
  const from = random(characters.length);
  return characters.slice(from, from + 1 + random(6)).join("");
}

/** What a search must find, by reading everybody. */
export function plainScanOf(users: readonly User[]): (text: string) => string[] {
  const newestFirst = users.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
  const folded = newestFirst.map(({ id, email, name }) => {
    const [address, known] = [fold(email ?? ""), fold(name ?? "")];
    return { id, texts: [address, known, known.replaceAll(/['-]/gu, "")].flatMap((text) => text.split(/\s+/u)) };
  });
  return (text) => {
    const words = text.split(/\s+/u).flatMap((word) => fold(word).split(/\s+/u));
    const hasAll = (texts: string[]): boolean => words.every((word) => texts.some((each) => each.includes(word)));
    return folded.filter(({ texts }) => hasAll(texts)).map(({ id }) => id);
  };
}
