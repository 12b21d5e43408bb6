/** @module Every issue code of this package: what it means and what to do. Codes are never reused. */

/** Code to sentence; `docs/errors.md` is generated from it. */
export const CODES: Readonly<Record<string, string>> = {
  BLOCK001: "A gateway stages or merges but closes no block with a single entry and a single exit.",
  BLOCK002:
    "A block that stages or merges calls a workflow, which would write past it. Call it before or behind the block.",
  BLOCK003:
    'A rule that merges a key is none of "append", "sum", "max", "last" and { function: a registered one }.',
  BLOCK004: "The rule `last` stands at a block that is not staged. Stage the block, or choose another rule.",
  BLOCK005: "A merge names the pass key of a loop, which its verifier alone writes.",
  BLOCK006: "A rule cannot merge a key of its declared type: append needs a list, sum and max need a number.",
  BLOCK007:
    "A merge names a key of D that is not declared, where others are. Declare it, or correct its name.",
  GATE001: "Retired: an OR split needs no structured block any more. Was raised where a split had none.",
  GATE002:
    "Retired: an OR join that closes no structured block is non-local. Was raised where a join closed none.",
  GATE003:
    "A complex gateway starts with at least one and at most all of its arcs, in at most 256 ways; it has no other join, stages nothing and is no entry.",
  KIND001: "A node lacks a key of meta that its kind requires.",
  KIND002: "A key of meta has a value of the wrong type.",
  KIND003: "A node has a key of meta that its kind does not know; check the spelling.",
  KIND004: "A start node has an incoming arc. Put a gateway behind it and lead the arc there.",
  KIND005: "An end node has an outgoing arc. Remove the arc, or make the node a gateway.",
  KIND006: "A decision mixes its forms: give key and branches, or a loop, or guards on the arcs.",
  KIND007: "A timer needs exactly one of date, duration, cycle, key.",
  KIND008:
    "A subprocess is incomplete: either an entry inside it with an end, all labels declared, or the name of a workflow.",
  KIND009:
    "An event of a node is malformed: the message names its place in the list and what is wrong with it.",
  KIND010: "An event has a label that its node, or another event of it, has already. Give it another id.",
  KIND011:
    "A node has too many events that leave it open and go on along arcs. Give some of them a workflow.",
  KIND012:
    "A catch needs events, a throw a message, a signal or an escalation that an enclosing subprocess takes.",
  KIND013: "A multi-instance call is malformed: the message names the member and what is wrong with it.",
  LOOP001: "A governed loop needs id, budget, passKey, proves and body.",
  LOOP002: "The budget of a governed loop is out of range.",
  LOOP003: "The body of a governed loop names a node that does not exist or lies in another scope.",
  LOOP004: "The body of a governed loop contains an end. Let the arc leave the loop first.",
  LOOP005:
    "An arc of the loop's decision is on the wrong side: fail stays inside the block, pass and exhausted leave it.",
  LOOP006: "A governed loop needs a single entry node that merges, and a body before its decision.",
  LOOP007: "Two governed loops overlap, or have the same block. Nest one in the other, or keep them apart.",
  LOOP008:
    "An AND or OR split inside a governed loop has branches on both sides of its border. Join them before the decision.",
};
