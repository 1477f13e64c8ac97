import { isJsonObject, type JsonObject } from '../json/json-object.js';
import { elementsOf, fieldNames, isAtomicObject, pathKey, type FieldPath } from './field-path.js';

/** Every field that can be owned, by its path, with its value as JSON; containers have the value `'{}'`. */
export type FieldValues = ReadonlyMap<string, string>;

/** What belongs to the server, or says only which object is meant. */
const unowned = new Set([
  'f:apiVersion',
  'f:kind',
  ...[
    'name',
    'namespace',
    'uid',
    'resourceVersion',
    'generation',
    'creationTimestamp',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
    'managedFields',
    'selfLink',
  ].map((field) => pathKey(['f:metadata', `f:${field}`])),
]);

/** Parts of built-in kinds that are always there: nobody owns them as such. */
const structures = new Set([
  'metadata',
  'spec',
  'status',
  'template',
  'jobTemplate',
  'strategy',
  'updateStrategy',
  'containers',
  'resources',
]);

/**
 * The ownable fields of an object.
 *
 * @param containers whether maps and lists count by themselves too, as they do for whoever first puts something into them
 */
export function fieldValues(
  object: JsonObject,
  options: { readonly custom: boolean; readonly containers: boolean },
): FieldValues {
  const values = new Map<string, string>();
  const add = (path: FieldPath, value: string): void => {
    values.set(pathKey(path), value);
  };
  const isStructure = (path: FieldPath): boolean => {
    const name = fieldNames(path).at(-1) ?? '';
    return options.custom ? name === 'metadata' : structures.has(name);
  };
  const container = (path: FieldPath): void => {
    const isItem = path.at(-1)?.startsWith('k:') === true;
    if (isItem || (options.containers && path.length > 0 && !isStructure(path))) add(path, '{}');
  };
  const visit = (path: FieldPath, value: unknown): void => {
    if (value === null || value === undefined || unowned.has(pathKey(path))) return;
    if (Array.isArray(value)) {
      const elements = elementsOf(value, path);
      if (elements === 'atomic' || elements.length === 0) {
        if (!isStructure(path) || value.length > 0) add(path, JSON.stringify(value));
        return;
      }
      container(path);
      for (const [element, item] of elements) visit([...path, element], item);
    } else if (isJsonObject(value)) {
      if (isAtomicObject(path)) {
        add(path, JSON.stringify(value));
        return;
      }
      const fields = Object.entries(value);
      if (fields.length === 0) {
        if (!isStructure(path)) add(path, '{}');
        return;
      }
      container(path);
      for (const [field, child] of fields) visit([...path, `f:${field}`], child);
    } else add(path, JSON.stringify(value));
  };
  visit([], object);
  return values;
}
