/** @module The form of a certificate file: claims about one net, each with its evidence. */
import type { JsonObject } from "@tessera/core";
import { dataShape } from "./data-format.ts";
import { equation, noFault } from "./equation-format.ts";
import { QUESTION_CLAIM } from "./question-claims.ts";
import { either, jsonSchemaOf, list, named, type Shape } from "./shape.ts";
import { stubbornSets } from "./stubborn-format.ts";

/** The name and version of the form. */
export const CERTIFICATE_FORMAT = "tessera-certificate/1";

const natural: Shape = { kind: "natural" };
const integer: Shape = { kind: "integer" };
const place: Shape = { kind: "place" };
const transition: Shape = { kind: "transition" };
const marking: Shape = { kind: "marking" };
const text: Shape = { kind: "text" };
const none: Shape = { kind: "null" };

const run: Shape = { kind: "record", fields: { sequence: list(transition), marking } };
const closedSet = named(["closed-set"], { size: natural, markings: either(list(marking), none) });
const siphon = named(["empty-siphon"], { places: list(place) });

const step = either(
  named(["post", "pre"], { place }),
  named(["twin-place"], { place, twin: place }),
  named(["twin-transition"], { transition: natural, twin: natural }),
  named(["idle"], { transition: natural, other: either(natural, none) }),
);

const finding = either(
  named(["second-token", "unsafe"], { place }),
  named(["beyond-final"], { final: marking }),
  named(["deadlock"]),
  named(["pump"], { from: natural }),
);

const noCompletion = either(
  closedSet,
  equation,
  siphon,
  named(["covers-final"], { final: marking }),
  named(["overfull"], { place }),
  named(["trap"], { places: list(place) }),
);

const element = either(
  named(["transition"], { transition }),
  named(["outcome"], { node: natural, phase: text, outcome: either(text, none) }),
  named(["arc"], { arc: natural }),
);

const dead: Shape = { kind: "record", fields: { element, transitions: list(transition) } };

const illFormed = either(
  named(["siphon"], { places: list(place) }),
  named(["rank-large"]),
  named(["rank-small"], { kernel: list(list(integer)) }),
  named(["gain"], { firings: list(integer) }),
  named(["drift"], { weights: list(integer) }),
);

const rank = named(["rank"], {
  weights: list(integer),
  firings: list(integer),
  kernel: list(list(integer)),
  order: list(transition),
});

const neverFires = (markings: Shape): Shape[] => [
  named(["closed-set"], { size: natural, markings: either(list(markings), none) }),
  siphon,
  equation,
  named(["reduced"], { size: natural, reduction: natural }),
  named(["reduced"], { size: natural, reduction: natural, stubborn: natural }),
  named(["stubborn"], { stubborn: natural }),
];
const terminating = (inner: Shape): Shape => named(["terminating"], { part: natural, inner });
const terminated = (inner: Shape): Shape =>
  named(["terminating"], { part: natural, inner, proper: inner }, ["proper"]);

/** Evidence against an obligation. Reductions, parts and stubborn sets are numbers of the file's lists. */
const failure = either(
  named(["E1"], { run, finding }),
  named(["E2"], { run, certificate: noCompletion }),
  named(["E3"], {
    dead: list(dead),
    // The net that is left without a part has fewer places.
    certificate: either(...neverFires(marking), terminating(either(...neverFires(list(natural))))),
  }),
  named(["E3-pump"], { run, from: natural }),
  named(["E3-ill-formed"], { reason: illFormed }),
);

const reductionFields = { reduction: natural, rank, stubborn: natural, equation: noFault };
const reduction = named(["reduction"], reductionFields, ["rank", "stubborn", "equation"]);
const shown = [noFault, reduction, named(["stubborn"], { stubborn: natural })];

/** Support of what holds. */
const support = (certificate: Shape): Shape => ({
  kind: "record",
  fields: {
    class: { kind: "text", values: ["enumerated", "compact"] },
    method: text,
    states: natural,
    runs: list(list(transition)),
    certificate,
  },
  optional: ["runs", "certificate"],
});

const id: Shape = { kind: "text", values: ["O1", "O2", "O3", "O4", "deadlock", "bounded", "sound"] };

const claimed = (verdict: string, evidence: Shape): Shape => ({
  kind: "record",
  fields: { id, verdict: { kind: "text", values: [verdict] }, evidence },
});
const claim = either(
  claimed("holds", support(either(...shown, terminated(support(either(...shown)))))),
  claimed("fails", failure),
);

const part: Shape = { kind: "record", fields: { exits: list(transition), places: list(place) } };

/** The shape of a certificate file. */
export const CERTIFICATE_SHAPE: Shape = {
  kind: "record",
  fields: {
    format: { kind: "text", values: [CERTIFICATE_FORMAT] },
    net: text,
    reductions: list(list(step)),
    parts: list(part),
    stubborn: list(stubbornSets),
    claims: list(claim),
    data: dataShape(dead),
    questions: list(QUESTION_CLAIM),
  },
  optional: ["stubborn", "data", "questions"],
};

/** The JSON Schema of a certificate file. */
export function certificateJsonSchema(): JsonObject {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Tessera certificate",
    description: "Claims about one net with evidence; see docs/certificates.md.",
    ...jsonSchemaOf(CERTIFICATE_SHAPE),
  };
}
