import process from 'node:process';

/** The seed of all random tests and scripts. `SEED` changes it. */
export const seed = wholeNumber('SEED', 1, { min: 0, max: 2 ** 32 - 1 });

/** The number by which random tests multiply their cases. `RUNS` changes it. */
export const runs = wholeNumber('RUNS', 1, { min: 1, max: 1_000_000 });

/** The variables that repeat this run, as one writes them before a command. */
export const variables = [...(seed === 1 ? [] : [`SEED=${seed} `]), ...(runs === 1 ? [] : [`RUNS=${runs} `])].join('');

/**
 * Returns the seed for what has this name: the same one each time, and another one with another
 * `SEED`.
 */
export function seedOf(name) {
  // FNV-1a.
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(`${seed} ${name}`)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

function wholeNumber(name, byDefault, { min, max }) {
  const text = process.env[name];
  if (text === undefined || text === '') return byDefault;
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (value >= min && value <= max) return value;
  throw new RangeError(`${name}=${text} is not a whole number from ${min} to ${max}.`);
}
