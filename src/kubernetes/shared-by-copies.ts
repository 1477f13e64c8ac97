/**
 * Makes `instanceof` recognise the instances of these classes that come from another copy of this
 * package, by a mark under the name that the class has in `classes`.
 *
 * A program may load the ESM and the CommonJS copy: its own modules import one, a dependency
 * requires the other. Subclasses are tested as usual.
 */
export function sharedByCopies(classes: Readonly<Record<string, { readonly prototype: object }>>): void {
  for (const [name, shared] of Object.entries(classes)) {
    const brand = Symbol.for(`rx-informers.${name}`);
    Object.defineProperty(shared.prototype, brand, { value: true });
    Object.defineProperty(shared, Symbol.hasInstance, {
      value(this: { readonly prototype: object }, value: unknown): boolean {
        if (typeof value !== 'object' || value === null) return false;
        return this === shared ? brand in value : Object.prototype.isPrototypeOf.call(this.prototype, value);
      },
    });
  }
}
