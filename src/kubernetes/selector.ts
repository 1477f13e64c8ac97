import { InvalidSelectorError } from './invalid-selector-error.js';
import { isLabelName, isLabelValue, parseLabelSelector } from './parse-label-selector.js';
import { formatRequirement, matchesRequirement, type SelectorRequirement } from './selector-requirement.js';

/** Which objects are meant, by their labels: Kubernetes' text form, or the object form of `meta/v1`. An empty one means all. */
export type LabelSelector = string | LabelSelectorObject;

/** The `LabelSelector` of `meta/v1`: every label and every expression must match. */
export interface LabelSelectorObject {
  readonly matchLabels?: Readonly<Record<string, string>> | undefined;
  readonly matchExpressions?: readonly LabelSelectorExpression[] | undefined;
}

export interface LabelSelectorExpression {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  /** Needed for `In` and `NotIn`. `In` with an empty list matches nothing here; the API server refuses it. */
  readonly values?: readonly string[] | undefined;
}

/**
 * Compiles a label selector into a test of labels; the selector is read once.
 *
 * **Errors**: throws `InvalidSelectorError`. Semantics are those of the API server: `!=` and `notin` match where the label is absent.
 *
 * @example
 * const isShop = matchesLabelSelector('app=shop,tier!=cache');
 * isShop({ app: 'shop' }); // true
 */
export function matchesLabelSelector(
  selector: LabelSelector,
): (labels: Readonly<Record<string, string>> | undefined) => boolean {
  const requirements = requirementsOf(selector);
  return (labels = {}) => requirements.every((requirement) => matchesRequirement(requirement, labels));
}

/** The text form of a selector, as the `labelSelector` of a query; throws `InvalidSelectorError`. */
export function formatLabelSelector(selector: LabelSelector): string {
  return requirementsOf(selector).map(formatRequirement).join(',');
}

function requirementsOf(selector: LabelSelector): readonly SelectorRequirement[] {
  return typeof selector === 'string' ? parseLabelSelector(selector) : requirementsOfObject(selector);
}

function requirementsOfObject(selector: LabelSelectorObject): readonly SelectorRequirement[] {
  const refuse = (problem: string): never => {
    throw new InvalidSelectorError(JSON.stringify(selector), 0, problem);
  };
  const labels = Object.entries(selector.matchLabels ?? {}).map(
    ([key, value]): SelectorRequirement => ({ operator: 'In', key, values: [value] }),
  );
  const expressions = (selector.matchExpressions ?? []).map(({ key, operator, values }): SelectorRequirement => {
    switch (operator) {
      case 'In':
      case 'NotIn':
        return { operator, key, values: values ?? refuse(`${operator} of ${JSON.stringify(key)} needs values`) };
      case 'Exists':
      case 'DoesNotExist':
        return { operator, key };
      default:
        return refuse(`unknown operator ${JSON.stringify(operator)}`);
    }
  });
  for (const requirement of [...labels, ...expressions]) {
    if (!isLabelName(requirement.key)) refuse(`${JSON.stringify(requirement.key)} is not a label name`);
    if (!('values' in requirement)) continue;
    const wrong = requirement.values.find((value) => !isLabelValue(value));
    if (wrong !== undefined) refuse(`${JSON.stringify(wrong)} is not a label value`);
  }
  return [...labels, ...expressions];
}
