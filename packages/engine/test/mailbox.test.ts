/** Mailboxes: what runs under a key, in which order, and when nothing does. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Mailboxes, mailboxes } from "../src/mailbox.ts";

/** Works that tell when they begin and end; each ends, well or badly, after so many rounds of the queue of promises. */
const works = fc.array(
  fc.record({ key: fc.nat(2), rounds: fc.nat(3), fails: fc.boolean(), late: fc.nat(4) }),
  {
    maxLength: 12,
  },
);

async function rounds(count: number): Promise<void> {
  for (let round = 0; round < count; round += 1) await Promise.resolve();
}

/** Law: works under one key do not overlap, begin in the order in which they came, and all give their answers. */
async function keepsOrder(make: () => Mailboxes): Promise<void> {
  await fc.assert(
    fc.asyncProperty(works, async (asked) => {
      const boxes = make();
      const told: string[] = [];
      const came: number[][] = [[], [], []];
      const answers = await Promise.allSettled(
        asked.map(async ({ key, rounds: takes, fails, late }, n) => {
          await rounds(late);
          came[key]?.push(n);
          return boxes.exclusive(String(key), async () => {
            told.push(`${key} begin ${n}`);
            await rounds(takes);
            told.push(`${key} end ${n}`);
            if (fails) throw new Error(`no ${n}`);
            return n;
          });
        }),
      );
      await boxes.idle();
      for (const [key, order] of came.entries()) {
        const expected = order.flatMap((n) => [`${key} begin ${n}`, `${key} end ${n}`]);
        expect(told.filter((line) => line.startsWith(`${key} `))).toEqual(expected);
      }
      for (const [n, { fails }] of asked.entries())
        expect(answers[n]?.status).toBe(fails ? "rejected" : "fulfilled");
    }),
  );
}

describe("mailboxes", () => {
  it("run one work at a time under a key, in the order in which they came, whether or not one fails", async () => {
    await keepsOrder(mailboxes);
  });

  it("the law notices mailboxes that let two in, and some where the last is first", async () => {
    const open = (): Mailboxes => ({ ...mailboxes(), exclusive: (_key, work) => work() });
    const turned = (): Mailboxes => {
      const boxes = mailboxes();
      let n = 9;
      return {
        ...boxes,
        exclusive: async (key, work) => {
          n -= 1;
          await rounds(Math.max(0, n));
          return boxes.exclusive(key, work);
        },
      };
    };
    for (const broken of [open, turned]) await expect(keepsOrder(broken)).rejects.toThrow("Property failed");
  });

  it("are idle when nothing runs or waits", async () => {
    const boxes = mailboxes();
    await boxes.idle();
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const done: string[] = [];
    const first = boxes.exclusive("a", () => gate);
    const second = boxes.exclusive("a", async () => void done.push("second"));
    const idle = boxes.idle().then(() => done.push("idle"));
    await rounds(10);
    expect(done).toEqual([]);
    open();
    await Promise.all([first, second, idle]);
    expect(done).toEqual(["second", "idle"]);
  });
});
