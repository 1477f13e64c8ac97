/** @jest-environment ./test/react/support/browser-environment.js */
import type { ReactNode } from 'react';
import { type ChangeSet, type Pod, type Informer, type InformerError } from 'rx-informers';
import { useChanges, type ChangesOptions, useErrors, useList, useStatus } from 'rx-informers/react';
import { serverFaults } from 'rx-informers/testing';
import { uncaughtErrorsOf } from '../informer/support/uncaught.js';
import { errorWith } from '../support/error-with.js';
import { Boundary } from './support/boundary.js';
import { cluster } from './support/cluster.js';
import { expectComplaints } from './support/console-errors.js';
import { open, podOn, podsOf, type Pods } from './support/page.js';

const seen: string[] = [];

const received = (): readonly string[] => seen.splice(0);

const notify = ({ reason, changes }: ChangeSet<Pod>): void => {
  seen.push([`${reason}:`, ...changes.map(({ type, key }) => `${type} ${key}`)].join(' '));
};

interface ListeningProps {
  readonly pods: Pods;
  readonly handler?: (set: ChangeSet<Pod>) => void;
  readonly options?: ChangesOptions<'node'>;
}

describe('useChanges', () => {
  let renders = 0;

  function Listening({ pods, handler = notify, options = {} }: ListeningProps): ReactNode {
    renders++;
    useChanges(pods, (set) => handler(set), options);
    return null;
  }

  beforeEach(() => {
    received();
    renders = 0;
  });

  it('emits the state, then the changes with each frame, and causes no render', async () => {
    const pods = podsOf(podOn('n1', 'a'));
    const page = open(<Listening pods={pods} />);
    expect(received()).toEqual(['initial: added a']);
    pods.add(podOn('n1', 'b'));
    pods.update(podOn('n1', 'b', 'Failed'));
    pods.delete('a');
    expect(received()).toEqual([]);
    await page.pass();
    expect([received(), renders]).toEqual([['watch: added b deleted a'], 1]);
  });

  it('emits changes while the tab was hidden once, when it is shown', async () => {
    const pods = podsOf(podOn('n1', 'a'));
    const page = open(<Listening pods={pods} />);
    page.hide();
    pods.add(podOn('n1', 'b'));
    await page.pass();
    pods.add(podOn('n1', 'c'));
    await page.pass();
    expect(received()).toEqual(['initial: added a']);
    page.reveal();
    await page.pass();
    expect(received()).toEqual(['watch: added b added c']);
  });

  it('emits the changes of one bucket, and starts with the state if the bucket changes', async () => {
    const pods = podsOf(podOn('n1', 'a'), podOn('n2', 'b'));
    const page = open(<Listening pods={pods} options={{ index: ['node', 'n1'] }} />);
    page.show(<Listening pods={pods} options={{ index: ['node', 'n1'] }} />);
    pods.update(podOn('n2', 'b', 'Failed'));
    await page.pass();
    expect(received()).toEqual(['initial: added a']);
    page.show(<Listening pods={pods} options={{ index: ['node', 'n2'] }} />);
    expect(received()).toEqual(['initial: added b']);
  });

  it('calls the handler of the last render, and does not subscribe again for it', async () => {
    const pods = podsOf(podOn('n1', 'a'));
    const page = open(<Listening pods={pods} />);
    page.show(<Listening pods={pods} handler={({ changes }) => seen.push(`later ${changes.length}`)} />);
    pods.add(podOn('n1', 'b'));
    await page.pass();
    expect(received()).toEqual(['initial: added a', 'later 1']);
  });

  it('is silent after it is unmounted', async () => {
    const pods = podsOf();
    const page = open(<Listening pods={pods} />);
    pods.add(podOn('n1', 'a'));
    page.show(null);
    await page.pass();
    expect(received()).toEqual(['initial:']);
  });

  it('continues if a handler throws, and reports the error', async () => {
    const pods = podsOf(podOn('n1', 'a'));
    const handler = (set: ChangeSet<Pod>): void => {
      notify(set);
      throw new Error('handler');
    };
    const errors = uncaughtErrorsOf(() => open(<Listening pods={pods} handler={handler} />));
    expect([received(), errors]).toEqual([['initial: added a'], [new Error('handler')]]);
  });

  it('lists once in StrictMode, though every effect runs twice; lingers, and unsubscribes (G8)', async () => {
    const { scheduler, lists, requests, ...rest } = cluster();
    const all = rest.informer();
    const Counting = (): ReactNode => {
      useChanges(all, notify);
      return null;
    };
    const page = open(<Counting />, { scheduler, isStrict: true, linger: 1000 });
    await page.pass();
    const state = 'initial: added default/a added default/b added default/c';
    expect([received(), lists.count]).toEqual([[state, state], 1]);
    page.show(null);
    await page.pass(900);
    page.show(<Counting />);
    await page.pass(900);
    expect(lists.count).toBe(1);
    page.show(null);
    await page.pass(2000);
    expect([lists.count, requests.open]).toEqual([1, 0]);
  });

  it('does not linger with linger 0', async () => {
    const { scheduler, requests, ...rest } = cluster();
    const all = rest.informer();
    const Counting = (): ReactNode => {
      useChanges(all, notify);
      return null;
    };
    const page = open(<Counting />, { scheduler, linger: 0 });
    page.show(null);
    expect([requests.open, scheduler.timers]).toEqual([0, 0]);
  });

  it('does not restart an informer that was stopped, when it unsubscribes', async () => {
    const { scheduler, requests, ...rest } = cluster();
    const all = rest.informer();
    const Counting = (): ReactNode => {
      useChanges(all, notify);
      return null;
    };
    const page = open(<Counting />, { scheduler });
    all.stop();
    page.show(null);
    expect([all.isRunning, requests.open]).toEqual([false, 0]);
  });

  it('throws RXI_UNKNOWN_INDEX at the error boundary', () => {
    expectComplaints();
    const errors: unknown[] = [];
    open(
      <Boundary errors={errors}>
        <Listening pods={podsOf()} options={{ index: ['nodde' as 'node', 'n1'] }} />
      </Boundary>,
    );
    expect(errors).toEqual([errorWith('RXI_UNKNOWN_INDEX')]);
  });
});

