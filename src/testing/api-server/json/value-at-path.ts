/**
 * The value at a simple JSONPath: `.spec.replicas`, `.metadata.labels['a.b/c']`, `.status.conditions[?(@.type=="Ready")].status`,
 * `.items[0].name`; undefined where there is none.
 */
export function valueAtPath(object: unknown, path: string): unknown {
  let value: unknown = object;
  for (const [, field, quoted, index, filterField, filterValue] of path.matchAll(steps)) {
    if (value === null || typeof value !== 'object') return undefined;
    if (filterField !== undefined) {
      const candidates: readonly unknown[] = Array.isArray(value) ? value : [];
      value = candidates.find((candidate) => fieldOf(candidate, filterField) === filterValue);
    } else {
      value = fieldOf(value, field ?? quoted?.replace(/\\(.)/g, '$1') ?? index ?? '');
    }
  }
  return value;
}

const steps = /\.((?:\\.|[\w-])+)|\['((?:\\.|[^'])*)'\]|\[(\d+)\]|\[\?\(@\.(\w+)\s*==\s*["']([^"']*)["']\)\]/g;

function fieldOf(value: unknown, field: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Readonly<Record<string, unknown>>)[field.replace(/\\(.)/g, '$1')];
}

/** The same object with another value at a path of plain fields, such as `.spec.replicas`. */
export function withValueAtPath(object: unknown, path: string, value: unknown): unknown {
  const [field, ...rest] = path.split('.').filter(Boolean);
  if (field === undefined) return value;
  const parent = typeof object === 'object' && object !== null ? (object as Readonly<Record<string, unknown>>) : {};
  return { ...parent, [field]: withValueAtPath(parent[field], rest.join('.'), value) };
}
