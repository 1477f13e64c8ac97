import { InvalidArgumentError } from 'commander';

/** A number of things of the command line, of which there is at least one. */
export function parseCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError('give a whole number of at least 1.');
  return count;
}
