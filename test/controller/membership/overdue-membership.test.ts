import { of, ReplaySubject } from 'rxjs';
import { whileOwned, workqueue, type MembershipState } from 'rx-informers/controller';
import { Group, someKeys } from './support/group.js';

/** A replica that owns all keys, and whose time of day can pass without any timer: its machine sleeps. */
function replica() {
  const replicas = new Group();
  const states = new ReplaySubject<MembershipState>(1);
  const { setClock } = replicas.start('a', {
    follow: (state) => {
      states.next(state);
    },
  });
  const last = () => replicas.replicas[0]!.states.at(-1)!;
  replicas.advance(5_000);
  expect(last().isSettled).toBe(true);
  return { replicas, states, last, sleep: setClock };
}

describe('keys whose renew deadline has passed by the clock, before the timer has fired (L3)', () => {
  it('are no longer owned when `owns` is asked, and the next state is emitted at once', () => {
    const { replicas, last, sleep } = replica();
    const before = last();
    expect(before.owns('a')).toBe(true);
    sleep(20_000);
    expect(before.owns('a')).toBe(false);
    expect(last()).toMatchObject({ owned: { portion: 0 }, errors: [{ name: 'RenewDeadlineError' }] });
    replicas.advance(30_000);
    expect(last().owns('a')).toBe(true);
  });

  it('have no run of whileOwned any more, also behind a run that took so long', () => {
    const { states, sleep } = replica();
    const begun: string[] = [];
    const outcomes: string[] = [];
    const run = (key: string) =>
      whileOwned(states, { key }, () => {
        begun.push(key);
        sleep(20_000);
      });
    of('a', 'b', 'c')
      .pipe(workqueue(run))
      .subscribe(({ type }) => type === 'started' || outcomes.push(type));
    expect(begun).toEqual(['a']);
    expect(outcomes).toEqual(['succeeded', 'skipped', 'skipped']);
  });

  it('are not owned in a state whose delivery took so long', () => {
    const { replicas, states, last, sleep } = replica();
    const answers: boolean[] = [];
    states.subscribe((state) => {
      const key = someKeys.find((some) => state.owned.has(some));
      if (state.members.length === 1 || answers.length > 0 || key === undefined) return;
      sleep(20_000);
      answers.push(state.owns(key));
      // Subscribers that have not received this state yet receive the next one after it.
      expect(last()).toBe(state);
    });
    replicas.start('b');
    replicas.advance(5_000);
    expect(answers).toEqual([false]);
    expect(replicas.replicas[0]!.states.flatMap(({ errors }) => errors)).toMatchObject([
      { name: 'RenewDeadlineError' },
    ]);
  });
});
