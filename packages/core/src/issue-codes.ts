/** @module Every issue code of this package: what it means and what to do. Codes are never reused. */

/** Code to sentence; `docs/errors.md` is generated from it. Sections and codes in alphabetical order. */
export const CODES = {
  // Builder.
  BUILD001:
    "A node has a name that looks like an array index, which would change the order of the nodes: rename it.",
  BUILD002: "A handler is missing, is no function, or belongs to no node that needs one.",
  BUILD003: "A block cannot be placed as it is: see the message.",
  BUILD004: "Two nodes of a program of blocks have the same id: rename a step or block.",
  // Conditions: 0xx when one is read, 1xx when one is evaluated.
  COND001: "The condition is not JSON: write it with plain values only.",
  COND002: "The condition has no known form: give exactly one of key, all, any, not, language, predicate.",
  COND003: "The condition has a member that its form does not have: remove it or correct its name.",
  COND004: "A member of the condition has the wrong type: see the message for the type that stands there.",
  COND005: "The operator is unknown: use one of the eleven that the message lists.",
  COND006: "The operand does not fit the operator: see the message for what the operator compares with.",
  COND007:
    "The pattern cannot be matched in linear time or is malformed: use RE2 syntax, without look-around and back-references.",
  COND101: "The condition needs a value that is missing: assign the key first, or ask isAssigned before it.",
  COND102: "The condition needs a value of another type: convert it, or compare with a value of its type.",
  COND103: "The condition is in a language for which no evaluator is given: pass one to the engine.",
  COND104: "The condition names a predicate that is not registered: register it under this name.",
  COND105: "The evaluator of the condition threw, or did not answer true or false: correct it.",
  // Data of a run.
  DATA001: "The data of a run are not an object: give an object of values by key.",
  DATA002: "The data are not JSON: use plain objects and arrays, finite numbers and well-formed strings.",
  DATA003: "The key __proto__ is used as a data key or in a path: choose another name.",
  DATA004: "The data are larger than the limit: store less, or raise the limit.",
  // Product graph: 0xx when a mutation or graph is read, 1xx when the gate refuses a mutation.
  GRAPH001: "The mutation or graph is not JSON: write it with plain values only.",
  GRAPH002:
    "An object of the mutation or graph lacks a member or has one too many: see the message for its members.",
  GRAPH003: "A member of the mutation or graph has the wrong type: see the message for what stands there.",
  GRAPH004: "An id or link stands twice in one list: give each once.",
  GRAPH101:
    "The mutation does not fit the graph: it creates an id that exists, or changes one that does not.",
  GRAPH102: "The result would violate a structural constraint, such as: no cycles, no orphans.",
  GRAPH103: "The result would have an object whose payload does not satisfy the schema of its type.",
  GRAPH104:
    "The result would have a link to an object that does not exist: create it in the same mutation, or before.",
  GRAPH105: "The result would violate a rule of the domain: see the facts for the objects.",
  GRAPH106: "A constraint threw, so the mutation cannot be accepted: correct the constraint.",
  // Nets.
  NET001: "Two places, or two transitions, of a net have the same id.",
  NET002: "An arc, reset or final marking names a place that the net does not have.",
  NET003: "A weight or a number of tokens is no integer of its range: from 1, or from 0, to 2147483647.",
  NET004: "An OR join of a net joins no place, or one that is in its preset too.",
  // Patches: 0xx when one is read or recorded, 1xx when one is applied.
  PATCH001: "The patch is not JSON, or not an object with version and ops: send the documented form.",
  PATCH002: "The patch has another version: this release reads version 1.",
  PATCH003: "An operation of the patch has the wrong form: see the message for the members of each kind.",
  PATCH004: "The patch is larger than the limit: change less in one step, or raise the limit.",
  PATCH101: "The data have no place where the patch changes something: it was made for other data.",
  PATCH102: "The patch changes an array outside its members: it was made for other data.",
  PATCH103: "The patch would nest the data deeper than the limit: nest less.",
  // Schemas of data keys.
  SCHEMA001: "A value of the data does not satisfy the schema of its key: see the message of the schema.",
  SCHEMA002: "The data have a key for which no schema is declared: declare it, or correct the name.",
  SCHEMA003: "A schema checks asynchronously: a turn waits for nobody, so use a synchronous schema.",
  SCHEMA004: "A schema threw instead of answering: correct it.",
  // Workflows.
  WF001: "The entry is not a node of the top level that merges its arcs.",
  WF002: "Two nodes have the same id.",
  WF003: "A node has a kind that is not registered. Check the spelling or register the kind.",
  WF004: "The scope of a node is not an embedded subprocess, or contains itself.",
  WF005: "An outcome label is not in the node's alphabet.",
  WF006: "An arc starts or ends at a node that does not exist.",
  WF007: "The same arc stands in the definition twice.",
  WF008: "A node has two default arcs for one outcome.",
  WF009: "An arc crosses the border of an embedded subprocess.",
  WF010: "No path leads from the entry to a node, so it can never run.",
  WF011: "A workflow has no end node at top level.",
  WF012:
    "A guard or a default stands where nothing asks it: on an arc of an AND split, or a guard on a default arc. Remove it.",
  WF013: "The stated facet is not the one that the nodes have. A warning: the facet never changes behaviour.",
  // Workflows and nets as input: 02x form, 03x what loading asks beyond the graph.
  WF020: "The definition is not JSON: write it with plain values only.",
  WF021: "A member has the wrong type: see the message for the type that stands there.",
  WF022: "An object has a member that is not known: correct its name or remove it.",
  WF023: "A member is missing: add it.",
  WF024: "A name is empty, longer than the limit or contains a control character: choose another.",
  WF025: "A value is none of the possible ones: see the message for them.",
  WF026: "A list or table has more members than the limit: divide the definition.",
  WF027: "A list has a member twice: give it once.",
  WF028: "A number is no integer of its range: see the message for the range.",
  WF029: "A possible value of a data key is not of the key's type: correct the type or the value.",
  WF030:
    "A decision has neither a default nor a way out for the case that no branch fits: add a default or failure arc.",
  WF031: "A node lies in more embedded subprocesses than the limit: nest less, or call a workflow.",
  WF032:
    "A node reads or writes a data key that is not declared. A warning: correct the name or declare the key.",
  WF033: "A guard reads a data key that is not declared. A warning: correct the name or declare the key.",
} as const;
