import { freeze } from 'immer';

/**
 * Whether objects are deeply frozen when they enter the store: everywhere but in production, where it would about double the cost of reading a list (H5 ▲).
 *
 * `process.env.NODE_ENV` is written out so that bundlers can replace it; a browser without a bundler has no `process` and counts as development.
 */
export function freezesByDefault(): boolean {
  try {
    return process.env.NODE_ENV !== 'production';
  } catch {
    return true;
  }
}

/** Freezes an object and everything in it; stops at what is frozen already, so shared subtrees are not walked again. */
export function freezeDeeply<T>(object: T): T {
  return freeze(object, true);
}
