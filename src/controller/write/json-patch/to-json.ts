import { RxInformersError } from '../../../kubernetes/rx-informers-error.js';
import { isPlainObject } from '../../../kubernetes/plain-object.js';
import { pointerTo } from './operation.js';
import type { Json } from './json.js';

/**
 * A value cannot be sent, because JSON cannot express it, such as `NaN` or a function.
 *
 * **What to do**: Correct the value; the message names its path.
 */
export class NotJsonError extends RxInformersError {
  static override readonly code = 'RXI_NOT_JSON';
  override readonly name = 'NotJsonError';
  constructor(
    /** Where it stands, as a JSON Pointer. */
    readonly path: string,
    /** What it is, for example `a Map`. */
    readonly found: string,
  ) {
    super(`${path || 'the object'} is ${found}, which JSON cannot say`);
  }
}

/**
 * The value as the server will read it: members that are `undefined` are not there, a `Date` is its text.
 *
 * What stands in `original` at the same place is given back as it is, without a look into it: that came from the server. So is every
 * value in which nothing had to be changed, so identity still tells what was touched.
 *
 * **Errors**: `NotJsonError` where JSON would drop or change something silently: functions, `NaN`, a `Map`, `undefined` in an array, a cycle.
 */
export function toJson(
  value: unknown,
  original: unknown,
  path: string = '',
  within: readonly unknown[] = [],
): Json | undefined {
  if (value === original) return value as Json | undefined;
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'undefined':
      return undefined;
    case 'number':
      if (!Number.isFinite(value)) throw new NotJsonError(path, String(value));
      return value;
    case 'object':
      return value === null ? null : containerToJson(value, original, path, within);
    default:
      throw new NotJsonError(path, `a ${typeof value}`);
  }
}

function containerToJson(value: object, original: unknown, path: string, within: readonly unknown[]): Json | undefined {
  if (within.includes(value)) throw new NotJsonError(path, 'a part of itself');
  const inside = [...within, value];
  if (Array.isArray(value)) {
    const items = Array.from(value as readonly unknown[], (item, index) => {
      const json = toJson(item, childOf(original, String(index)), pointerTo(path, index), inside);
      if (json === undefined) throw new NotJsonError(pointerTo(path, index), 'undefined');
      return json;
    });
    return items.every((item, index) => item === value[index]) ? (value as readonly Json[]) : items;
  }
  if (hasToJson(value)) return toJson(value.toJSON(), original, path, inside);
  if (!isPlainObject(value)) throw new NotJsonError(path, `a ${value.constructor.name}`);
  const members = Object.entries(value).map(
    ([name, member]) => [name, toJson(member, childOf(original, name), pointerTo(path, name), inside)] as const,
  );
  if (members.every(([name, json]) => json !== undefined && json === (value as Record<string, unknown>)[name]))
    return value as Json;
  return Object.fromEntries(members.filter((member): member is readonly [string, Json] => member[1] !== undefined));
}

function childOf(container: unknown, name: string): unknown {
  return typeof container === 'object' && container !== null && Object.hasOwn(container, name)
    ? (container as Record<string, unknown>)[name]
    : undefined;
}

function hasToJson(value: object): value is { toJSON(): unknown } {
  return typeof (value as { readonly toJSON?: unknown }).toJSON === 'function';
}
