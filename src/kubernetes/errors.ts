const brand = Symbol.for('rx-informers.error');

/**
 * The base class of all errors of this package.
 *
 * `code` is stable across versions; names and messages may change. `docs/reference/errors.md` lists
 * each code, when it occurs, and what to do.
 *
 * `instanceof` also recognises errors of another copy of this package: a program may load two
 * copies, if its own modules import the ESM copy and a dependency requires the CommonJS copy.
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
  /** The code of all errors of a class. Each class declares its own. */
  static readonly code: string = 'RXI_ERROR';

  static {
    // `defineProperty`, not a static method, so that TypeScript still narrows by `instanceof`.
    Object.defineProperty(this, Symbol.hasInstance, { value: isInstance });
    Object.defineProperty(this.prototype, brand, { value: true });
  }

  /** Identifies what happened, for example `RXI_STATUS`. Starts with `RXI_`. */
  get code(): string {
    return (this.constructor as typeof RxInformersError).code;
  }

  /**
   * Returns name, code, message and the fields of the error, for logs and recordings. A cause is
   * represented by the result of its `toJSON()`, or by its message. The stack is left out.
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
 * Returns true if a value is an error of this package and, if `code` is given, has that code.
 *
 * Like `instanceof`, this function also recognises errors of another copy of this package.
 *
 * @param error any value, for example a caught error
 * @param code for example `RXI_STATUS`; default: any code
 * @returns true for an error of this package with that code; TypeScript then knows the fields of
 *   the error
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
  // Errors of another copy are compared by their code. A subclass that a program defines has no own
  // code, and no other copy contains such a subclass.
  return Object.hasOwn(this, 'code') && (value as { readonly code?: unknown }).code === this.code;
}

/**
 * Makes `instanceof` recognise instances of another copy, by a mark on each prototype with the name
 * of the class in `classes`: a program may load the ESM copy itself, and CommonJS in a dependency.
 * For subclasses, `instanceof` works as usual.
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
 * Returns the message of any thrown value: its `message`, `name`, or else `String` of it, or its
 * type if that fails. Not by `instanceof Error`, which is false for another realm (a worker, a test
 * runner's sandbox). Never throws.
 */
export function messageOf(cause: unknown): string {
  try {
    const { message, name } = (cause ?? {}) as { readonly message?: unknown; readonly name?: unknown };
    if (typeof message === 'string' && message !== '') return message;
    if (typeof message === 'string' && typeof name === 'string') return name;
    return String(cause);
  } catch {
    return `a thrown value of type ${typeof cause} without a message`;
  }
}

/**
 * The label selector is invalid; the API server would refuse it.
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
    /** From 1; `undefined` if the selector is an object. */
    readonly column?: number,
  ) {
    super(
      `invalid label selector ${JSON.stringify(selector)}: ${column === undefined ? '' : `column ${column}: `}${problem}`,
    );
  }
}

/**
 * An object has no `metadata.resourceVersion`. It was not returned by an API server, so it is
 * impossible to tell when a cache has caught up with it.
 *
 * **What to do**: Pass the object that the API server returned for the write, not the object that
 * was sent.
 */
export class UnversionedObjectError extends RxInformersError {
  static override readonly code = 'RXI_UNVERSIONED_OBJECT';
  override readonly name = 'UnversionedObjectError';
  constructor(readonly key: string) {
    super(`${key} has no metadata.resourceVersion; pass the object that the API server returned for the write`);
  }
}
