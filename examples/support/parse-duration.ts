import { InvalidArgumentError } from 'commander';
import ms, { type StringValue } from 'ms';

/** A duration of the command line, such as 10s or 5m, in milliseconds. */
export function parseDuration(text: string): number {
  const duration = ms(text as StringValue) as number | undefined;
  if (duration === undefined || !(duration > 0)) throw new InvalidArgumentError('give a time such as 10s, 5m or 1h.');
  return duration;
}
