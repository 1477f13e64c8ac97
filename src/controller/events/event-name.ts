/** Makes the names of one recorder's events; no two are the same. */
export type EventNames = (regarding: string, at: number) => string;

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const maxNameLength = 253;
const nanosecondsPerMillisecond = 1_000_000n;

/**
 * Names as client-go makes them: `<name of the object>.<nanoseconds in hexadecimal>`; where that is no valid name, a UUID (E1).
 *
 * The clock knows milliseconds only: what is below is random, so that two replicas that record in the same millisecond do not meet,
 * and each name is later than the one before.
 */
export function eventNames(random: () => number): EventNames {
  let last = 0n;
  return (regarding, at) => {
    const fraction = BigInt(Math.floor(random() * Number(nanosecondsPerMillisecond)));
    const nanoseconds = BigInt(Math.floor(at)) * nanosecondsPerMillisecond + fraction;
    last = nanoseconds > last ? nanoseconds : last + 1n;
    const name = `${regarding}.${last.toString(16)}`;
    return name.length <= maxNameLength && subdomain.test(name) ? name : randomUuid(random);
  };
}

function randomUuid(random: () => number): string {
  const digits = (count: number): string =>
    Math.floor(random() * 16 ** count)
      .toString(16)
      .padStart(count, '0');
  const variant = '89ab'.charAt(Math.floor(random() * 4));
  return `${digits(8)}-${digits(4)}-4${digits(3)}-${variant}${digits(3)}-${digits(12)}`;
}
