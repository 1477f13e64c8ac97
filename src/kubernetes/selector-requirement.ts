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
