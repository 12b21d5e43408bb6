import { describe, expect, it } from "vitest";
import { attribute, childNamed, readXml, type XmlElement, type XmlOptions, xmlPath } from "../src/index.ts";
import type { Source } from "../src/source-text.ts";

function rootOf(source: Source, options?: XmlOptions): XmlElement {
  const result = readXml(source, options);
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return result.value.root;
}

function issueOf(source: Source, options?: XmlOptions): unknown {
  const result = readXml(source, options);
  if (result.ok) return "read";
  expect(result.issues).toHaveLength(1);
  return result.issues[0];
}

describe("readXml", () => {
  it("[D11.1] gives names without prefix, namespaces, attributes, text and CDATA", () => {
    const root = rootOf(
      '<x:a xmlns:x="urn:x" b="1" x:c="&lt;&#x41;"> t<!-- no --><![CDATA[<&]]> <d/> </x:a>',
    );
    expect(root).toMatchObject({ name: "a", namespace: "urn:x", text: " t<&  ", parent: null, index: 0 });
    expect(root.attributes).toEqual([
      ["xmlns:x", "urn:x"],
      ["b", "1"],
      ["x:c", "<A"],
    ]);
    expect(childNamed(root, "d")).toMatchObject({ name: "d", namespace: "", text: "", children: [] });
  });

  it("[D11.1] knows line, column and path of every element", () => {
    const result = readXml("\ufeff<a>\r\n <b/><c/>\n\t<b\r\n\r\n x='1'\n/></a>");
    if (!result.ok) throw new Error("not read");
    const { root, positionAt } = result.value;
    const places = root.children.map((child) => ({ at: positionAt(child.offset), path: xmlPath(child) }));
    expect(places).toEqual([
      { at: { line: 2, column: 2 }, path: ["b", 0] },
      { at: { line: 2, column: 6 }, path: ["c", 0] },
      { at: { line: 3, column: 2 }, path: ["b", 1] },
    ]);
  });

  it("[D11.1] treats names of prototype members as any other name", () => {
    const root = rootOf(
      '<constructor __proto__="a" constructor="b" toString="c"><__proto__ hasOwnProperty="d"/></constructor>',
    );
    expect(root.name).toBe("constructor");
    expect(["__proto__", "constructor", "toString", "valueOf"].map((name) => attribute(root, name))).toEqual([
      "a",
      "b",
      "c",
      undefined,
    ]);
    expect(attribute(childNamed(root, "__proto__") as XmlElement, "hasOwnProperty")).toBe("d");
    expect(issueOf("<a>&constructor;</a>")).toMatchObject({ code: "XML003" });
    expect(issueOf("<a>&__proto__;</a>")).toMatchObject({ code: "XML003" });
  });

  it("[D11.1] checks what it skips, and keeps nothing of it", () => {
    const skip = new Set(["s"]);
    const root = rootOf("<a><s>x<s/><b/></s><b><s/>t</b></a>", { skip });
    expect(root.children.map(({ name, text }) => [name, text])).toEqual([["b", "t"]]);
    expect(issueOf("<a><s><b></s></a>", { skip })).toMatchObject({ code: "XML001" });
  });

  it("[D11.1] reads bytes in their encoding", () => {
    const latin1 = Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a>\u00e9</a>', "latin1");
    expect(rootOf(latin1).text).toBe("\u00e9");
    expect(rootOf(Buffer.from("\ufeff<a>\u00e9</a>", "utf16le")).text).toBe("\u00e9");
    expect(rootOf(Buffer.from("\ufeff<?xml version='1.0' encoding='utf-8'?><a>\u00e9</a>")).text).toBe(
      "\u00e9",
    );
  });

  it.each([
    ["<a>", 1, 4],
    ["<a>\n</b>", 2, 4],
    ["<a b='1' b='2'/>", 1, 16],
    ["<a b=1/>", 1, 6],
    ["<a/><b/>", 1, 7],
    ["<a>\u0000</a>", 1, 4],
    ["<a>\ud800</a>", 1, 4],
    ["<a>&#0;</a>", 1, 7],
    ["<p:a/>", 1, 6],
    ["<a></a>x", 1, 9],
    ["<!-- -->", 1, 9],
    ["<", 1, 2],
  ])("[D11.1] XML001 refuses %j at its line and column", (text, line, column) => {
    expect(issueOf(text)).toMatchObject({ code: "XML001", position: { line, column } });
  });

  it("XML002 refuses a DOCTYPE before anything of it is used", () => {
    const text =
      '<?xml version="1.0"?>\n<!-- <!DOCTYPE no --> <!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><a>&e;</a>';
    expect(issueOf(text)).toMatchObject({ code: "XML002", position: { line: 2, column: 23 } });
    expect(issueOf("<!DOCTYPE a SYSTEM 'http://example.org/a.dtd'><a/>")).toMatchObject({ code: "XML002" });
    expect(issueOf("<!DOCTYPE a [<!ENTITY % p SYSTEM 'x'> %p;]><a/>")).toMatchObject({ code: "XML002" });
  });

  it("XML003 refuses entities beyond the five", () => {
    expect(issueOf("<a>\n &nbsp;</a>")).toMatchObject({ code: "XML003", position: { line: 2, column: 7 } });
    expect(issueOf("<a b='&lol9;'/>")).toMatchObject({ code: "XML003" });
    expect(rootOf("<a>&lt;&gt;&amp;&quot;&apos;</a>").text).toBe("<>&\"'");
  });

  it("XML004 holds every limit exactly", () => {
    const text = "<a><b c='' d=''/></a>";
    const exact = { bytesMax: text.length, depthMax: 2, elementsMax: 2, attributesMax: 2 };
    expect(rootOf(text, { limits: exact }).name).toBe("a");
    for (const limit of ["bytesMax", "depthMax", "elementsMax", "attributesMax"] as const) {
      const limits = { ...exact, [limit]: exact[limit] - 1 };
      expect(issueOf(text, { limits })).toMatchObject({
        code: "XML004",
        facts: { limit, [limit]: limits[limit] },
      });
    }
    expect(issueOf("<a><s><s/></s></a>", { limits: { depthMax: 2 }, skip: new Set(["s"]) })).toMatchObject({
      code: "XML004",
    });
  });

  it("XML005 names the byte that is not in the encoding", () => {
    const file = Buffer.from("<?xml version='1.0' encoding='UTF-8'?>\n<a b='\u00e9'/>", "latin1");
    expect(issueOf(file)).toMatchObject({
      code: "XML005",
      facts: { encoding: "utf-8", byteOffset: 45 },
      position: { line: 2, column: 7 },
    });
  });

  it("XML006 refuses an encoding that is not known", () => {
    expect(issueOf(Buffer.from("<?xml version='1.0' encoding='x-none'?><a/>"))).toMatchObject({
      code: "XML006",
      facts: { encoding: "x-none" },
    });
  });

  it.each(["", " \n", '{"a":1}', "PLACE a;", "\u0000\u0001"])(
    "XML007 refuses %j, which is no XML",
    (text) => {
      expect(issueOf(text)).toMatchObject({ code: "XML007" });
    },
  );

  it("keeps messages short, however long the names of the file are", () => {
    const issue = issueOf(`<a></${"x".repeat(100_000)}>`);
    expect(JSON.stringify(issue).length).toBeLessThan(1000);
  });
});
