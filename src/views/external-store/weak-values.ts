/** Values by name, each for as long as somebody else holds it: who asks for the same name meanwhile gets the same value. */
export class WeakValues<V extends object> {
  readonly #references = new Map<string, WeakRef<V>>();
  readonly #gone = new FinalizationRegistry<string>((name) => {
    if (this.#references.get(name)?.deref() === undefined) this.#references.delete(name);
  });

  /** How many names are remembered: those of values that are held, and for a while those of others. */
  get size(): number {
    return this.#references.size;
  }

  get(name: string, make: () => V): V {
    const held = this.#references.get(name)?.deref();
    if (held) return held;
    const made = make();
    this.#references.set(name, new WeakRef(made));
    this.#gone.register(made, name);
    return made;
  }
}
