import { nearestName } from '../../kubernetes/development.js';
import { InvalidOptionError } from './errors.js';

/** The names of the options of type `O`. The compiler finds a missing or a wrong name. */
export type NamesOf<O> = Readonly<Record<keyof O, 1>>;

/**
 * Returns the value of an option that has a fixed set of values.
 *
 * @throws InvalidOptionError for any other value. This check is for callers in JavaScript.
 */
export function checkedChoice<C>(option: string, value: C, ...choices: readonly C[]): C {
  if (choices.includes(value)) return value;
  throw new InvalidOptionError(option, value, choices.map((choice) => JSON.stringify(choice)).join(' or '));
}

/**
 * Throws InvalidOptionError in development for a name that is nearly an option. Other unknown names
 * are allowed, because options may be part of a larger object.
 *
 * @param of what has these names, such as `an option of informer`
 */
export function checkNames<O>(of: string, options: object, names: NamesOf<O>): void {
  // The form of `isDevelopment` that a bundler can evaluate: see there.
  try {
    if (process.env.NODE_ENV !== 'production') throw new Error('development');
  } catch {
    for (const name of Object.keys(options)) {
      const meant = nearestName(name, Object.keys(names));
      if (meant !== undefined) throw new InvalidOptionError(of, name, `named ${meant}`);
    }
  }
}
