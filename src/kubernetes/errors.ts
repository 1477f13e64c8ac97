const brand = Symbol.for('rx-informers.error');

/**
 * The base class of all errors of this package.
 *
 * `code` is stable across versions; names and messages may change. `docs/errors.md` lists each code,
 * when it occurs, and what to do.
 *
 * `instanceof` also recognises errors of another copy of this package: a program may load the ESM
 * and the CommonJS copy, because its own modules import one and a dependency requires the other.
 *
 * @example
 * try {
 *   podInformer.byIndex('node', 'worker-1');
 * } catch (error) {
 *   if (!(error instanceof RxInformersError)) throw error;
 *   console.error(error.code, error.toJSON());
 * }
 */
export abstract class RxInformersError extends Error {
  /** The code of all errors of a class, which each class declares for itself. */
  static readonly code: string = 'RXI_ERROR';

  static {
    // Declared this way, TypeScript narrows the type of what is tested as it does for any class.
    Object.defineProperty(this, Symbol.hasInstance, { value: isInstance });
    Object.defineProperty(this.prototype, brand, { value: true });
  }

  /** Identifies what happened, for example `RXI_STATUS`. Starts with `RXI_`. */
  get code(): string {
    return (this.constructor as typeof RxInformersError).code;
  }

  /**
   * Returns name, code, message and the fields of the error, for logs and recordings. A cause becomes
   * its own `toJSON()`, or its message. The stack is left out.
   */
  toJSON(): Record<string, unknown> {
    const { name, code, message } = this;
    const fields = Object.entries(this).filter(([field]) => field !== 'stack');
    const { cause } = this as { readonly cause?: unknown };
    return {
      name,
      code,
      message,
      ...Object.fromEntries(fields),
      ...(cause !== undefined && { cause: cause instanceof RxInformersError ? cause.toJSON() : messageOf(cause) }),
    };
  }
}

/**
 * Returns whether a value is an error of this package, and, if `code` is given, has that code.
 *
 * Recognises the errors of another copy of this package, as `instanceof` does.
 *
 * @param error any value, such as one that was caught
 * @param code for example `RXI_STATUS`; default: any
 * @example
 * podInformer.errors$.subscribe((error) => {
 *   if (isRxInformersError(error, 'RXI_STATUS')) console.warn(error.message);
 * });
 */
export function isRxInformersError(error: unknown, code?: string): error is RxInformersError {
  return error instanceof RxInformersError && (code === undefined || error.code === code);
}

function isInstance(this: typeof RxInformersError, value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !(brand in value)) return false;
  if (this === RxInformersError || Object.prototype.isPrototypeOf.call(this.prototype, value)) return true;
  // A class that a program derives from one of these has no code of its own: no other copy knows it.
  return Object.hasOwn(this, 'code') && (value as { readonly code?: unknown }).code === this.code;
}

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

/**
 * Returns the message of anything that was thrown: its `message`, its `name`, or else what `String` makes of it. Errors of another
 * realm (a worker, a test runner's sandbox) are no `instanceof Error`.
 *
 * Never throws: what has no text (`Object.create(null)`, an object that throws when it is read) is described by its type.
 */
export function messageOf(cause: unknown): string {
  try {
    const { message, name } = (cause ?? {}) as { readonly message?: unknown; readonly name?: unknown };
    if (typeof message === 'string' && message !== '') return message;
    if (typeof message === 'string' && typeof name === 'string') return name;
    return String(cause);
  } catch {
    return `a thrown value of type ${typeof cause} without a text`;
  }
}

/**
 * A label selector is one that the API server would refuse.
 *
 * **What to do**: Correct the selector; the message names the column or the requirement. For a
 * selector that a user types, show the message.
 */
export class InvalidSelectorError extends RxInformersError {
  static override readonly code = 'RXI_INVALID_SELECTOR';
  override readonly name = 'InvalidSelectorError';
  constructor(
    readonly selector: unknown,
    readonly problem: string,
    /** Where in the text the problem is, from 1; `undefined` where the selector is an object. */
    readonly column?: number,
  ) {
    super(
      `invalid label selector ${JSON.stringify(selector)}: ${column === undefined ? '' : `column ${column}: `}${problem}`,
    );
  }
}

/**
 * An object has no `metadata.resourceVersion`: it was not returned by an API server, so no cache
 * can catch up with it.
 *
 * **What to do**: Pass the object that the API server returned for the write, not the one that was
 * sent.
 */
export class UnversionedObjectError extends RxInformersError {
  static override readonly code = 'RXI_UNVERSIONED_OBJECT';
  override readonly name = 'UnversionedObjectError';
  constructor(readonly key: string) {
    super(`${key} has no metadata.resourceVersion: what is needed is the object as the API server answered the write`);
  }
}
