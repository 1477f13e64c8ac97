import type { LogFields, Logger } from '../../requests/logger.js';
import { isForbidden } from '../../requests/resource-client/errors.js';
import type { Safely } from '../../scheduling/safely.js';
import type { LogLine } from '../logger.js';
import { safelyWithWarnings, writeLines } from '../safe-hooks.js';
import type { LeaseRelease } from './release-lease.js';

/** Requests that failed in a row, and when the log mentions them. Times are milliseconds. */
interface Outage {
  readonly since: number;
  readonly failures: number;
  /** When the next line is due. */
  readonly nextLineAt: number;
  /** The shortest time between the next line and the line that follows it. */
  readonly wait: number;
}

const firstWait = 5_000;
const maxWait = 300_000;

/** The level and the message of a line. */
export type LineText = readonly [level: LogLine['level'], message: string];

/**
 * Writes the log of one replica with the same fields in each line, and calls its hooks. Catches
 * errors of both; logs the first of each hook. Repeated failures are logged at once, then after 5
 * s, 10 s, 20 s and so on, up to five minutes.
 */
export class LeaseLog {
  readonly call: Safely;
  #outage: Outage | undefined;

  constructor(
    private readonly logger: Logger,
    private readonly fields: LogFields,
  ) {
    this.call = safelyWithWarnings(logger, fields);
  }

  write(level: LogLine['level'], message: string, fields: LogFields = {}): void {
    writeLines(this.logger, [{ level, message, fields: { ...this.fields, ...fields } }]);
  }

  /** Counts a failure, and writes a line about the failures in a row if one is due. */
  failed(message: string, error: unknown, at: number): void {
    const known = this.#outage ?? { since: at, failures: 0, nextLineAt: at, wait: firstWait };
    const outage = { ...known, failures: known.failures + 1 };
    const isLineDue = at >= known.nextLineAt;
    const wait = Math.min(2 * known.wait, maxWait);
    this.#outage = isLineDue ? { ...outage, nextLineAt: at + known.wait, wait } : outage;
    if (isLineDue) this.write('warn', message, { error, ...outageFields(outage, at) });
  }

  /** Ends a row of failures. Writes a line if there were failures. */
  recovered(message: string, at: number): void {
    if (this.#outage !== undefined) this.write('info', message, outageFields(this.#outage, at));
    this.#outage = undefined;
  }

  /** Writes a line about the result of a release. */
  released(release: LeaseRelease, texts: Readonly<Record<LeaseRelease['type'], LineText>>): void {
    this.write(...texts[release.type], release.type === 'failed' ? { error: release.error } : {});
  }
}

function outageFields({ since, failures }: Outage, at: number) {
  return { failures, failingFor: at - since };
}

/** Returns advice for a forbidden request, as the end of a log message; else `''`. */
export function adviceFor(error: unknown, verbs: string, namespace: string): string {
  if (!isForbidden(error)) return '';
  return `; grant ${verbs} of leases.coordination.k8s.io in namespace ${namespace}`;
}
