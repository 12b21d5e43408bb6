/** @module Changes that keep the structure of a seed, mostly: of JSON values, XML texts, and texts of words. */

/** Names and values that code trips over. */
export const ODD = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "",
  " ",
  "a\u0000b",
  "\ud800",
  "\u202e",
  "\u{1f600}",
  "e\u0301",
  "x".repeat(300),
  "0",
  "-1",
  "1e309",
  "NaN",
  "null",
  "done",
  "error",
  "(a+)+$",
  "${jndi:x}",
  "=",
  "]]>",
  "&amp;",
];
const ODD_JSON = [
  ...ODD,
  null,
  true,
  false,
  0,
  -0,
  -1,
  1.5,
  1e308,
  2 ** 31,
  2 ** 53,
  [],
  {},
  [[]],
  { "": 1 },
  JSON.parse('{"__proto__": {"polluted": true}}'),
  { constructor: { prototype: { polluted: true } } },
];

/** A value with one to four changes somewhere in it; parts of `others` are planted too. The value itself is not changed. */
export function mutatedJson(value, others, random) {
  const below = (n) => Math.floor(random() * n);
  const root = { value: structuredClone(value) };
  for (let changes = 1 + below(1 + below(4)); changes > 0; changes -= 1) {
    if (!Object.hasOwn(root, "value")) root.value = null;
    const holders = holdersIn(root);
    const { holder, key } = holders[below(holders.length)];
    const other = others[below(others.length)];
    const parts = holdersIn({ value: other });
    const part = parts[below(parts.length)];
    const planted = structuredClone(part.holder[part.key]);
    change(holder, key, below(8), planted, below);
  }
  return root.value;
}

/** Every place of a value: the object or array that holds it, and the key. */
function holdersIn(root) {
  const found = [];
  const pending = [root];
  for (let holder = pending.pop(); holder !== undefined; holder = pending.pop()) {
    for (const key of Object.keys(holder)) {
      if (key !== "__proto__") found.push({ holder, key });
      const inner = key === "__proto__" ? null : holder[key];
      if (typeof inner === "object" && inner !== null) pending.push(inner);
    }
  }
  return found;
}

function change(holder, key, what, planted, below) {
  const isList = Array.isArray(holder);
  const odd = ODD_JSON[below(ODD_JSON.length)];
  if (what === 0) holder[key] = structuredClone(odd);
  else if (what === 1) holder[key] = planted;
  else if (what === 2 && isList) holder.splice(Number(key), 1);
  else if (what === 2) delete holder[key];
  else if (what === 3 && isList) holder.splice(Number(key), 0, structuredClone(holder[below(holder.length)]));
  else if (what === 3) define(holder, ODD[below(ODD.length)], planted);
  else if (what === 4 && isList) holder.push(planted);
  else if (what === 4) define(holder, String(odd), structuredClone(holder[key]));
  else if (what === 5 && typeof holder[key] === "string")
    holder[key] = mutatedWords(holder[key], [String(odd)], below);
  else if (what === 6 && typeof holder[key] === "number")
    holder[key] = [0, -1, 1.5, 2 ** 31, holder[key] + 1][below(5)];
  else {
    // A text of the value itself in place of another one: references that lead elsewhere.
    const texts = holdersIn({ value: holder }).filter((each) => typeof each.holder[each.key] === "string");
    const text = texts[below(Math.max(1, texts.length))];
    holder[key] = text === undefined ? odd : text.holder[text.key];
  }
}

function define(holder, key, value) {
  Object.defineProperty(holder, key, { value, enumerable: true, writable: true, configurable: true });
}

