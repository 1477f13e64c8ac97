import { map, Observable, type SchedulerLike } from 'rxjs';
import type { RunHelpers } from 'rxjs/testing';
import { leader$, whileLeading } from 'rx-informers/controller';
import { createInMemoryApiServer, informerTest, type InMemoryApiServer, serverFaults } from 'rx-informers/testing';
import { leaseName, word } from './support/election.js';

interface Helpers extends RunHelpers {
  readonly server: InMemoryApiServer;
  readonly compete: (identity: string) => ReturnType<typeof leader$>;
}

function election(test: (helpers: Helpers) => void): void {
  informerTest((helpers) => {
    const { scheduler } = helpers;
    const server = createInMemoryApiServer({ scheduler });
    // Candidates look each second, and leaders renew each second; one second is 1000 frames.
    const compete = (identity: string) => leader$(server.client, options(identity, scheduler));
    test({ ...helpers, server, compete });
  });
}

const options = (identity: string, scheduler: SchedulerLike) => ({
  lease: leaseName,
  identity,
  leaseDuration: 3_000,
  renewDeadline: 2_000,
  retryPeriod: 1_000,
  scheduler,
  random: () => 0,
});
const values = {
  s: 'standby',
  l: 'leading',
  a: 'standby of a',
  b: 'standby of b',
  e: 'leading (ConnectionError)',
  f: 'standby of a (ConnectionError)',
  x: 'lost by RenewDeadlineError',
};

describe('leader$, in marbles', () => {
  it('L6: another candidate follows a leader that leaves, at its next look', () => {
    election(({ compete, expectObservable }) => {
      expectObservable(compete('a').pipe(map(word)), '^ 1499ms !').toBe('(sl)', values);
      expectObservable(compete('b').pipe(map(word)), '^ 2499ms !').toBe('(sa) 1996ms (sl)', values);
    });
  });

  it('L2: in an outage the leader stops at its deadline, competes again, and the work follows it', () => {
    election(({ compete, cold, server, expectObservable, expectSubscriptions }) => {
      const work = cold('w');
      const a = compete('a');
      cold('500ms x 5499ms y').subscribe((sign) => {
        if (sign === 'x') server.faults.always('any', serverFaults.refuse());
        else server.faults.clear();
      });
      expectObservable(a.pipe(map(word)), '^ 7500ms !').toBe(
        '(sl) 996ms e 999ms x 999ms f 999ms f 999ms f 999ms l',
        values,
      );
      expectObservable(a.pipe(whileLeading(work)), '^ 7500ms !').toBe('w 5999ms w');
      expectSubscriptions(work.subscriptions).toBe(['^ 1999ms !', '6s ^ 1500ms !']);
    });
  });

  it('unsubscribing from the work alone leaves nothing that runs', () => {
    election(({ compete, expectObservable, expectSubscriptions, cold, server }) => {
      const work = cold('w 999ms w');
      expectObservable(compete('a').pipe(whileLeading(work)), '^ 500ms !').toBe('w');
      expectSubscriptions(work.subscriptions).toBe('^ 500ms !');
      const asked = new Observable<string>((subscriber) =>
        server.requests$.subscribe(({ method }) => {
          subscriber.next(method);
        }),
      );
      expectObservable(asked, '^ 5s !').toBe('501ms (gp)', { g: 'GET', p: 'PUT' });
    });
  });
});
