/** @module Reviews: a person approves, sends feedback to an earlier step, or rejects. */
import { describe, expect, it } from "vitest";
import { type Actor, accepted, type Refused } from "../src/index.ts";
import { answers, scriptedPort, testEngine } from "../src/testing.ts";
import { flow } from "./definitions.ts";
import { planOf } from "./host.ts";

const VERDICTS = ["approve", "feedback", "reject"];
const RITA: Actor = { id: "rita" };
const SAM: Actor = { id: "sam" };

type Review = readonly [id: string, reviewer: string];

/** Code, then one review after the other; each sends feedback to the code, and a rejection ends the run. */
const reviewed = (...reviews: readonly Review[]) => reviewedBy("human", ...reviews);

const reviewedBy = (kind: "human" | "agent", ...reviews: readonly Review[]) =>
  flow(
    "w",
    [
      ["code", "agent"],
      ...reviews.map(
        ([id, reviewer]) =>
          [id, kind, { outcomes: VERDICTS, ...(kind === "human" ? { assignees: [reviewer] } : {}) }] as const,
      ),
      ["approved", "end", { outcome: "approved" }],
      ["rejected", "end", { outcome: "rejected" }],
      ["failed", "end", { outcome: "failed" }],
    ],
    [
      ["code", reviews[0]?.[0] ?? "approved"],
      ["code", "failed", "error"],
      ...reviews.flatMap(([id], index) => [
        [id, reviews[index + 1]?.[0] ?? "approved", "approve"] as const,
        [id, "code", "feedback"] as const,
        [id, "rejected", "reject"] as const,
        ...(kind === "human" ? [] : [[id, "failed", "error"] as const]),
      ]),
    ],
  );

async function underReview(...reviews: readonly Review[]) {
  const agent = scriptedPort([answers({ patch: { branch: "b-1" } })]);
  const test = testEngine({ ports: { code: agent.port } });
  accepted(await test.engine.deploy(reviewed(...reviews)));
  const run = accepted(await test.engine.start({ workflow: "w", id: "r" }));
  await test.settle();
  const give = async (task: string, by: Actor, outcome: string, data = {}) => {
    const answer = await test.engine.workItems.complete({ task: `r/${task}`, by, outcome, data });
    await test.settle();
    return answer;
  };
  return { ...test, run, agent, give };
}

