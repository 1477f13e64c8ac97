import { defer, map, repeat, Subscription, timer } from 'rxjs';
import { eventually } from '../../../test/cluster/support/eventually.js';
import type { ClusterState } from './cluster-state.js';
import { differences } from './differences.js';
import type { OperatorForm } from './forms.js';
import type { Playhouse, Stage } from './stage.js';

/** A running scenario. */
export interface Play {
  readonly stage: Stage;
  /** Starts the operator. It runs until the scenario ends. */
  start(): Subscription;
  /** Resolves as soon as the cluster matches the specs and the given condition is true. */
  settled(condition?: (state: ClusterState) => boolean): Promise<ClusterState>;
  close(): Promise<void>;
}

export async function play(playhouse: Playhouse, form: OperatorForm): Promise<Play> {
  const stage = await playhouse.open();
  const running = new Subscription();
  const judged = (state: ClusterState) => ({
    differences: differences(state, { ...form, ...playhouse }),
    state,
  });
  return {
    stage,
    start: () => {
      const operator = form.start(stage).subscribe();
      running.add(operator);
      return operator;
    },
    settled: async (condition = () => true) => {
      const state$ = defer(() => stage.look()).pipe(map(judged), repeat({ delay: () => timer(20) }));
      await eventually(state$, (seen) => seen.differences.length === 0 && condition(seen.state), 20_000);
      const verdict = judged(await stage.judge());
      expect(verdict.differences).toEqual([]);
      return verdict.state;
    },
    close: async () => {
      running.unsubscribe();
      await stage.close();
    },
  };
}
