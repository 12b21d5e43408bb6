/** @module Every issue code of this package: what it means and what to do. Codes are never reused. */

/** Code to sentence; `docs/errors.md` is generated from it. Sections and codes in alphabetical order. */
export const CODES = {
  BPMN001: "The file is XML but not BPMN 2.0: its root element is not <definitions> of BPMN's namespace.",
  BPMN002: "The BPMN file has no process with flow nodes.",
  BPMN003: "The BPMN file cannot be read as a model.",
  BPMN004: "An element of the BPMN file is unknown or malformed and would be left out: mend or remove it.",
  BPMN005: "A reference (source, target, host of a boundary event, default flow) names nothing.",
  BPMN006: "A flow node has no id, or an id is used twice.",
  BPMN007: "A sequence flow lacks an end, or leaves its process or subprocess.",
  BPMN008: "A flow node can never start: no sequence flow enters it, though there is a start event.",
  BPMN010: "A subprocess has several start events, or one with a trigger.",
  BPMN011: "A condition in FEEL is not well-formed.",
  BPMN012:
    "A timer at a border has no time, or the text of a timer is no ISO 8601 date, duration or repetition with a count.",
  BPMN013: "The time of this timer is given in a way that is not supported at this place.",
  BPMN015: "A node has too many flows with conditions beside flows without: at most 6 are written out.",
  BPMN017: "A call activity names its process by an expression, or calls itself through others.",
  BPMN018: "A data mapping of a call is not from variable to variable.",
  BPMN019: "A link event has no partner, or several events catch one link.",
  BPMN020:
    "The process is well-formed BPMN and yet no workflow definition; the cause is the issue that is named.",
  BPMN030: "A boundary event of this kind, or at this kind of element, is not supported yet.",
  BPMN031: "Behind an event-based gateway stands something else than an event that only it leads to.",
  BPMN032: "The name or the correlation key of a message is an expression that is not supported.",
  BPMN033: "The name of a signal is an expression that is not supported.",
  BPMN034: "An escalation is caught at the border of a subprocess only.",
  BPMN035: "Compensation is not supported yet.",
  BPMN036: "An event subprocess needs exactly one start event, with a trigger.",
  BPMN037:
    "The collection, cardinality or results of a multi-instance activity are given in an unsupported way.",
  BPMN038: "A loop activity has no or too many rounds, or a maximum where none is supported.",
  BPMN039: "Ad-hoc subprocesses are not supported yet.",
  BPMN040:
    "A transaction is cancelled without an event that catches it, or a cancel event is in no transaction.",
  BPMN041:
    "A complex gateway has no activation condition that is a number of tokens, or asks for its own state.",
  BPMN042: "Conditional events are not supported yet.",
  BPMN043: "An event has no event definition where it needs one, or several where that is not supported.",
  BPMN044: "This start or completion quantity is not supported.",
  BPMN045: "An element or event of this type is not supported.",
  BPMN046: "An error code is the name of an outcome that every node has: rename it.",
  BPMN047: "A boundary event waits for an error or an escalation that nothing inside can raise.",
  BPMN048: "An event-based gateway cannot start this process, or cannot wait for all of its events.",
  BPMN060: "Warning: a reference that does not bear on the control flow names nothing.",
  BPMN061: "Warning: an element that does not bear on the control flow was left out.",
  BPMN062: "Warning: a condition is empty; its flow has none.",
  BPMN063:
    "Warning: a condition is ignored, as BPMN says: it stands at a default flow or behind a parallel gateway.",
  BPMN064:
    "Warning: flows of an exclusive gateway have no condition; a run takes the first of them, a verdict takes each as possible.",
  BPMN065: "Warning: BPMN's data objects, properties and data associations are not executed.",
  BPMN066: "Warning: an extension of an engine is not executed.",
  BPMN067:
    "Warning: the trigger of a start event, which is no message, signal or constant time, or not alone, is left to whoever starts a run.",
  BPMN068: "Warning: a condition names no language; an evaluator of that name must be registered to run it.",
  BPMN069: "Warning: the process has several start events; a run is started with the id of one of them.",
  BPMN070: "Warning: people are given by an expression, which is not evaluated.",
  BPMN071: "Warning: a process was left out: it has no flow nodes, or others are executable and it is not.",
  BPMN072: "Warning: message flows between processes are not executed.",
  BPMN073:
    "Warning: an intermediate timer has no time; a run reads it from the key of D that is the timer's id.",
  BPMN074:
    "Warning: an event says not which message or signal it waits for; it is awaited under the event's id.",
  BPMN075: "Warning: an event throws nothing: it names nothing, or nobody catches the escalation.",
  BPMN076:
    "Warning: an instance, or the path of a repeatable event, is a run of its own on a copy of the data.",
  BPMN077:
    "Warning: a call maps single variables of the called process and passes all the others back as well.",
  BPMN078: "Warning: the model leaves something open, which a run takes from the element's id.",
  BPMN079:
    "Warning: beside inclusive gateways a subprocess with varying ends may be left while a token is under way in it.",
  BPMN080:
    "The workflow cannot be written as BPMN: a kind, an option of a node, or a constraint has no element there.",
  BPMN081: "The workflow cannot be written as BPMN: it has a governed loop, whose budget BPMN cannot count.",
  BPMN082:
    "The workflow cannot be written as BPMN: the cancellation of a call is caught, or a called name is none that BPMN allows.",
  BPMN083:
    "The workflow cannot be written as BPMN: a guard, branch or answer has no words in FEEL. Use plain names for keys.",
  BPMN084: "Warning: options of a node, or the types of data, were not written: BPMN has no place for them.",
  BPMN085: "Warning: the label of an end was not written: BPMN's plain ends have none.",
  BPMN086:
    "Warning: an end with a label in a subprocess was written as an error end, which ends the whole subprocess.",
  DRAW001: "The drawing has too many nodes and edges to be laid out: write it as DOT.",
  IMP001: "The file is in no format that can be read here: give a PNML file or a LoLA place/transition net.",
  IMP002: "Warning: there is no initial marking; one token was put on the only source place of the net.",
  IMP003:
    "Warning: there is no initial marking and no single source place: the initial marking is empty, so a verdict speaks of the empty marking. Give an initial marking.",
  IMP004:
    "Warning: no final marking is given and every place has an outgoing arc: no marking is final, so option to complete cannot hold. Give a final marking.",
  IMP005: "Warning: places without any arc; they keep the tokens that they have.",
  IMP006: "There are more issues than are listed: mend these and read the file again.",
  IMP007:
    "A number of tokens or the weight of an arc is above the largest that is supported (2147483647), alone or summed over parallel arcs.",
  IMP008:
    "A place starts with more tokens than its capacity allows: no firing could have led there. Mend one of the two.",
  IMP009:
    "There are too many end places to list the final markings of a net with complement places: state the final markings.",
  IMP010:
    "Warning: inhibitor arcs and capacities were read as arcs from and to added places, which hold what is free of a bound. Runs and verdicts are those of the file.",
  IMP011: "Warning: the format that was written holds no final markings.",
  JSON001: "The text is not JSON at this position.",
  JSON002: "The JSON file is longer or deeper than the limit.",
  JSON003: "The bytes are not text in the encoding of the file: save it as UTF-8.",
  JSON004: "An object has the same key twice: one of the two values would be lost. Remove one.",
  LOLA001: "The text does not follow the grammar of LoLA's place/transition nets at this position.",
  LOLA002: "Two places, or two transitions, have the same name: rename one.",
  LOLA003: "A marking or an arc names a place that is not declared in the PLACE section.",
  LOLA004: "The net is a high-level net (sorts, functions, variables): only place/transition nets are read.",
  LOLA005: "The file is longer than the limit: raise the limit if the file is trusted.",
  LOLA006: "The bytes are not UTF-8 text.",
  LOLA007: "Warning: a fairness assumption (STRONG, WEAK FAIR) is not read: the net has none.",
  LOLA008:
    "Warning: the bound that SAFE promises for a place is not used: the checks find bounds themselves.",
  LOLA009: "Warning: an arc of weight 0 was left out: it takes and gives nothing.",
  LOLA010: "The net cannot be written in LoLA's format: it has resets, optional inputs or non-local rules.",
  LOLA011: "Warning: ids that are no words of LoLA were written with % and hexadecimal digits.",
  LOLA012: "Warning: labels were not written: LoLA has none.",
  LOLA013: "The net cannot be written in LoLA's format: it has no place.",
  PNML001: "The file is XML but not PNML: its root element is not <pnml>.",
  PNML002: "The PNML file contains no <net> element.",
  PNML003: "The PNML file contains several nets: say by id which one to read.",
  PNML004: "The PNML file contains no net with the id asked for.",
  PNML005:
    "The type of the net is not a place/transition net (coloured, timed or unknown): it cannot be read without changing its meaning.",
  PNML006: "A place, a transition or a reference node has no id.",
  PNML007: "Two nodes have the same id: rename one.",
  PNML008: "An arc lacks its source or target, or names a node that does not exist.",
  PNML009: "An arc joins two places or two transitions.",
  PNML010: "A marking is not a non-negative integer, or a weight is not a positive integer.",
  PNML011: "A reference node refers to nothing, to a node of the other kind, or to itself through others.",
  PNML012:
    "An inhibitor arc cannot be read: the arcs and the initial marking set no certain bound for its place (state a capacity), or it leads from a transition.",
  PNML013: "The arc has a kind that cannot be read (timed, transport or unknown).",
  PNML014: "A reset arc must lead from a place to a transition.",
  PNML015:
    "An element or attribute makes the net coloured or timed: it cannot be read without changing its meaning.",
  PNML016: "A final marking names a place that does not exist.",
  PNML017:
    "A page holds a net of its own that does not refine one transition of the enclosing net through its adjacent places.",
  PNML018: "Warning: the net has no type; it was read as a place/transition net.",
  PNML019: "Warning: elements of a kind that is unknown here were left out.",
  PNML020: "Warning: guards and variables were left out: the net read is the control flow without data.",
  PNML021: "Warning: the id of an arc is used more than once; nothing refers to it.",
  PNML022: "Warning: a sub-process page was put in place of the transition that it refines.",
  PNML023: "Warning: an empty final marking was left out.",
  PNML024: "There are more final markings than can be kept for a net of this size: give the ends only.",
  PNML025: "The net cannot be written as PNML: it has optional inputs or non-local rules.",
  PNML026: "The final markings cannot be written as PNML.",
  PNML027: "An id or a label has a character that XML cannot hold.",
  PNML028: "A place and a transition have the same id, which PNML does not allow: rename one.",
  TINA001: "The text does not follow the grammar of TINA's textual nets at this position.",
  TINA002: "The file is longer than the limit: raise the limit if the file is trusted.",
  TINA003: "The bytes are not UTF-8 text.",
  TINA004:
    "The net is timed or has priorities or stopwatches: it cannot be read without changing its meaning. Remove intervals other than [0,w[ and the pr lines.",
  TINA005: "A marking or a label is stated twice for one node, or a label names no node or two.",
  TINA006:
    "An inhibitor arc cannot be read: the arcs and the initial marking set no certain bound for its place, or it leads to a place.",
  TINA007: "The net cannot be written in TINA's format: it has resets, optional inputs or non-local rules.",
  TINA008:
    "The net cannot be written in TINA's format: an id is empty, or an id or label has half a character.",
  XML001: "The text is not well-formed XML at this position.",
  XML002:
    "The file has a document type declaration (DOCTYPE): remove it; entities are never declared or fetched.",
  XML003: "An entity other than lt, gt, amp, quot, apos or a character reference is used.",
  XML004:
    "The file is beyond a limit (bytes, depth, elements, or attributes of an element): raise the limit if the file is trusted.",
  XML005: "The bytes are not text in the encoding that the file declares (UTF-8 if it declares none).",
  XML006: "The file declares an encoding that is not known.",
  XML007: "The text is not an XML document: it does not start with a tag.",
  YAWL001: "The file is no YAWL file: its root is no specificationSet with a specification.",
  YAWL002: "A specification needs one root net, and a net one input and one output condition.",
  YAWL003: "The file has several specifications, or none with the URI asked for: choose one by its URI.",
  YAWL004: "Two elements of a net, or two nets, have the same id.",
  YAWL005:
    "A flow leads to an element that its net does not have, into the input condition, out of the output condition, or from condition to condition.",
  YAWL006: "The code of a join or a split is none of and, or, xor.",
  YAWL007: "An element of a net has no flow into it or out of it, so it is on no way from input to output.",
  YAWL008: "A task stands for a decomposition that does not exist, or for a net in which it is itself.",
  YAWL009: "A task removes tokens from something that its net does not have, or from the output condition.",
  YAWL010: "A net has an element that is neither a condition nor a task.",
  YAWL011:
    "The numbers of instances of a task contradict each other, or it collects its results in no variable of its net.",
  YAWL012: "An OR split has more flows than can be read.",
  YAWL013: "With the nets of its tasks put in place, the specification is too large.",
  YAWL014:
    "The net is no definition: an id is empty, too long, has characters that no name has, or comes twice.",
  YAWL020: "Warning: a task with several instances was read as one that ends when they do.",
  YAWL021: "Warning: predicates and data were left out: every choice is free.",
  YAWL022: "Warning: a timer of a task was left out.",
  YAWL023: "Warning: the distribution of a task to people was left out.",
  YAWL024: "Warning: a task removes tokens from a flow that does not exist; nothing is removed.",
} as const;

/** A code of this package. */
export type InterchangeCode = keyof typeof CODES;
