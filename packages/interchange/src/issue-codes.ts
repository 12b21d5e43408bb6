/** @module Every issue code of this package: what it means and what to do. Codes are never reused. */

/** Code to sentence; `docs/errors.md` is generated from it. Sections and codes in alphabetical order. */
export const CODES = {
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
  PNML012: "An inhibitor arc cannot be read: the net model has no inhibitor arcs.",
  PNML013: "The arc has a kind that cannot be read (timed, transport or unknown).",
  PNML014: "A reset arc must lead from a place to a transition.",
  PNML015:
    "An element or attribute makes the net coloured, timed or bounded by capacities: it cannot be read without changing its meaning.",
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
  XML001: "The text is not well-formed XML at this position.",
  XML002:
    "The file has a document type declaration (DOCTYPE): remove it; entities are never declared or fetched.",
  XML003: "An entity other than lt, gt, amp, quot, apos or a character reference is used.",
  XML004:
    "The file is beyond a limit (bytes, depth, elements, or attributes of an element): raise the limit if the file is trusted.",
  XML005: "The bytes are not text in the encoding that the file declares (UTF-8 if it declares none).",
  XML006: "The file declares an encoding that is not known.",
  XML007: "The text is not an XML document: it does not start with a tag.",
} as const;

/** A code of this package. */
export type InterchangeCode = keyof typeof CODES;
