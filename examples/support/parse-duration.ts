import { InvalidArgumentError } from 'commander';
import ms, { type StringValue } from 'ms';

/** Parses a duration from the command line, such as 10s or 5m, to milliseconds. */
export function parseDuration(text: string): number {
  const duration = ms(text as StringValue) as number | undefined;
  if (duration === undefined || !(duration > 0)) throw new InvalidArgumentError('use a time such as 10s, 5m or 1h.');
  return duration;
}
