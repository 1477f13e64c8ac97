import { matchesLabelSelector, type LabelSelector } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { aPod, type Pod } from '../fixtures/pods.js';
import { describeOracle, randomInput } from './support/oracle.js';
import { failsOn, names, unlessItFails, type Random } from './support/random.js';

/** An object with a selector: its status. */
interface Policy {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid?: string };
  readonly spec: { readonly selector?: LabelSelector; readonly note?: number };
  readonly status?: unknown;
}

const namespaces = ['east', 'west'] as const;

function randomLabelled(random: Random): Pod {
  return aPod({
    name: random.oneOf(names),
    namespace: random.oneOf(namespaces),
    uid: random.oneOf(['u1', 'u1', 'u1', 'u2']),
    ...(random.chance(0.9) && {
      labels: {
        ...(random.chance(0.8) && { app: random.oneOf(['web', 'api', '']) }),
        ...(random.chance(0.5) && { tier: random.oneOf(['front', 'back']) }),
        ...(random.chance(0.3) && { canary: random.oneOf(['1', '2', 'no']) }),
      },
    }),
    status: random.oneOf(['a', 'b', 'c', 'fails']),
  });
}

function randomSelector(random: Random): LabelSelector | undefined {
  const expression = (): { key: string; operator: string; values?: string[] } =>
    random.oneOf([
      { key: 'app', operator: 'In', values: random.someOf(['web', 'api', '']) },
      { key: 'tier', operator: 'In', values: ['back'] },
      { key: 'tier', operator: 'NotIn', values: ['front'] },
      { key: 'canary', operator: 'Exists' },
      { key: 'app', operator: 'Exists' },
      { key: 'canary', operator: 'DoesNotExist' },
      { key: 'canary', operator: 'Gt', values: ['1'] },
      { key: 'app', operator: 'Equals', values: ['malformed'] },
    ]);
  return random.oneOf<() => LabelSelector | undefined>([
    () => undefined,
    () => ({}),
    () => ({ matchLabels: { app: random.oneOf(['web', 'api']) } }),
    () => ({ matchLabels: { app: 'web', tier: random.oneOf(['front', 'back']) } }),
    () => ({ matchLabels: { tier: 'front' }, matchExpressions: [expression()] }),
    () => ({ matchExpressions: [expression()] }),
    () => ({ matchExpressions: [expression(), expression()] }),
    () => 'app in (web, api), !canary',
    () => 'not a selector',
  ])();
}

function randomPolicy(random: Random): Policy {
  const selector = randomSelector(random);
  return {
    metadata: {
      name: random.oneOf(['p', 'q', 'r', 's']),
      namespace: random.oneOf(namespaces),
      uid: random.oneOf(['u1', 'u1', 'u1', 'u2']),
    },
    spec: { note: random.nat(2), ...(selector !== undefined && { selector }) },
    ...(random.chance(0.1) && { status: 'fails' }),
  };
}

interface Readable<T> {
  keys(): readonly string[];
  get(key: string): T | undefined;
}

const selectorOf = ({ spec }: Policy): LabelSelector | undefined => spec.selector;

/** Nested loops: for each pod, each policy. */
function naive<Row>(
  policies: Readable<Policy>,
  pods: Readable<Pod>,
  within: 'namespace' | 'cluster',
  row: (pod: Pod, keys: readonly string[], selecting: readonly Policy[]) => Row | undefined,
): Map<string, Row> {
  const rows = new Map<string, Row>();
  for (const key of pods.keys()) {
    const pod = pods.get(key) as Pod;
    const selectedBy = policies.keys().filter((policyKey) => {
      const policy = policies.get(policyKey) as Policy;
      if (within === 'namespace' && policy.metadata.namespace !== pod.metadata.namespace) return false;
      const { selector } = policy.spec;
      return selector !== undefined && unlessItFails(() => matchesLabelSelector(selector)(pod.metadata.labels));
    });
    const selecting = selectedBy.map((policyKey) => policies.get(policyKey) as Policy);
    const computed = unlessItFails(() => row(pod, selectedBy, selecting));
    if (computed !== undefined) rows.set(key, computed);
  }
  return rows;
}

describe('selectorJoin', () => {
  const inputs = { policies: randomInput(randomPolicy), pods: randomInput(randomLabelled) };

  describeOracle('selectorJoin within namespaces', inputs, ({ inputs: { policies, pods }, options }) => ({
    collection: derived.selectorJoin(policies, pods, { selector: selectorOf, within: 'namespace' }, options),
    expected: () =>
      naive(policies, pods, 'namespace', (object, selectedBy) =>
        selectedBy.length === 0 ? undefined : { object, selectedBy },
      ),
  }));

  const select = (pod: Pod, selecting: readonly Policy[]) => {
    failsOn(pod, ...selecting);
    if (pod.status === 'c') return undefined;
    return { name: pod.metadata.name, notes: selecting.map(({ spec }) => spec.note) };
  };
  describeOracle('selectorJoin within the cluster, with select', inputs, ({ inputs: { policies, pods }, options }) => ({
    collection: derived.selectorJoin(policies, pods, { selector: selectorOf, within: 'cluster', select }, options),
    expected: () =>
      naive(policies, pods, 'cluster', (pod, selectedBy, selecting) => {
        const fields = select(pod, selecting);
        return fields && { ...fields, selectedBy };
      }),
  }));
});
