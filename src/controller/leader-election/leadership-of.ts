import type { ElectionConfig } from './election-config.js';
import type { ElectionState } from './election-state.js';
import type { Leadership } from './leadership.js';

/** What a state says to the outside. */
export function leadershipOf({ identity }: ElectionConfig, { role }: ElectionState): Leadership {
  if (role.type === 'leading') {
    const { since, transitions, error } = role;
    return { type: 'leading', identity, since, transitions, error };
  }
  const holder = role.seen?.record.holder === '' ? undefined : role.seen?.record.holder;
  if (role.lost !== undefined) return { type: 'lost', holder, ...role.lost };
  return { type: 'standby', holder, error: role.error };
}

/** Whether two say the same, so that one of them need not be told. */
export function isSameLeadership(a: Leadership, b: Leadership): boolean {
  const fieldsOfA = Object.entries(a);
  const fieldsOfB = new Map<string, unknown>(Object.entries(b));
  return fieldsOfA.length === fieldsOfB.size && fieldsOfA.every(([name, value]) => value === fieldsOfB.get(name));
}
