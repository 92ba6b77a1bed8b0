/**
 * What is done to the value that is the `at`-th of a document, counted from its beginning and over
 * again: `json` is text, valid or not.
 */
export type Edit = { at: number; how: "replace" | "drop" | "wrap" | "extra" | "twice"; json: string; key: string };

/**
 * A JSON text of a value, with these edits; they can make what no serializer would, such as a key
 * twice.
 */
export function renderJson(value: unknown, edits: Edit[]): string {
  const count = countValues(value);
  const byPlace = new Map(edits.map((edit) => [edit.at % count, edit]));
  let place = 0;

  function render(node: unknown): string | undefined {
    const edit = byPlace.get(place);
    place += 1;
    const inside = renderInside(node, edit);
    if (edit?.how === "replace") return edit.json;
    if (edit?.how === "drop") return undefined;
    return edit?.how === "wrap" ? `[${inside}]` : inside;
  }

  function renderInside(node: unknown, edit: Edit | undefined): string {
    if (Array.isArray(node)) {
      const members = node.map((member) => render(member)).filter((text) => text !== undefined);
      return `[${members.join(",")}]`;
    }
    if (typeof node !== "object" || node === null) return JSON.stringify(node) ?? "null";
    const members = Object.entries(node)
      .filter(([, member]) => member !== undefined)
      .flatMap(([key, member]) => {
        const text = render(member);
        return text === undefined ? [] : [`${JSON.stringify(key)}:${text}`];
      });
    if (edit?.how === "extra") members.push(`${JSON.stringify(edit.key)}:${edit.json}`);
    if (edit?.how === "twice") members.push(...members.slice(0, 1));
    return `{${members.join(",")}}`;
  }

  return render(value) ?? "";
}

function countValues(node: unknown): number {
  if (typeof node !== "object" || node === null) return 1;
  return Object.values(node).reduce((sum: number, member) => sum + (member === undefined ? 0 : countValues(member)), 1);
}
