import { isForbidden } from '../api/errors.js';

/** Requests that fail in a row, and how often a log has mentioned them. Times are milliseconds. */
export interface Outage {
  readonly since: number;
  readonly failures: number;
  /** When the next line is due. */
  readonly nextLineAt: number;
  /** How long the line after that waits. */
  readonly wait: number;
}

const firstWait = 5_000;
const longestWait = 300_000;

/**
 * Returns the outage after one more failure, and whether a log should mention it: the first failure
 * at once, then after 5 s, 10 s, 20 s, and at most every five minutes. Pure.
 */
export function afterFailure(
  outage: Outage | undefined,
  at: number,
): { readonly outage: Outage; readonly isLineDue: boolean } {
  const known = outage ?? { since: at, failures: 0, nextLineAt: at, wait: firstWait };
  const failures = known.failures + 1;
  if (at < known.nextLineAt) return { outage: { ...known, failures }, isLineDue: false };
  const { since, wait } = known;
  return {
    outage: { since, failures, nextLineAt: at + wait, wait: Math.min(2 * wait, longestWait) },
    isLineDue: true,
  };
}

/** Returns what a log line says about an outage. */
export function outageFields({ since, failures }: Outage, at: number) {
  return { failures, failingFor: at - since };
}

/** Returns what a person can do if the server refused a request; `''` for any other error. */
export function adviceFor(
  error: unknown,
  { verbs, namespace }: { readonly verbs: string; readonly namespace: string },
): string {
  if (!isForbidden(error)) return '';
  return `; grant ${verbs} of leases.coordination.k8s.io in namespace ${namespace}`;
}
