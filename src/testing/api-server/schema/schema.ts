import table from '../resources/built-in-kinds.json' with { type: 'json' };
import { builtInKinds, servedApiVersion, type Schema, type ServedResource } from '../resources/catalog.js';
import { isPrimitiveSet, mergeKeysAt } from './merge-keys.js';

const refPrefix = '#/components/schemas/';
const namePrefix = 'io.k8s.';

/** Returns the type that a reference names, for example `v1.Container`. */
export function typeOfRef(ref: string): string {
  return ref.slice(refPrefix.length + namePrefix.length);
}

/** Returns the name of a type in the documents, for example `io.k8s.v1.Container`. */
export function definitionName(type: string): string {
  return namePrefix + type;
}

/** Resolves a reference to a built-in type; returns other schemas unchanged. */
export function resolve(schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  return builtInSchema(typeOfRef(schema.$ref)) ?? {};
}

/** Returns the schema of the objects of a resource; undefined if nothing is known about them. */
export function schemaOf(resource: ServedResource): Schema | undefined {
  if (resource.custom) return resource.schema;
  const type = typeOf(resource);
  return type === undefined ? undefined : builtInSchema(type);
}

/** Returns for example `v1.Pod`, or `core.v1.Event` if two groups share a name. */
export function typeOf(resource: ServedResource): string | undefined {
  return resource.custom ? undefined : typeNames(resource).find((type) => typeLines().has(type));
}

/** Adds the fields that every object has to the schema of a definition. */
export function customSchema(schema: Schema): Schema {
  return { ...schema, properties: { ...schema.properties, ...objectFields } };
}

export const objectFields: Readonly<Record<string, Schema>> = {
  apiVersion: { type: 'string' },
  kind: { type: 'string' },
  metadata: { $ref: refTo('v1.ObjectMeta') },
};

const schemas = new Map<string, Schema>();

function builtInSchema(type: string): Schema | undefined {
  const known = schemas.get(type);
  if (known !== undefined) return known;
  const fields = typeLines().get(type);
  if (fields === undefined) return undefined;
  const schema = parseFields(fields);
  schemas.set(type, schema);
  return schema;
}

let lines: ReadonlyMap<string, string> | undefined;

/** Parsed at the first call, so a program without writes does not pay for it. */
function typeLines(): ReadonlyMap<string, string> {
  lines ??= readTypeLines();
  return lines;
}

/**
 * Returns the fields of each type as `name:type`, or `name` for a string. `!` marks a required
 * field, `[]` a list and `{}` a map. A kind without a line has metadata, and a spec and status if
 * there are such types.
 */
function readTypeLines(): ReadonlyMap<string, string> {
  const known = new Map(table.types.map((line) => line.split(/ (.*)/, 2) as [string, string]));
  for (const kind of builtInKinds) {
    const [type = '', ...others] = typeNames(kind);
    if (known.has(type) || others.some((other) => known.has(other)) || !known.has(`${type}Spec`)) continue;
    const status = known.has(`${type}Status`) ? ` status:${type}Status` : '';
    known.set(type, `apiVersion kind metadata:v1.ObjectMeta spec:${type}Spec${status}`);
  }
  return known;
}

function typeNames({ group, version, kind }: Pick<ServedResource, 'group' | 'version' | 'kind'>): readonly string[] {
  const [family = ''] = (group || 'core').split('.');
  return [`${version}.${kind}`, `${family}.${version}.${kind}`];
}

function parseFields(fields: string): Schema {
  const properties: Record<string, Schema> = {};
  const required: string[] = [];
  for (const field of fields.split(' ')) {
    const [label = '', type = 's'] = field.split(':');
    const name = label.replace(/!$/, '');
    if (label !== name) required.push(name);
    properties[name] = { ...parseType(type), ...mergeExtensions(name, type) };
  }
  return { type: 'object', ...(required.length > 0 ? { required } : {}), properties };
}

const scalars: Readonly<Record<string, Schema>> = {
  s: { type: 'string' },
  y: { type: 'string', format: 'byte' },
  b: { type: 'boolean' },
  i: { type: 'integer', format: 'int32' },
  l: { type: 'integer', format: 'int64' },
  d: { type: 'number', format: 'double' },
  t: { type: 'string', format: 'date-time' },
  m: { type: 'string', format: 'date-time' },
  q: { oneOf: [{ type: 'string' }, { type: 'number' }] },
  x: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
  a: {},
};

function parseType(type: string): Schema {
  if (type.startsWith('[]')) return { type: 'array', items: parseType(type.slice(2)) };
  if (type.startsWith('{}')) return { type: 'object', additionalProperties: parseType(type.slice(2)) };
  return scalars[type] ?? { $ref: refTo(type) };
}

function refTo(type: string): string {
  return refPrefix + definitionName(type);
}

/** Define how strategic merge patch and server-side apply merge the items of a list. */
function mergeExtensions(field: string, type: string): Schema {
  if (type === '[]s' && isPrimitiveSet([field]))
    return { 'x-kubernetes-list-type': 'set', 'x-kubernetes-patch-strategy': 'merge' };
  const item = /^\[\](.+\..+)$/.exec(type)?.[1];
  if (item === undefined) return {};
  const path = item === 'v1.ContainerPort' ? ['containers', field] : ['spec', field];
  const keys = mergeKeysAt(path);
  const words = (typeLines().get(item) ?? '').split(/[ !:]/);
  if (keys?.every((key) => words.includes(key)) !== true) return {};
  return {
    'x-kubernetes-list-map-keys': keys,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-patch-merge-key': keys[0],
    'x-kubernetes-patch-strategy': field === 'volumes' || field === 'resourceClaims' ? 'merge,retainKeys' : 'merge',
  };
}

/** Returns the `x-kubernetes-group-version-kind` of a resource. */
export function groupVersionKind({ group, version, kind }: ServedResource): Readonly<Record<string, string>> {
  return { group, kind, version };
}

/** Returns group, version and kind as Go prints them: `apps/v1, Kind=Deployment`. */
export function kindText(resource: ServedResource): string {
  return `${resource.group === '' ? '/' : ''}${servedApiVersion(resource)}, Kind=${resource.kind}`;
}
