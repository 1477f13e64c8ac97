import { invalidSelectorError } from './errors.js';
import { parseLabelSelector } from './parse-label-selector.js';
import {
  matcherOf,
  requirementProblem,
  type Labels,
  type SelectorOperator,
  type SelectorRequirement,
} from './selector-requirement.js';

/** Selects by labels, in Kubernetes' text form, or the object form of `spec.selector`. */
export type LabelSelector = string | LabelSelectorObject;

/**
 * `LabelSelector` of meta/v1: every label and every expression must match. An empty selector
 * matches everything. A map of labels, such as the `spec.selector` of a Service, is not a selector;
 * use `serviceSelector` of `rx-informers/derived`, or `{ matchLabels }`.
 */
export interface LabelSelectorObject {
  readonly matchLabels?: Labels | undefined;
  readonly matchExpressions?: readonly LabelSelectorExpression[] | undefined;
}

/**
 * A label selector argument of type `S`. For an argument with any other field, such as the map of
 * labels in the `spec.selector` of a Service, it is a text that says what to pass, so that the call
 * does not compile.
 */
export type CheckedSelector<S> = [
  S extends object ? (keyof S extends keyof LabelSelectorObject ? never : S) : never,
] extends [never]
  ? S | LabelSelector
  : 'this is no label selector: pass a map of labels as { matchLabels }, the selector of a Service as serviceSelector(service)';

/** `LabelSelectorRequirement` of meta/v1. */
export interface LabelSelectorExpression {
  readonly key: string;
  /** `In`, `NotIn`, `Exists` or `DoesNotExist`; `Gt` and `Lt` as in the text form. */
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
}

/** Matches nothing, here and at the API server: a label must and must not exist (S16). */
export const nothingSelector: LabelSelector = 'nothing,!nothing';

/**
 * Creates a predicate over labels from a selector, by the rules of the API server.
 *
 * **Guarantees**: `NotIn`, `!=` and `DoesNotExist` match if there is no such label; `Gt` and `Lt`
 * match integers only; an object without labels is treated like an object with empty labels; an
 * empty selector never reads labels.
 * **Errors**: throws `RXI_INVALID_SELECTOR` when it is called, not at the first match.
 *
 * @param selector a text such as `app=web`, or an object as in a Deployment
 * @returns a predicate, which never throws
 * @throws `RXI_INVALID_SELECTOR` for a malformed selector
 * @example
 * const isWeb = matchesLabelSelector('app in (web, api), !canary')
 * isWeb({ app: 'web' }) // true
 */
export function matchesLabelSelector<S extends LabelSelector>(
  selector: CheckedSelector<S>,
): (labels: Labels | undefined) => boolean {
  const matchers = requirementsOf(selector).map(matcherOf);
  return (labels = NO_LABELS) => matchers.every((matches) => matches(labels));
}

/**
 * Returns the text form of a selector, for queries. Requirements and values are sorted and
 * duplicates are removed, so selectors that mean the same have the same text.
 *
 * **Errors**: throws `RXI_INVALID_SELECTOR` for a malformed selector.
 *
 * @param selector a text such as `app=web`, or an object as in a Deployment
 * @returns text for the query parameter `labelSelector`
 * @throws `RXI_INVALID_SELECTOR` for a malformed selector
 * @example
 * formatLabelSelector({ matchLabels: { app: 'web' } }) // 'app=web'
 */
export function formatLabelSelector<S extends LabelSelector>(selector: CheckedSelector<S>): string {
  return [...new Set(requirementsOf(selector).map(formatRequirement))].sort().join(',');
}

const NO_LABELS: Labels = Object.freeze({});

/** Returns what must hold; throws `RXI_INVALID_SELECTOR` if the label selector is invalid. */
export function requirementsOf(selector: LabelSelector): readonly SelectorRequirement[] {
  if (typeof selector === 'string') return parseLabelSelector(selector);
  const problem = isMap(selector) ? fieldProblem(selector) : 'it must be a string or an object';
  if (problem) throw invalidSelectorError(selector, problem);
  const { matchLabels, matchExpressions } = selector;
  const requirements = [
    ...Object.entries(matchLabels ?? {}).map(([key, value]) => ({ key, operator: 'In' as const, values: [value] })),
    // The cast is safe, because `requirementProblem` checks the operator below.
    ...(matchExpressions ?? []).map(({ key, operator, values = [] }) => ({
      key,
      operator: operator as SelectorOperator,
      values,
    })),
  ];
  for (const requirement of requirements) {
    const problem = requirementProblem(requirement);
    if (problem) throw invalidSelectorError(selector, `${requirement.key}: ${problem}`);
  }
  return requirements;
}

/** Returns the reason why an object is not a selector; `undefined` if its fields are right. */
function fieldProblem(selector: LabelSelectorObject): string | undefined {
  const { matchLabels, matchExpressions, ...others } = selector;
  const other = Object.keys(others)[0];
  if (other !== undefined) {
    return (
      `it has the field ${JSON.stringify(other)}, but only matchLabels and matchExpressions are fields of a selector; ` +
      'write a map of labels as { matchLabels }, and the selector of a Service as serviceSelector(service)'
    );
  }
  if (!isMap(matchLabels ?? {})) return 'matchLabels must be a map of labels';
  return Array.isArray(matchExpressions ?? []) ? undefined : 'matchExpressions must be an array';
}

/** Returns false for arrays, instances of `Map`, promises and other built-in objects. */
function isMap(value: unknown): boolean {
  return Object.prototype.toString.call(value) === '[object Object]';
}

function formatRequirement({ key, operator, values }: SelectorRequirement): string {
  const sorted = [...new Set(values)].sort();
  switch (operator) {
    case 'In':
      return sorted.length === 1 ? `${key}=${sorted.join('')}` : `${key} in (${sorted.join(',')})`;
    case 'NotIn':
      return sorted.length === 1 ? `${key}!=${sorted.join('')}` : `${key} notin (${sorted.join(',')})`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    case 'Gt':
      return `${key}>${sorted.join('')}`;
    case 'Lt':
      return `${key}<${sorted.join('')}`;
  }
}