/** A text cut at its words and signs and put together with one to three changes; words of `others` are planted too. */
export function mutatedWords(text, others, below) {
  const words = text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [text];
  const theirs = (others[below(others.length)] ?? "").match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [""];
  for (let changes = 1 + below(3); changes > 0; changes -= 1) {
    const at = below(words.length + 1);
    const edits = [
      () => words.splice(at, 1),
      () => words.splice(at, 1 + below(6)),
      () => words.splice(at, 0, theirs[below(theirs.length)] ?? ""),
      () => words.splice(at, 1, theirs[below(theirs.length)] ?? ""),
      () => words.splice(at, 0, ...words.slice(below(words.length + 1)).slice(0, 1 + below(8))),
      () => words.splice(at, 1, ODD[below(ODD.length)]),
      () => words.splice(at, 0, "(", "[", "{", '"', "'", "-", "\n")[below(7)],
      () => words.splice(at),
    ];
    edits[below(edits.length)]();
  }
  return words.join("");
}

/** An XML text with one to four changes of its tags, attributes and elements; mostly well-formed still. */
export function mutatedXml(text, others, below) {
  let tokens = text.match(/<[^>]*>|[^<]+/g) ?? [text];
  for (let changes = 1 + below(1 + below(4)); changes > 0; changes -= 1) {
    const theirs = (others[below(others.length)] ?? text).match(/<[^>]*>|[^<]+/g) ?? [text];
    tokens = changedXml([...tokens], theirs, below);
  }
  return tokens.join("");
}

function changedXml(tokens, theirs, below) {
  if (tokens.length === 0) return [...theirs];
  const at = below(tokens.length);
  const end = elementEnd(tokens, at);
  switch (below(12)) {
    case 0:
    case 1:
      // An element gone, with everything in it.
      tokens.splice(at, end - at + 1);
      return tokens;
    case 2:
    case 3: {
      const copy = tokens.slice(at, end + 1);
      tokens.splice(below(tokens.length), 0, ...copy);
      return tokens;
    }
    case 4: {
      const from = below(theirs.length);
      tokens.splice(at, 0, ...theirs.slice(from, elementEnd(theirs, from) + 1));
      return tokens;
    }
    case 5:
    case 6:
    case 7:
      tokens[at] = withValue(tokens[at], valuesOf(below(2) === 0 ? tokens : theirs), below);
      return tokens;
    case 8:
      tokens[at] = tokens[at].replace(/ [\w:]+="[^"]*"/, "");
      return tokens;
    case 9: {
      // Another name for an element, at both ends.
      const names = [
        ...new Set([...tokens, ...theirs].flatMap((token) => /^<([\w:]+)/.exec(token)?.[1] ?? [])),
      ];
      const name = names[below(names.length)] ?? "x";
      tokens[at] = tokens[at].replace(/^<[\w:]+/, `<${name}`);
      if (end > at) tokens[end] = `</${name}>`;
      return tokens;
    }
    case 10:
      tokens[at] = tokens[at].startsWith("<") ? tokens[at] : (ODD[below(ODD.length)] ?? "");
      return tokens;
    default:
      return below(4) === 0 ? tokens.slice(0, at) : tokens.toSpliced(at, 1);
  }
}

/** The index of the tag that closes the element opened at `at`; `at` itself for everything else. */
function elementEnd(tokens, at) {
  if (!/^<\w/.test(tokens[at] ?? "") || tokens[at].endsWith("/>")) return at;
  let depth = 0;
  for (let i = at; i < tokens.length; i += 1) {
    if (/^<\w/.test(tokens[i]) && !tokens[i].endsWith("/>")) depth += 1;
    else if (tokens[i].startsWith("</")) depth -= 1;
    if (depth === 0) return i;
  }
  return at;
}

function valuesOf(tokens) {
  return tokens.flatMap((token) => [...token.matchAll(/="([^"]*)"/g)].map(([, value]) => value));
}

function withValue(token, values, below) {
  const places = [...token.matchAll(/="[^"]*"/g)];
  const place = places[below(Math.max(1, places.length))];
  if (place === undefined) return token;
  const value = below(3) === 0 ? ODD[below(ODD.length)] : (values[below(Math.max(1, values.length))] ?? "");
  const safe = below(10) === 0 ? value : value.replace(/[<&"]/g, "_");
  return `${token.slice(0, place.index)}="${safe}"${token.slice(place.index + place[0].length)}`;
}
