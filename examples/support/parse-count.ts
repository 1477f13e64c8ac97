import { InvalidArgumentError } from 'commander';

/** Parses a whole number of at least 1 from the command line. */
export function parseCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError('use a whole number of at least 1.');
  return count;
}
