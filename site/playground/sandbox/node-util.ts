import { format } from './format.js';

/** Replaces `inspect` of Node in the messages of marble tests. */
export const inspect = (value: unknown): string => format(value);

/** Replaces `isDeepStrictEqual` of Node, for plain objects, lists, maps, sets and dates. */
export function isDeepStrictEqual(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Object.getPrototypeOf(one) !== Object.getPrototypeOf(other)) return false;
  if (one instanceof Date) return Object.is(one.getTime(), (other as Date).getTime());
  if (one instanceof Map || one instanceof Set) return isDeepStrictEqual([...one], [...(other as Set<unknown>)]);
  const fields = Reflect.ownKeys(one);
  return (
    fields.length === Reflect.ownKeys(other).length &&
    fields.every(
      (field) => Object.hasOwn(other, field) && isDeepStrictEqual(Reflect.get(one, field), Reflect.get(other, field)),
    )
  );
}
