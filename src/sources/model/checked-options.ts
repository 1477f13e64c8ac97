import { development, nearestName } from '../../kubernetes/development.js';
import { invalidOptionError } from '../../kubernetes/errors.js';

/** The names of the options of type `O`. The compiler finds a missing or a wrong name. */
export type NamesOf<O> = Readonly<Record<keyof O, unknown>>;

/**
 * Returns the value of an option that has a fixed set of values.
 *
 * @throws `RXI_INVALID_OPTION` for any other value. This check is for callers in JavaScript.
 */
export function checkedChoice<C>(option: string, value: C, ...choices: readonly C[]): C {
  if (choices.includes(value)) return value;
  throw invalidOptionError(option, value, choices.map((choice) => JSON.stringify(choice)).join(' or '));
}

/** Throws `RXI_INVALID_OPTION` in development for a client without `exchange`. */
export function checkClient(client: object | undefined): void {
  checkMember('the client', client, 'exchange', 'function', 'a client, such as kubeClient(kubeConfig)');
}

/** Throws `RXI_INVALID_OPTION` in development for a resource without a plural. */
export function checkResource(resource: object | undefined): void {
  checkMember('the resource', resource, 'plural', 'string', 'a descriptor, such as pods (without quotes)');
}

function checkMember(what: string, value: object | undefined, name: string, type: string, expected: string): void {
  // The form of `isDevelopment` that a bundler can evaluate: see there.
  try {
    if (process.env.NODE_ENV !== 'production') throw development;
  } catch {
    const member: unknown = (Object(value) as Readonly<Record<string, unknown>>)[name];
    if (typeof member !== type) throw invalidOptionError(what, value, expected);
  }
}

/**
 * Throws `RXI_INVALID_OPTION` in development for a name that is nearly an option. Other unknown
 * names are allowed, because options may be part of a larger object.
 *
 * @param of what has these names, such as `an option of informer`
 * @param names returns them; a bundle for production leaves the function out
 */
export function checkNames<O>(of: string, options: object, names: () => NamesOf<O>): void {
  // The form of `isDevelopment` that a bundler can evaluate: see there.
  try {
    if (process.env.NODE_ENV !== 'production') throw development;
  } catch {
    for (const name of Object.keys(options)) {
      const meant = nearestName(name, Object.keys(names()));
      if (meant !== undefined) throw invalidOptionError(of, name, `named ${meant}`);
    }
  }
}
