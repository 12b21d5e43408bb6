/** @module Reading the labels of PNML elements: texts, numbers and arc kinds, in the ways that tools write them. */
import { attribute, childNamed, type XmlElement } from "./xml.ts";

/** A number as read: absent (default applies), a value, or what stands there instead. */
export type NumberLabel =
  | { readonly kind: "absent" }
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "malformed"; readonly text: string };

/** The kinds of arcs that tools write; `other` carries the name as written. */
export type ArcKind =
  | { readonly kind: "normal" | "read" | "reset" | "inhibitor" }
  | { readonly kind: "other"; readonly name: string };

/** The text of a label, trimmed: from `<text>`, older `<value>`, or directly; undefined if empty. */
export function labelText(label: XmlElement | undefined): string | undefined {
  if (label === undefined) return undefined;
  const holder = childNamed(label, "text") ?? childNamed(label, "value") ?? label;
  const text = holder.text.trim();
  return text === "" ? undefined : text;
}

/**
 * The number of a label: decimal digits, or `Default,` and digits (the one token class of some editors), or an
 * attribute `tokens`. A label with content of another shape is malformed, never silently the default.
 */
export function labelNumber(label: XmlElement | undefined): NumberLabel {
  if (label === undefined) return { kind: "absent" };
  const text = attribute(label, "tokens")?.trim() ?? labelText(label);
  if (text === undefined) {
    const other = label.children.find(({ name }) => name !== "text" && name !== "value");
    return other === undefined ? { kind: "absent" } : { kind: "malformed", text: `<${other.name}>` };
  }
  const digits = /^(?:Default\s*,\s*)?\+?(\d+)$/.exec(text)?.[1];
  return digits === undefined ? { kind: "malformed", text } : { kind: "number", value: Number(digits) };
}

/** The kind of an arc: attribute `type`, or child `<arctype>` or `<type>` with a text or an attribute `value`. */
export function arcKind(arc: XmlElement): ArcKind {
  const labels = arc.children.filter(({ name }) => name === "arctype" || name === "type");
  const stated = [
    attribute(arc, "type"),
    ...labels.map((label) => attribute(label, "value") ?? labelText(label)),
  ];
  const names = stated.flatMap((name) => (name === undefined ? [] : [name.trim()]));
  // Where several forms are given and differ, the one that says more than "normal" is meant.
  const name = names.find((candidate) => !isNormal(candidate)) ?? "normal";
  switch (name.toLowerCase()) {
    case "normal":
      return { kind: "normal" };
    case "read":
    case "test":
      return { kind: "read" };
    case "reset":
      return { kind: "reset" };
    case "inhibitor":
      return { kind: "inhibitor" };
    default:
      return { kind: "other", name };
  }
}

function isNormal(name: string): boolean {
  return name === "" || name.toLowerCase() === "normal";
}
