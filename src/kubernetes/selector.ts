import { InvalidSelectorError } from './errors.js';
import { parseLabelSelector } from './parse-label-selector.js';

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

function requirementsOf(selector: LabelSelector): readonly SelectorRequirement[] {
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

/** One condition of a label selector; all of them must hold. */
export interface SelectorRequirement {
  readonly key: string;
  readonly operator: SelectorOperator;
  /** At least one for `In` and `NotIn`, one integer for `Gt` and `Lt`, none otherwise. */
  readonly values: readonly string[];
}

/** `=`, `==` and `in` are `In`; `!=` and `notin` are `NotIn`; `>` is `Gt`, `<` is `Lt`. */
export type SelectorOperator = 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';

export type Labels = Readonly<Record<string, string>>;

/** What is wrong with a requirement by the rules of the API server; `undefined` where nothing is. */
export function problemOf({ key, operator, values }: SelectorRequirement): string | undefined {
  const problem = keyProblem(key) ?? countProblem(operator, values.length);
  if (problem) return problem;
  if ((operator === 'Gt' || operator === 'Lt') && integerOf(values[0]) === undefined) {
    return `${JSON.stringify(values[0])} is not an integer`;
  }
  const wrong = values.find((value) => !isLabelValue(value));
  return wrong === undefined ? undefined : `${JSON.stringify(wrong)} is not a label value`;
}

/** Makes the function that tests labels; whatever can be computed beforehand is. */
export function matcherOf({ key, operator, values }: SelectorRequirement): (labels: Labels) => boolean {
  const wanted = new Set(values);
  const has = (labels: Labels): boolean => Object.hasOwn(labels, key);
  switch (operator) {
    case 'In':
      return (labels) => has(labels) && wanted.has(labels[key] ?? '');
    case 'NotIn':
      return (labels) => !has(labels) || !wanted.has(labels[key] ?? '');
    case 'Exists':
      return has;
    case 'DoesNotExist':
      return (labels) => !has(labels);
    case 'Gt':
    case 'Lt': {
      const bound = integerOf(values[0]);
      return (labels) => {
        const value = has(labels) ? integerOf(labels[key]) : undefined;
        if (value === undefined || bound === undefined) return false;
        return operator === 'Gt' ? value > bound : value < bound;
      };
    }
  }
}

/** A label key: a name, or a DNS subdomain, a slash and a name. */
export function keyProblem(key: string): string | undefined {
  const slash = key.indexOf('/');
  const [prefix, name] = slash < 0 ? [undefined, key] : [key.slice(0, slash), key.slice(slash + 1)];
  const isValid = isLabelName(name) && (prefix === undefined || isDnsSubdomain(prefix));
  return isValid ? undefined : `${JSON.stringify(key)} is not a label key`;
}

function countProblem(operator: SelectorOperator, count: number): string | undefined {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return count > 0 ? undefined : `${operator} needs at least one value`;
    case 'Gt':
    case 'Lt':
      return count === 1 ? undefined : `${operator} needs one value, not ${count}`;
    case 'Exists':
    case 'DoesNotExist':
      return count === 0 ? undefined : `${operator} takes no values`;
    default:
      operator satisfies never;
      return `there is no operator ${JSON.stringify(operator)}`;
  }
}

const LABEL_NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const DNS_SUBDOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

function isLabelName(name: string): boolean {
  return name.length <= 63 && LABEL_NAME.test(name);
}

function isDnsSubdomain(prefix: string): boolean {
  return prefix.length <= 253 && DNS_SUBDOMAIN.test(prefix);
}

function isLabelValue(value: unknown): boolean {
  return value === '' || (typeof value === 'string' && isLabelName(value));
}

const SMALLEST_INTEGER = -(2n ** 63n);
const LARGEST_INTEGER = 2n ** 63n - 1n;

/** What Go reads as a 64-bit integer: a label of `1e3`, `0x10` or 20 digits is none. */
function integerOf(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^[+-]?[0-9]+$/.test(text)) return undefined;
  const value = BigInt(text.replace(/^\+/, ''));
  return value >= SMALLEST_INTEGER && value <= LARGEST_INTEGER ? value : undefined;
}
