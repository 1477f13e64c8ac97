/**
 * Marks the instances of a class under a name that is shared by all copies of this module, and
 * returns a function that recognises them.
 *
 * A program may load the ESM and the CommonJS copy. `instanceof` knows only the instances of one.
 */
export function branded<T extends object>(
  { prototype }: { readonly prototype: T },
  name: string,
): (value: unknown) => value is T {
  const brand = Symbol.for(`rx-informers.${name}`);
  Object.defineProperty(prototype, brand, { value: true });
  return (value): value is T => typeof value === 'object' && value !== null && brand in value;
}
