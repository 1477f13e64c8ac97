import { InvalidArgumentError } from 'commander';

/** Parses a TCP port from the command line. 0 selects a free one. */
export function parsePort(text: string): number {
  const port = Number(text);
  if (text === '' || !Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new InvalidArgumentError('use a whole number from 0 to 65535.');
  }
  return port;
}
