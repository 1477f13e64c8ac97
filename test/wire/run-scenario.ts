import { randomBytes } from 'node:crypto';
import { normalise } from './normalise.js';
import type { Scenario } from './scenario.js';
import { openSession, type Step } from './session.js';
import type { WireTarget } from './wire-target.js';

/** Runs a scenario in a namespace of its own and returns the normalised transcript. */
export async function runScenario(target: WireTarget, scenario: Scenario): Promise<readonly Step[]> {
  const unique = `w${randomBytes(6).toString('hex')}`;
  const names = { namespace: `wire-${unique}`, unique };
  const namespaces = '/api/v1/namespaces';
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: names.namespace } };
  const { status } = await target.request('POST', namespaces, { body });
  if (status !== 201) throw new Error(`the namespace of the scenario could not be created: ${status}`);
  const { session, steps } = openSession(target, names);
  try {
    await scenario.run(session);
  } finally {
    await target.request('DELETE', `${namespaces}/${names.namespace}`);
  }
  return normalise(steps, names);
}
