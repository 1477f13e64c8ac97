import type { Collection, Pod } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { podStatus, type PodDisruptionBudget } from 'rx-informers/resources';

/** The PodDisruptionBudgets with fewer healthy pods than they demand, and the pods that are not. */
export function violatedBudgets(budgets: Collection<PodDisruptionBudget>, pods: Collection<Pod>) {
  const covered = derived.selectorJoin(budgets, pods, {
    selector: (budget) => budget.spec?.selector,
    within: 'namespace',
  });
  return derived.groupJoin(budgets, covered, {
    on: 'selectedBy',
    select: ({ status }, rows) => {
      const unhealthy = rows.filter(({ object }) => podStatus(object).severity !== 'ok');
      const [healthy, demanded] = [rows.length - unhealthy.length, status?.desiredHealthy ?? 0];
      if (healthy >= demanded) return undefined;
      return { healthy, demanded, unhealthy: unhealthy.map(({ object }) => object.metadata.name) };
    },
  });
}
