import type { ErrorCode, ErrorFields } from './error-codes.js';

const brand = Symbol.for('rx-informers.error');

/**
 * An error of this package. `code` says what happened, and TypeScript knows the further fields of
 * each code.
 *
 * Codes are stable across versions; messages may change. `docs/reference/errors.md` lists each
 * code, when it occurs, and what to do. `StatusError` and `TerminalError` are the only subclasses.
 *
 * `instanceof` also recognises errors of another copy of this package: a program may load two
 * copies, if its own modules import the ESM copy and a dependency requires the CommonJS copy.
 *
 * @example
 * try {
 *   podInformer.byIndex('node', 'worker-1');
 * } catch (error) {
 *   if (!(error instanceof RxInformersError)) throw error;
 *   if (error.code === 'RXI_UNKNOWN_INDEX') console.error(`use one of ${error.known.join(', ')}`);
 *   else console.error(error.code, error.toJSON());
 * }
 */
export type RxInformersError<Code extends ErrorCode = ErrorCode> = {
  readonly [C in Code]: Error & {
    /** Identifies what happened, for example `RXI_STATUS`. Starts with `RXI_`. */
    readonly code: C;
    /**
     * Returns name, code, message and the fields of the error, for logs and recordings. A cause is
     * represented by the result of its `toJSON()`, or by its message. The stack is left out.
     */
    toJSON(): Record<string, unknown>;
  } & ErrorFields[C];
}[Code];

interface RxInformersErrorConstructor {
  new <Code extends ErrorCode>(
    code: Code,
    message: string,
    fields: ErrorFields[Code] & ErrorOptions,
  ): RxInformersError<Code>;
  readonly prototype: RxInformersError;
}

export const RxInformersError = class RxInformersError<Code extends ErrorCode> extends Error {
  static {
    // `defineProperty`, not a static method, so that TypeScript still narrows by `instanceof`.
    Object.defineProperty(this, Symbol.hasInstance, { value: isInstance });
    Object.assign(this.prototype, { name: 'RxInformersError', [brand]: true });
  }

  constructor(
    readonly code: Code,
    message: string,
    fields: ErrorFields[Code] & ErrorOptions,
  ) {
    // `Error` sets the cause, which stays non-enumerable.
    super(message, fields);
    Object.assign(this, fields);
    // The code, so that every log shows it.
    Object.defineProperty(this, 'name', { value: code, writable: true, configurable: true });
  }

  toJSON(): Record<string, unknown> {
    const { name, message, cause } = this;
    const fields = Object.entries(this).filter(([field]) => field !== 'stack');
    return {
      name,
      message,
      ...Object.fromEntries(fields),
      ...(cause !== undefined && { cause: isRxInformersError(cause) ? cause.toJSON() : messageOf(cause) }),
    };
  }
} as unknown as RxInformersErrorConstructor;

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
 *   if (isRxInformersError(error, 'RXI_STATUS')) console.warn(error.statusCode, error.message);
 * });
 */
export function isRxInformersError<Code extends ErrorCode = ErrorCode>(
  error: unknown,
  code?: Code,
): error is RxInformersError<Code> {
  return error instanceof RxInformersError && (code === undefined || error.code === code);
}

/** The constructor of a subclass has the code of its errors. */
function isInstance(this: { readonly prototype: object; readonly code?: ErrorCode }, value: unknown): boolean {
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
 * @param option the name of the option or argument, as the message begins
 * @param expected what the value must be
 * @param subject what has the option, such as `membership of group web/shop`; default: nothing
 */
export function invalidOptionError(
  option: string,
  value: unknown,
  expected: string,
  subject?: string,
): RxInformersError<'RXI_INVALID_OPTION'> {
  const message = `${subject === undefined ? '' : `${subject}: `}${option} must be ${expected}, not ${valueText(value)}`;
  return new RxInformersError('RXI_INVALID_OPTION', message, { option, value, expected });
}

/** Returns a value as text: of an instance only the class, because its fields may be secret. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  const { constructor } = Object(value) as { readonly constructor?: { readonly name: string } };
  if (constructor !== Object && !Array.isArray(value)) return `an instance of ${constructor?.name ?? 'no class'}`;
  try {
    const text = JSON.stringify(value, (_, each: unknown) => (typeof each === 'function' ? '…' : each));
    if (text.length <= 60) return text;
  } catch {
    // It has a cycle.
  }
  return Array.isArray(value) ? 'an array' : 'an object';
}

export function invalidSelectorError(
  selector: unknown,
  problem: string,
  column?: number,
): RxInformersError<'RXI_INVALID_SELECTOR'> {
  const message = `invalid label selector ${JSON.stringify(selector)}: ${column === undefined ? '' : `column ${column}: `}${problem}`;
  return new RxInformersError('RXI_INVALID_SELECTOR', message, { selector, problem, column });
}

export function unversionedObjectError(key: string): RxInformersError<'RXI_UNVERSIONED_OBJECT'> {
  const message = `${key} has no metadata.resourceVersion; pass the object that the API server returned for the write`;
  return new RxInformersError('RXI_UNVERSIONED_OBJECT', message, { key });
}

/** Returns where an error of the caller's code was thrown, as a suffix for a line. */
export function placeOf(error: unknown): string {
  if (isRxInformersError(error)) return '';
  const [, place] = /\n\s+(at .*)/.exec(String((error as Partial<Error> | undefined)?.stack)) ?? [];
  return place === undefined ? '' : ` (${place})`;
}
