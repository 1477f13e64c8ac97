import type { ServedResource } from '../resources/served-resource.js';
import {
  definitionName,
  groupVersionKind,
  resolve,
  schemaOf,
  typeOf,
  typeOfRef,
  type Schema,
} from '../schema/schema.js';

/** Returns the schemas of some resources and of every type that they refer to, by name. */
export function definitionsOf(resources: readonly ServedResource[]): ReadonlyMap<string, Schema> {
  const definitions = new Map<string, Schema>();
  const addReferences = (schema: Schema): void => {
    const { $ref, items, properties = {}, additionalProperties } = schema;
    if ($ref !== undefined) add(definitionName(typeOfRef($ref)), resolve(schema));
    if (items !== undefined) addReferences(items);
    if (typeof additionalProperties === 'object') addReferences(additionalProperties);
    Object.values(properties).forEach(addReferences);
  };
  const add = (name: string, schema: Schema): void => {
    if (definitions.has(name)) return;
    definitions.set(name, schema);
    addReferences(schema);
  };
  for (const resource of resources) {
    const schema: Schema = {
      ...(schemaOf(resource) ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }),
      'x-kubernetes-group-version-kind': [groupVersionKind(resource)],
    };
    const name = nameOf(resource);
    definitions.set(name, schema);
    addReferences(schema);
  }
  return definitions;
}

/** Custom kinds are named by their group in reverse, as Java names packages: `com.example.v1.Widget`. */
function nameOf(resource: ServedResource): string {
  const type = typeOf(resource);
  if (type !== undefined) return definitionName(type);
  const { group, version, kind } = resource;
  return [...group.split('.').reverse(), version, kind].filter(Boolean).join('.');
}
