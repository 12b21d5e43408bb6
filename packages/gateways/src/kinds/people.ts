/** @module Kinds whose outcome a person chooses: human and collect. */
import { DONE, type KindSpec } from "@tessera/core";
import { BESIDE_TASK, eventIssues } from "../event-issues.ts";
import { eventOutcomes } from "../events.ts";
import { restFragment } from "../fragment.ts";
import { EVENTS, expiry, isObject, isText, isTexts, type MetaShape, metaIssues, outcomesOf } from "./kind.ts";

const PEOPLE: MetaShape = {
  ...EVENTS,
  outcomes: { is: isTexts, expected: "a list of distinct labels" },
  assignees: { is: isTexts, expected: "a list of actor ids" },
  candidateGroups: { is: isTexts, expected: "a list of group ids" },
  deadline: { is: isText, expected: "an ISO 8601 date or duration" },
  form: { is: isObject, expected: "an object from data keys to types" },
  title: { is: isText, expected: "a text" },
};

/** human: a work item for an authorized actor, who completes it with one of `outcomes` (default done). */
export const HUMAN: KindSpec = {
  name: "human",
  version: 1,
  body: () => "work-item",
  alphabet: (node) => outcomesOf(node, ...eventOutcomes(node), ...expiry(node)),
  fragment: restFragment,
  validate: (node) => [
    ...metaIssues(node, PEOPLE),
    ...eventIssues(node, { ...BESIDE_TASK, labels: outcomesOf(node) }),
  ],
};

/** collect: a work item whose completion writes the fields of a form into D. */
export const COLLECT: KindSpec = {
  name: "collect",
  version: 1,
  body: () => "work-item",
  alphabet: (node) => [...new Set([DONE, ...eventOutcomes(node), ...expiry(node)])],
  fragment: restFragment,
  validate: (node) => [
    ...metaIssues(node, {
      ...PEOPLE,
      form: { is: isObject, expected: "an object from data keys to types", required: true },
    }),
    ...eventIssues(node, { ...BESIDE_TASK, labels: [DONE] }),
  ],
};
