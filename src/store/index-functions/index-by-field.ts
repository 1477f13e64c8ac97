import type { IndexFunction } from '../index-function.js';

/** Where a field is: names joined by dots, or an array of names where one of them has a dot of its own. */
export type FieldPath = string | readonly string[];

/**
 * Indexes by whatever stands at a path.
 *
 * | at the path | index values |
 * | --- | --- |
 * | a string | itself |
 * | a number, a boolean | as text |
 * | an array (also on the way) | those of each of its items |
 * | nothing, `null` | none: the object is in no bucket |
 * | an object | a `TypeError`, reported as `IndexFunctionError` |
 *
 * A plain function says the same with the object's type checked: `(pod) => pod.spec?.serviceAccountName`.
 *
 * **Errors**: a `TypeError` at once for an empty path or an empty name in it.
 *
 * @example
 * const indexers = {
 *   phase: indexByField('status.phase'),
 *   image: indexByField('spec.containers.image'),
 *   team: indexByField(['metadata', 'annotations', 'example.com/team']),
 * }
 */
export function indexByField(path: FieldPath): IndexFunction<unknown> {
  const names = typeof path === 'string' ? path.split('.') : [...path];
  if (names.length === 0 || names.includes('')) {
    throw new TypeError(
      `indexByField: ${JSON.stringify(path)} is not a path; write 'spec.nodeName' or ['metadata', 'annotations', 'a.b/c']`,
    );
  }
  return (object) => {
    const values = valuesAt(object, names, 0);
    return values.length > 1 ? [...new Set(values)] : values;
  };
}

function valuesAt(value: unknown, names: readonly string[], depth: number): readonly string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, names, depth));
  const name = names[depth];
  if (name === undefined) return [textOf(value, names)];
  return typeof value === 'object' && Object.hasOwn(value, name)
    ? valuesAt((value as Readonly<Record<string, unknown>>)[name], names, depth + 1)
    : [];
}

function textOf(value: unknown, names: readonly string[]): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new TypeError(`${names.join('.')} is not a string, a number or a boolean; index by a field below it`);
}
