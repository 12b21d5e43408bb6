import * as core from "@tessera/core";
import * as gateways from "@tessera/gateways";
import * as interchange from "@tessera/interchange";
import { describe, expect, it } from "vitest";
import { answerTo, hostileFiles, largeModels, longFiles } from "./models.mjs";

type Reader = "net" | "bpmn" | "json";
type Case = readonly [name: string, reader: Reader, source: string | Uint8Array, expected: string];
type LongCase = readonly [name: string, reader: Reader, make: () => Uint8Array, expected: string];
const api = { core, gateways, interchange };

describe("hostile files and large models, at a tenth of their size and less", () => {
  it.each(hostileFiles(2000) as unknown as Case[])("BR-103 %s", async (_name, reader, source, expected) => {
    expect(await answerTo(reader, source, api)).toBe(expected);
  });

  it.each(longFiles(65 * 1024 * 1024) as unknown as LongCase[])(
    "%s beyond the limit are refused unread",
    async (_name, reader, make, expected) => {
      expect(await answerTo(reader, make(), api)).toBe(expected);
    },
  );

  it.each(largeModels(1200) as unknown as Case[])(
    "%s is read and compiled",
    async (_name, reader, source) => {
      expect(await answerTo(reader, source, api)).toBe("read");
    },
  );

  it("prototypes are as they were", () => {
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>)["format"]).toBeUndefined();
  });

  it("the cases notice a reader that answers something else", async () => {
    const [first] = hostileFiles(10) as unknown as Case[];
    const lax = {
      ...api,
      interchange: { ...interchange, importNet: () => core.bad([{ code: "NOPE", path: [], message: "x" }]) },
    };
    expect(await answerTo("net", first?.[2] ?? "", lax)).not.toBe(first?.[3]);
  });
});
