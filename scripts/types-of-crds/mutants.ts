import type { Schema } from '../../src/types/schema-type.js';

/** What is wrong in a mutant. */
export const faults = ['wrong type', 'not in the enum', 'required field is missing'] as const;
export type Fault = (typeof faults)[number];

/** A change that makes an object invalid. */
export interface Site {
  readonly fault: Fault;
  /** The names and positions that lead to the value. */
  readonly path: readonly (string | number)[];
  /** The values to choose from; none removes the field. */
  readonly values: readonly unknown[];
}

const examples = ['text', 7, true, {}, []];

/** Returns all places at which an object can be made invalid, without the root and its metadata. */
export function sitesOf(object: object, schema: Schema): readonly Site[] {
  const { properties, ...others } = schema;
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...own } = properties ?? {};
  return sites(object, { ...others, properties: own }, []).filter(({ path }) => path.length > 0);
}

function sites(value: unknown, schema: Schema, path: Site['path']): readonly Site[] {
  if (value === null || !isClosed(schema)) return [];
  const wrong = examples.filter((example) => !isOfType(example, schema));
  const enumValues = schema.enum ?? [];
  const found: Site[] = [{ fault: 'wrong type', path, values: wrong }];
  if (typeof value === 'string' && enumValues.length > 0)
    found.push({ fault: 'not in the enum', path, values: [`${value}-mutant`] });
  if (Array.isArray(value) && schema.items !== undefined) {
    const { items } = schema;
    return [...found, ...value.flatMap((item, i) => sites(item, items, [...path, i]))];
  }
  if (typeof value !== 'object') return found;
  for (const [name, child] of Object.entries(value)) {
    const property = schema.properties?.[name] ?? schema.additionalProperties;
    if (typeof property !== 'object') continue;
    if (schema.required?.includes(name) === true && property.default === undefined)
      found.push({ fault: 'required field is missing', path: [...path, name], values: [] });
    found.push(...sites(child, property, [...path, name]));
  }
  return found;
}

/** Returns true if the schema states a type. */
function isClosed(schema: Schema): boolean {
  return schema.type !== undefined || schema['x-kubernetes-int-or-string'] === true;
}

function isOfType(value: unknown, schema: Schema): boolean {
  const type = Array.isArray(value) ? 'array' : typeof value;
  if (schema['x-kubernetes-int-or-string'] === true) return type === 'number' || type === 'string';
  return type === (schema.type === 'integer' ? 'number' : schema.type);
}

/** Returns a copy of an object, with one of the values at the place. */
export function mutate(object: object, { path, values }: Site, random: () => number): object {
  const copy = structuredClone(object);
  const last = path.at(-1) ?? '';
  const parent = path
    .slice(0, -1)
    .reduce((each, name) => each[name] as never, copy as Record<string | number, unknown>);
  if (values.length === 0) delete parent[last];
  else parent[last] = pick(values, random);
  return copy;
}

/** Returns one of the items. */
export function pick<T>(items: readonly T[], random: () => number): T {
  return items[Math.floor(random() * items.length)] as T;
}
