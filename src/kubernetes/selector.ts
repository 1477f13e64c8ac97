import { InvalidSelectorError } from './errors.js';
import {
  matcherOf,
  parseLabelSelector,
  problemOf,
  type Labels,
  type SelectorOperator,
  type SelectorRequirement,
} from './parse-label-selector.js';

/** Which objects are meant, by their labels: Kubernetes' text form, or the object form that workloads carry in `spec.selector`. */
export type LabelSelector = string | LabelSelectorObject;

/** `LabelSelector` of meta/v1: every label and every expression must match; an empty one matches everything. */
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
 * Matches nothing, here and at the API server (as a label that is there and is not). An empty selector matches
 * everything, so it takes this to say nothing (S16).
 */
export const selectNothing: LabelSelector = 'nothing,!nothing';

/**
 * Makes a predicate over labels from a selector, by the rules of the API server.
 *
 * **Guarantees**: `NotIn`, `!=` and `DoesNotExist` match where there is no such label; `Gt` and `Lt` match integers
 * only; no labels and empty labels are the same; an empty selector never looks at labels.
 * **Errors**: `InvalidSelectorError`, here and not at the first match.
 *
 * @example
 * const isWeb = matchesLabelSelector('app in (web, api), !canary')
 * isWeb({ app: 'web' }) // true
 */
export function matchesLabelSelector(selector: LabelSelector): (labels: Labels | undefined) => boolean {
  const matchers = requirementsOf(selector).map(matcherOf);
  return (labels = NO_LABELS) => matchers.every((matches) => matches(labels));
}

/**
 * The text form of a selector, for queries: requirements and values sorted, nothing said twice, so that selectors which
 * say the same are the same text.
 *
 * **Errors**: `InvalidSelectorError`.
 *
 * @example
 * formatLabelSelector({ matchLabels: { app: 'web' } }) // 'app=web'
 */
export function formatLabelSelector(selector: LabelSelector): string {
  return [...new Set(requirementsOf(selector).map(formatRequirement))].sort().join(',');
}

/** True for the empty selector: whoever asks need not look at any labels (S16). */
export function selectsEverything(selector: LabelSelector): boolean {
  return requirementsOf(selector).length === 0;
}

/** True for `selectNothing` and whatever else asks that a label both be there and not: whoever asks need not look at any object (S16). */
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
 * @throws `InvalidSelectorError`
 */
export function requirementsOf(selector: LabelSelector): readonly SelectorRequirement[] {
  if (typeof selector === 'string') return parseLabelSelector(selector);
  if (typeof selector !== 'object' || (selector as unknown) === null) {
    throw new InvalidSelectorError(selector, 'it is neither a text nor an object');
  }
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const requirements = [
    ...Object.entries(matchLabels).map(([key, value]) => ({ key, operator: 'In' as const, values: [value] })),
    // Whether it is one of the operators is what problemOf looks at next.
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
