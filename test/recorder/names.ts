import { hash } from "node:crypto";

const id = /\b(app|usr|mth|key|lgn|aud|mail|whe|evt_test|evt|cli|sec|grp|brw|crd)_[0-9a-hjkmnp-tv-z]{26}\b/gu;

/** Gives what is random a name in the order of its first appearance, and times their distance. */
export class Names {
  readonly #known = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  readonly #fixed: [text: string, name: string][] = [];

  /** A text that stands for itself, such as an address with a port. */
  fix(text: string, name: string): void {
    this.#fixed.push([text, name]);
    if (text !== encodeURIComponent(text)) this.#fixed.push([encodeURIComponent(text), name]);
  }

  /** The name of an id, if it has one. */
  nameOf(value: string): string {
    return this.#known.get(value) ?? value;
  }

  clean(text: string, now: number): string {
    let clean = text;
    for (const [from, to] of this.#fixed) clean = clean.replaceAll(from, to);
    return (
      clean
        .replaceAll(/eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+/gu, (token) => this.#token(token, now))
        .replaceAll(/\$(argon2id|2[aby])\$(,(?! )|[\w$=.+/-])+/gu, "<password hash>")
        .replaceAll(/("durationMilliseconds":)\d+/gu, "$1<duration>")
        .replaceAll(/\bin \d+ ms\b/gu, "in <duration>")
        .replaceAll(/\d[\d.]* a second, (\d+ % within) [\d.]+ \S?s\b/gu, "<rate>, $1 <duration>")
        .replaceAll(/("\w*[bB]ytes":)\d+/gu, "$1<size>")
        .replaceAll(/whsec_[\w+/=-]{20,}/gu, (secret) => this.#name("whsec", secret))
        .replaceAll(/<svg[^]*?<\/svg>/gu, (svg) => (svg.length > 3000 ? "<svg>" : svg))
        .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gu, "<uuid>")
        .replaceAll(/(?<=\b|%0A)([A-Z2-7]{4,5}[ -]){5,7}[A-Z2-7]{4,5}\b/gu, "<code or key>")
        // An id of which the middle is not seen.
        .replaceAll(/(<code title="([^"]+)">)[^<]*<span class="middle">[^<]*<\/span>[^<]*/gu, "$1$2")
        // The colour of a person's face comes from the id.
        .replaceAll(/(oklch\(\S+ \S+) \d+\)/gu, "$1 <colour>)")
        .replaceAll(/\bcode=\d{6}\b/gu, "code=<code>")
        .replaceAll(/\b[A-Z2-7]{32}\b/gu, "<key>")
        .replaceAll(/\b[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}\b/gu, "<user code>")
        .replaceAll(/\b\d{4}( |\+|%20)?\d{4}\b(?=[\s&<"]|$)/gu, "<mail code>")
        .replaceAll(/%[0-9A-F]{2}|[\w-]{20,}/gu, (run) => this.#run(run))
        .replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/gu, (at) => distance(Date.parse(at) - now))
        .replaceAll(/\b1[78]\d{11}\b/gu, (at) => distance(Number(at) - now))
        .replaceAll(/\b1[78]\d{8}\b/gu, (at) => distance(Number(at) * 1000 - now))
    );
  }

  #run(run: string): string {
    if (run.startsWith("%")) return run;
    const known = this.#known.get(run);
    if (known !== undefined) return `<${known}>`;
    if (/^req_[0-9a-f]{32}$/u.test(run)) return "<request>";
    if (/^[0-9a-f]{32,}$/u.test(run)) return this.#name("hex", run);
    if (/^authsvc-visit-[\w-]{12}$/u.test(run)) return this.#name("visit", run);
    const inner = run.replaceAll(id, (whole, kind: string) => this.#name(kind, whole));
    if (inner !== run) return inner;
    const [, prefix = "", rest = run] = run.length === 43 ? [] : (/^((?:[a-z]{2,5}_)?)([\w-]+)$/u.exec(run) ?? []);
    const isMixed = /[a-z]/u.test(rest) && /[A-Z]/u.test(rest);
    const isLong = rest.length === 22 || rest.length === 43 || rest.length > 60 || run.length === 43;
    if (!isMixed || !(isLong || /\d/u.test(rest))) return run;
    return this.#name(prefix === "" ? (rest.length > 60 ? "long" : `secret${rest.length}`) : prefix.slice(0, -1), run);
  }

  #name(kind: string, value: string): string {
    const known = this.#known.get(value);
    if (known !== undefined) return `<${known}>`;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    this.#known.set(value, `${kind}-${count}`);
    this.#known.set(hash("sha256", value, "base64url"), `digest of ${kind}-${count}`);
    return `<${kind}-${count}>`;
  }

  #token(token: string, now: number): string {
    const parts = token.split(".").slice(0, 2);
    const texts = parts.map((part) => this.clean(Buffer.from(part, "base64url").toString(), now));
    return `<token ${texts.join(".")}>`;
  }
}

function distance(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  return `<now${seconds < 0 ? "" : "+"}${seconds}s>`;
}
