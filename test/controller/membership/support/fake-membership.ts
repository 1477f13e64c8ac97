import type { MembershipState } from 'rx-informers/controller';
import { BehaviorSubject, type ObservableInput } from 'rxjs';

const setOf = (keys: readonly string[]) => ({ has: (key: string) => keys.includes(key), portion: keys.length / 100 });

/** A membership whose keys the test sets. It records the work that it must wait for. */
export class FakeMembership extends BehaviorSubject<MembershipState> {
  readonly waits: ObservableInput<unknown>[] = [];
  #keys: readonly string[] = [];

  constructor(...keys: readonly string[]) {
    super(undefined as never);
    this.own(...keys);
  }

  own(...keys: readonly string[]): void {
    const before = this.#keys;
    this.#keys = keys;
    this.next({
      identity: 'a',
      members: ['a', 'b'],
      owned: setOf(keys),
      owns: (key) => keys.includes(key),
      gained: setOf(keys.filter((key) => !before.includes(key))),
      lost: setOf(before.filter((key) => !keys.includes(key))),
      isSettled: true,
      status: { state: 'settled', reason: undefined, error: undefined },
      errors: [],
      waitUntil: (over) => {
        this.waits.push(over);
        return true;
      },
    });
  }
}
