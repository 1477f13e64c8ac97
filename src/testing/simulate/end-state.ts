import { isJsonObject, type JsonObject } from '../api-server/exchange/json.js';
import type { Storage } from '../api-server/storage/storage.js';
import type { StoredObject } from '../api-server/storage/stored-object.js';

/** The annotation that another writer sets just before a write (the point `conflict`). */
export const otherWriter = 'simulate.rx-informers/other-writer';

/** The resources whose objects do not count: they record the course of a run, not its result. */
const courseOfRun: ReadonlySet<string> = new Set(['leases.coordination.k8s.io', 'events', 'events.k8s.io']);

export function isCourseOfRun(resource: string): boolean {
  return courseOfRun.has(resource) || resource.startsWith('events.');
}

/** The fields that differ although two runs came to the same result. */
const versions: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'observedGeneration',
  'managedFields',
  otherWriter,
]);
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/**
 * Returns all objects as sorted texts without uids, versions, generations, times and generated
 * names.
 *
 * @param normalize returns the part of an object that counts, or `undefined` to leave it out
 */
export function endState(storage: Storage, normalize: (object: StoredObject) => unknown): readonly string[] {
  const objects = [...storage.resources()]
    .filter(([resource]) => !isCourseOfRun(resource))
    .flatMap(([, stored]) => Array.from(stored.scan(), ([, object]) => object));
  const generated = new Map(
    objects.flatMap(({ metadata: { name, generateName } }) => (generateName ? [[name, `${generateName}*`]] : [])),
  );
  const plain = (value: unknown): unknown => {
    if (typeof value === 'string') return time.test(value) ? '(time)' : (generated.get(value) ?? value);
    if (Array.isArray(value)) return value.map(plain);
    return isJsonObject(value) ? plainObject(value, plain) : value;
  };
  return objects
    .map(normalize)
    .filter((object) => object !== undefined)
    .map((object) => JSON.stringify(plain(object)))
    .sort();
}

function plainObject(object: JsonObject, plain: (value: unknown) => unknown): JsonObject | undefined {
  const fields = Object.keys(object).filter((field) => !versions.has(field) && object[field] !== undefined);
  // An object in which only such fields were set was not set at all.
  if (fields.length === 0 && Object.keys(object).length > 0) return undefined;
  return Object.fromEntries(fields.sort().map((field) => [field, plain(object[field])]));
}

/** Returns the objects that only one of two states has, as lines for a message. */
export function stateDifferences(expected: readonly string[], actual: readonly string[]): readonly string[] {
  const without = (from: readonly string[], other: readonly string[]): readonly string[] => {
    const rest = [...other];
    return from.filter((each) => {
      const index = rest.indexOf(each);
      if (index >= 0) rest.splice(index, 1);
      return index < 0;
    });
  };
  return [
    ...without(expected, actual).map((object) => `missing: ${object}`),
    ...without(actual, expected).map((object) => `surplus: ${object}`),
  ];
}