describe('the status of an informer', () => {
  const renders: string[] = [];

  interface OfInformer {
    readonly of: Informer<Pod>;
  }

  function Status({ of }: Partial<OfInformer>): ReactNode {
    const { state } = useStatus(of);
    renders.push(state);
    return state;
  }

  function Count({ of }: OfInformer): ReactNode {
    return `; ${useList(of).length}`;
  }

  beforeEach(() => {
    renders.length = 0;
  });

  describe('useStatus', () => {
    it('shows what the source is doing, beside the data', async () => {
      const { server, scheduler, ...rest } = cluster();
      const all = rest.informer();
      server.faults.next('any', serverFaults.delay(100));
      const page = open([<Status key="1" of={all} />, <Count key="2" of={all} />], { scheduler });
      await page.pass();
      expect(page.text()).toBe('listing; 0');
      await page.pass(100);
      await page.pass();
      expect(page.text()).toBe('watching; 3');
      server.faults.always('any', serverFaults.refuse());
      page.run(() => server.restart());
      await page.pass(5000);
      expect(page.text()).toBe('backing-off; 3');
      server.faults.clear();
      for (let seconds = 0; seconds < 60; seconds++) await page.pass(1000);
      expect(page.text()).toBe('watching; 3');
    });

    it('starts the informer, and releases it after the linger time (G8)', async () => {
      const { server, scheduler, lists, requests, ...rest } = cluster();
      server.faults.next('any', serverFaults.delay(50));
      const page = open(<Status of={rest.informer()} />, { scheduler, isStrict: true });
      await page.pass();
      expect([page.text(), lists.count]).toEqual(['listing', 1]);
      await page.pass(50);
      await page.pass();
      expect([page.text(), requests.open]).toEqual(['watching', 1]);
      page.show(null);
      await page.pass(100);
      expect([lists.count, requests.open, scheduler.timers]).toEqual([1, 0, 0]);
    });

    it('is stopped for an undefined informer', () => {
      expect(open(<Status />).text()).toBe('stopped');
    });

    it('is the same in all components, and is not rendered while the tab is hidden', async () => {
      const { server, scheduler, ...rest } = cluster();
      const all = rest.informer();
      const page = open([<Count key="0" of={all} />, <Status key="1" of={all} />, <Status key="2" of={all} />], {
        scheduler,
      });
      await page.pass();
      renders.length = 0;
      page.hide();
      server.faults.always('any', serverFaults.refuse());
      server.restart();
      await page.pass(5000);
      expect(renders).toEqual([]);
      page.reveal();
      await page.pass();
      expect(renders).toEqual(['backing-off', 'backing-off']);
    });
  });

  describe('useErrors', () => {
    it('passes errors to the handler of the last render as they happen, until it is unmounted', async () => {
      const { server, scheduler, ...rest } = cluster();
      const all = rest.informer();
      const received: string[] = [];
      const Listening = ({ as }: { readonly as: string }): ReactNode => {
        useErrors(all, (error: InformerError) => received.push(`${as}: ${error.code}`));
        return null;
      };
      const page = open([<Count key="1" of={all} />, <Listening key="2" as="first" />], { scheduler, isStrict: true });
      page.show([<Count key="1" of={all} />, <Listening key="2" as="later" />]);
      page.hide();
      server.faults.always('any', serverFaults.refuse());
      server.restart();
      await page.pass(5000);
      expect(new Set(received)).toEqual(new Set(['later: RXI_CONNECTION']));
      page.show([<Count key="1" of={all} />]);
      received.length = 0;
      await page.pass(60_000);
      expect(received).toEqual([]);
    });
  });
});
