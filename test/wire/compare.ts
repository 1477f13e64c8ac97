import { isJsonObject, type Json } from './json.js';
import type { Step } from './session.js';

/** One difference between two transcripts of a scenario. */
export interface Difference {
  readonly step: string;
  /** The path of the field, for example `body.items.0.kind`. */
  readonly field: string;
  /** The expected value; `undefined` if the field must not exist. */
  readonly expected: Json | undefined;
  readonly actual: Json | undefined;
}

/** Returns every difference between the actual and the expected responses. */
export function differences(expected: readonly Step[], actual: readonly Step[]): readonly Difference[] {
  const steps = expected.length > actual.length ? expected : actual;
  return steps.flatMap(({ step }, index) => compare(step, '', answer(expected[index]), answer(actual[index])));
}

/**
 * Returns the response of a step. The request is recorded only for readers, because the same
 * scenario always sends the same requests.
 */
function answer(step: Step | undefined): Json | undefined {
  if (step === undefined) return undefined;
  const { request: _, ...rest } = step;
  return rest;
}

function compare(
  step: string,
  field: string,
  expected: Json | undefined,
  actual: Json | undefined,
): readonly Difference[] {
  if (isJsonObject(expected) && isJsonObject(actual)) {
    const names = new Set([...Object.keys(expected), ...Object.keys(actual)]);
    return [...names].flatMap((name) => compare(step, join(field, name), expected[name], actual[name]));
  }
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const [left, right] = [expected, actual].map((items: readonly Json[]) => inOrder(field, items)) as [Json[], Json[]];
    const longer = left.length > right.length ? left : right;
    return longer.flatMap((_, index) => compare(step, join(field, String(index)), left[index], right[index]));
  }
  return Object.is(expected, actual) ? [] : [{ step, field, expected, actual }];
}

/**
 * Sorts managed fields by manager and operation. A server sorts them by their time, in seconds, and
 * then by their manager, so their order depends on whether a second began between two writes.
 */
function inOrder(field: string, items: readonly Json[]): readonly Json[] {
  if (!field.endsWith('managedFields')) return items;
  const keyOf = (item: Json): string => {
    const { manager, operation, subresource } = item as Record<string, Json>;
    return [manager, operation, subresource].join();
  };
  return items.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
