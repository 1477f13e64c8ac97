import { isDnsSubdomain } from './object.js';

/** One condition of a label selector. An object must meet all conditions of the selector. */
export interface SelectorRequirement {
  readonly key: string;
  readonly operator: SelectorOperator;
  /** At least one for `In` and `NotIn`, one integer for `Gt` and `Lt`, none otherwise. */
  readonly values: readonly string[];
}

/**
 * In the text form, `=`, `==` and `in` are `In`, `!=` and `notin` are `NotIn`, a key alone is
 * `Exists`, `!` before a key is `DoesNotExist`, `>` is `Gt`, and `<` is `Lt`.
 */
export type SelectorOperator = 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';

/** The labels of an object, by their keys. */
export type Labels = Readonly<Record<string, string>>;

/** Returns why the API server would refuse a requirement; `undefined` if it is valid. */
export function requirementProblem({ key, operator, values }: SelectorRequirement): string | undefined {
  const problem = keyProblem(key) ?? countProblem(operator, values.length);
  if (problem) return problem;
  if ((operator === 'Gt' || operator === 'Lt') && integerOf(values[0]) === undefined) {
    return `${JSON.stringify(values[0])} is not an integer`;
  }
  const wrong = values.find((value) => !(value === '' || (typeof value === 'string' && isLabelName(value))));
  return wrong === undefined ? undefined : `${JSON.stringify(wrong)} is not a label value`;
}

/** Returns a function that tests labels against a requirement. */
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

/**
 * Returns the reason why a text is not a label key; `undefined` if it is a label key. A label key
 * is a name, optionally preceded by a DNS subdomain and a slash.
 */
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

/** Returns true for the name part of a label's key, and for a label's value that is not empty. */
export function isLabelName(name: string): boolean {
  return name.length <= 63 && LABEL_NAME.test(name);
}

const SMALLEST_INTEGER = -(2n ** 63n);
const LARGEST_INTEGER = 2n ** 63n - 1n;

/** Parses by Go's rules for 64-bit integers; `undefined` for `1e3`, `0x10` or 20 digits. */
function integerOf(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^[+-]?[0-9]+$/.test(text)) return undefined;
  const value = BigInt(text.replace(/^\+/, ''));
  return value >= SMALLEST_INTEGER && value <= LARGEST_INTEGER ? value : undefined;
}
