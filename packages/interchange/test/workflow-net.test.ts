import { describe, expect, it } from "vitest";
import { importLola, workflowNetFacts } from "../src/index.ts";
import { imported } from "./fixtures.ts";

const facts = (text: string) => {
  const { net } = imported(importLola(text));
  const { sources, sinks, isWorkflowNet, offPath } = workflowNetFacts(net);
  const place = (p: number) => net.places[p]?.id;
  return {
    sources: sources.map(place),
    sinks: sinks.map(place),
    isWorkflowNet,
    off: [...offPath.places.map(place), ...offPath.transitions.map((t) => net.transitions[t]?.id)],
  };
};

describe("workflowNetFacts", () => {
  it("[D11.5] one source, one sink, all nodes between them", () => {
    const net =
      "PLACE i, p, o; MARKING i; TRANSITION a CONSUME i; PRODUCE p; TRANSITION b CONSUME p; PRODUCE o;";
    expect(facts(net)).toEqual({ sources: ["i"], sinks: ["o"], isWorkflowNet: true, off: [] });
    expect(facts(`${net} TRANSITION loop CONSUME p; PRODUCE p;`)).toMatchObject({ isWorkflowNet: true });
  });

  it("[D11.5] names what is on no path", () => {
    const net =
      "PLACE i, o, x, y; MARKING i; TRANSITION a CONSUME i; PRODUCE o; TRANSITION u CONSUME x; PRODUCE y; TRANSITION v CONSUME y; PRODUCE x;";
    expect(facts(net)).toEqual({
      sources: ["i"],
      sinks: ["o"],
      isWorkflowNet: false,
      off: ["x", "y", "u", "v"],
    });
    expect(facts("PLACE i, o, q; MARKING i; TRANSITION a CONSUME i; PRODUCE o, q;")).toMatchObject({
      sinks: ["o", "q"],
      isWorkflowNet: false,
      off: [],
    });
    expect(
      facts("PLACE i, o; MARKING i; TRANSITION a CONSUME i; PRODUCE o; TRANSITION g CONSUME; PRODUCE o;"),
    ).toMatchObject({
      isWorkflowNet: false,
      off: ["g"],
    });
  });

  it("[D11.5] a net without source or sink has every node off the paths", () => {
    expect(facts("PLACE p; MARKING p; TRANSITION t CONSUME p; PRODUCE p;")).toEqual({
      sources: [],
      sinks: [],
      isWorkflowNet: false,
      off: ["p", "t"],
    });
    expect(facts("PLACE p; MARKING p;")).toMatchObject({ sources: ["p"], sinks: ["p"], isWorkflowNet: true });
  });
});
