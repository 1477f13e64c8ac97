import { messageOf } from './message-of.js';

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