describe("reviews", () => {
  it.each(VERDICTS)(
    "[OH-25] a review without an arc for %s is refused, with the outcome",
    async (missing) => {
      const whole = reviewed(["look", "rita"]);
      const arcs = whole.arcs.filter(({ outcome }) => outcome !== missing);
      const end = { approve: "approved", feedback: "", reject: "rejected" }[missing];
      const nodes = whole.nodes.filter(({ id }) => id !== end);
      const { engine } = testEngine({ ports: { code: () => undefined } });
      const refusal = (await engine.deploy({ ...whole, nodes, arcs })) as Refused;
      expect(refusal).toMatchObject({ kind: "refused", code: "unproved" });
      expect(refusal.facts["obligations"]).toMatchObject(
        expect.arrayContaining([
          expect.objectContaining({
            id: "O5",
            verdict: "fails",
            witness: expect.objectContaining({
              gaps: [expect.objectContaining({ node: "look", outcome: missing })],
            }),
          }),
        ]),
      );
      expect(await engine.deploy(whole)).toMatchObject({ kind: "deployed" });
    },
  );

  it.each([
    ["approve", { status: "completed", outcomes: ["approved"] }, { "approved.end": 1 }],
    ["reject", { status: "completed", outcomes: ["rejected"] }, { "rejected.end": 1 }],
  ])("[HZ-51] the end says which terminal the run reached: %s", async (verdict, end, marking) => {
    const { run, give } = await underReview(["look", "rita"]);
    accepted(await give("look.1", RITA, verdict));
    expect(await run.result()).toMatchObject(end);
    expect(accepted(await run.state()).marking).toEqual(marking);
  });

  it("[D20.9] [OH-21] a review waits until an assigned reviewer gives a verdict or hands it on; nobody else moves it", async () => {
    const { engine, run, give, settle } = await underReview(["look", "rita"]);
    const before = accepted(await run.state());
    expect(before).toMatchObject({ status: "waiting", modes: ["waiting_human"], tokens: ["look"] });
    for (const verdict of VERDICTS)
      expect(await give("look.1", SAM, verdict)).toMatchObject({ code: "unauthorized" });
    expect(
      await engine.workItems.reassign({ task: "r/look.1", by: SAM, to: "sam", reason: "mine" }),
    ).toMatchObject({ code: "unauthorized" });
    expect(accepted(await run.state())).toEqual(before);
    accepted(await engine.workItems.claim({ task: "r/look.1", by: RITA }));
    accepted(await engine.workItems.reassign({ task: "r/look.1", by: RITA, to: "sam", reason: "on leave" }));
    await settle();
    expect(accepted(await run.state())).toMatchObject({ status: "waiting", tokens: ["look"] });
    expect(await give("look.1", RITA, "approve")).toMatchObject({ code: "claimed" });
    accepted(await give("look.1", SAM, "approve"));
    expect(await run.result()).toMatchObject({ outcomes: ["approved"] });
  });

  it("[OH-27] reassigned to a team, the item is its members' to claim; the old reviewer is refused, and the history says so", async () => {
    const { engine, run, give, settle } = await underReview(["look", "rita"]);
    accepted(await engine.workItems.claim({ task: "r/look.1", by: RITA }));
    const order = { task: "r/look.1", by: RITA, toGroup: "auditors", reason: "on leave" };
    for (const wrong of [
      { ...order, to: "sam" },
      { task: order.task, by: RITA },
    ])
      expect(await engine.workItems.reassign(wrong as never)).toMatchObject({ code: "invalid" });
    accepted(await engine.workItems.reassign(order));
    await settle();
    expect(accepted(await run.state())).toMatchObject({ status: "waiting", tokens: ["look"] });
    expect(await give("look.1", RITA, "approve")).toMatchObject({ code: "unauthorized" });
    expect(await engine.workItems.claim({ task: "r/look.1", by: RITA })).toMatchObject({ kind: "refused" });
    const listed = async (groups: readonly string[]) => (await engine.workItems.list({ groups })).rows.length;
    expect([await listed(["auditors"]), await listed(["cooks"])]).toEqual([1, 0]);
    const member = { id: "sam", groups: ["auditors"] };
    accepted(await engine.workItems.claim({ task: "r/look.1", by: member }));
    accepted(await give("look.1", member, "approve"));
    expect(await run.result()).toMatchObject({ outcomes: ["approved"] });
    const { events } = accepted(await engine.history("r"));
    expect(events).toContainEqual(
      expect.objectContaining({
        kind: "input",
        by: "rita",
        input: expect.objectContaining({ kind: "reassign", toGroup: "auditors", reason: "on leave" }),
      }),
    );
    expect(await engine.audit()).toMatchObject({ isSound: true });
  });

  it("[OH-26] feedback is kept with the run, leads back to the earlier step, and reaches the next call of its agent", async () => {
    const { run, agent, give } = await underReview(["look", "rita"]);
    accepted(await give("look.1", RITA, "feedback", { feedback: "name the fields" }));
    expect(agent.calls.map(({ data, idempotencyKey }) => [data, idempotencyKey])).toEqual([
      [{}, "r/code.1"],
      [{ branch: "b-1", feedback: "name the fields" }, "r/code.2"],
    ]);
    expect(accepted(await run.state())).toMatchObject({
      tokens: ["look"],
      data: { feedback: "name the fields" },
    });
  });

  it.each([
    ["approve", "approved", 1],
    ["reject", "rejected", 1],
    ["feedback", "approved", 2],
  ])("[OH-32] an agent's verdict goes the way of a person's: %s", async (verdict, end, calls) => {
    const ways = (kind: "human" | "agent") => {
      const { places, transitions } = planOf(reviewedBy(kind, ["look", "rita"])).program.net;
      const named = (side: readonly (readonly [place: number, weight: number])[]) =>
        side.map(([place]) => places[place]?.id);
      return transitions
        .filter(({ origin }) => VERDICTS.includes(origin?.outcome ?? ""))
        .map(({ id, pre, post }) => [id, named(pre), named(post)]);
    };
    expect(ways("human")).toHaveLength(3);
    expect(ways("agent")).toEqual(ways("human"));
    const code = scriptedPort([answers()]);
    const look = scriptedPort([answers({ outcome: verdict }), answers({ outcome: "approve" })]);
    const { engine, settle } = testEngine({ ports: { code: code.port, look: look.port } });
    // No person ends this cycle, so nothing but the fuse does: somebody has to accept that.
    const accept = [{ obligation: "O7", reason: "the test is the budget", by: "ann" }];
    accepted(await engine.deploy(reviewedBy("agent", ["look", "rita"]), { accept }));
    const run = accepted(await engine.start({ workflow: "w" }));
    await settle();
    expect(await run.result()).toMatchObject({ status: "completed", outcomes: [end] });
    expect(code.calls).toHaveLength(calls);
  });

  it("[OH-57] each of several reviews in a row sends feedback to the same step, in one run", async () => {
    const { engine, run, agent, give } = await underReview(["first", "rita"], ["second", "sam"]);
    accepted(await give("first.1", RITA, "approve"));
    accepted(await give("second.1", SAM, "feedback", { feedback: "too slow" }));
    expect(agent.calls).toHaveLength(2);
    expect(agent.calls[1]?.data).toMatchObject({ feedback: "too slow" });
    accepted(await give("first.2", RITA, "approve"));
    accepted(await give("second.2", SAM, "approve"));
    expect(await run.result()).toMatchObject({ status: "completed", outcomes: ["approved"] });
    expect((await engine.runs({ limit: 9 })).rows.map((row) => row.run)).toEqual(["r"]);
    const { events } = accepted(await engine.history("r"));
    expect(
      events.flatMap((event) =>
        event.kind === "step" && event.arcs.length > 0 ? [`${event.outcome}: ${event.arcs[0]}`] : [],
      ),
    ).toEqual([
      "done: code -> first",
      "approve: first -> second",
      "feedback: second -> code",
      "done: code -> first",
      "approve: first -> second",
      "approve: second -> approved",
    ]);
  });
});
