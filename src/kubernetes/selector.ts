import { InvalidSelectorError } from './errors.js';
import {
  matcherOf,
  parseLabelSelector,
  problemOf,
  type Labels,
  type SelectorOperator,
  type SelectorRequirement,
} from './parse-label-selector.js';

/**
 * Selects objects by their labels: in Kubernetes' text form, or in the object form that workloads
 * have in `spec.selector`.
 */
export type LabelSelector = string | LabelSelectorObject;

/**
 * `LabelSelector` of meta/v1: every label and every expression must match. An empty selector
 * matches everything.
 */
export interface LabelSelectorObject {
  readonly matchLabels?: Labels | undefined;
  readonly matchExpressions?: readonly LabelSelectorExpression[] | undefined;
}

/** `LabelSelectorRequirement` of meta/v1. */
export interface LabelSelectorExpression {
  readonly key: string;
  /** `In`, `NotIn`, `Exists` or `DoesNotExist`; `Gt` and `Lt` as in the text form. */
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
}

/**
 * A selector that matches nothing, here and at the API server, because it requires a label both to
 * exist and not to exist (S16).
 */
export const selectNothing: LabelSelector = 'nothing,!nothing';

/**
 * Creates a predicate over labels from a selector, by the rules of the API server.
 *
 * **Guarantees**: `NotIn`, `!=` and `DoesNotExist` match if there is no such label; `Gt` and `Lt`
 * match integers only; an object without labels is treated like an object with empty labels; an
 * empty selector never reads labels.
 * **Errors**: throws `InvalidSelectorError` when it is called, not at the first match.
 *
 * @param selector a text such as `app=web`, or an object as in a Deployment
 * @returns a predicate, which never throws
 * @throws {@link InvalidSelectorError} for a malformed selector
 * @example
 * const isWeb = matchesLabelSelector('app in (web, api), !canary')
 * isWeb({ app: 'web' }) // true
 */
export function matchesLabelSelector(selector: LabelSelector): (labels: Labels | undefined) => boolean {
  const matchers = requirementsOf(selector).map(matcherOf);
  return (labels = NO_LABELS) => matchers.every((matches) => matches(labels));
}

/**
 * Returns the text form of a selector, for queries. Requirements and values are sorted and
 * duplicates are removed, so selectors that mean the same have the same text.
 *
 * **Errors**: throws `InvalidSelectorError` for a malformed selector.
 *
 * @param selector a text such as `app=web`, or an object as in a Deployment
 * @returns text for the query parameter `labelSelector`
 * @throws {@link InvalidSelectorError} for a malformed selector
 * @example
 * formatLabelSelector({ matchLabels: { app: 'web' } }) // 'app=web'
 */
export function formatLabelSelector(selector: LabelSelector): string {
  return [...new Set(requirementsOf(selector).map(formatRequirement))].sort().join(',');
}

/**
 * Returns true for the empty selector, which matches every object regardless of its labels (S16).
 */
export function selectsEverything(selector: LabelSelector): boolean {
  return requirementsOf(selector).length === 0;
}

/**
 * Returns true for `selectNothing` and any other selector that requires a label both to exist and
 * not to exist. Such a selector matches no object (S16).
 */
export function selectsNothing(selector: LabelSelector): boolean {
  const requirements = requirementsOf(selector);
  const absent = new Set(requirements.filter(({ operator }) => operator === 'DoesNotExist').map(({ key }) => key));
  return requirements.some(
    ({ key, operator }) => absent.has(key) && operator !== 'DoesNotExist' && operator !== 'NotIn',
  );
}

const NO_LABELS: Labels = Object.freeze({});

/**
 * Returns the conditions of a selector, all of which must hold.
 *
 * @throws `InvalidSelectorError` if the label selector is invalid
 */
export function requirementsOf(selector: LabelSelector): readonly SelectorRequirement[] {
  if (typeof selector === 'string') return parseLabelSelector(selector);
  if (typeof selector !== 'object' || (selector as unknown) === null) {
    throw new InvalidSelectorError(selector, 'it must be a string or an object');
  }
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const requirements = [
    ...Object.entries(matchLabels).map(([key, value]) => ({ key, operator: 'In' as const, values: [value] })),
    // The cast is safe, because `problemOf` checks the operator below.
    ...matchExpressions.map(({ key, operator, values = [] }) => ({
      key,
      operator: operator as SelectorOperator,
      values,
    })),
  ];
  for (const requirement of requirements) {
    const problem = problemOf(requirement);
    if (problem) throw new InvalidSelectorError(selector, `${requirement.key}: ${problem}`);
  }
  return requirements;
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
