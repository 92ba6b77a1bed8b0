import { valueText, type Setting } from "../../applications/setting.ts";

/** A value of a setting, or the meaning of an empty one. */
export function settingText(row: Setting, value: unknown): string {
  const text = valueText(row, value);
  if (text === "") return row.empty ?? "-";
  return row.kind === "number" && row.unit !== undefined ? `${text} ${row.unit}` : text;
}
