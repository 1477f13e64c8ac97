import { Subscription, VirtualTimeScheduler } from 'rxjs';
import { ReferenceCount } from '../../src/scheduling/reference-count.js';

function counting(linger = 0): {
  readonly count: ReferenceCount;
  readonly occurred: string[];
  readonly scheduler: VirtualTimeScheduler;
} {
  const occurred: string[] = [];
  const scheduler = new VirtualTimeScheduler();
  const counted = {
    open: () => void occurred.push(`open ${scheduler.now()}`),
    close: () => void occurred.push(`close ${scheduler.now()}`),
  };
  return { count: new ReferenceCount(counted, linger, scheduler), occurred, scheduler };
}

describe('ReferenceCount', () => {
  it('opens with the first reference and closes with the last', () => {
    const { count, occurred } = counting();
    const [one, two] = [count.retain(), count.retain()];
    one.unsubscribe();
    one.unsubscribe();
    expect(occurred).toEqual(['open 0']);
    two.unsubscribe();
    expect(occurred).toEqual(['open 0', 'close 0']);
  });

  it('lingers, and a reference taken meanwhile keeps it open', () => {
    const { count, occurred, scheduler } = counting(5);
    count.retain().unsubscribe();
    scheduler.schedule(() => count.retain().unsubscribe(), 3);
    scheduler.flush();
    expect(occurred).toEqual(['open 0', 'close 8']);
  });

  it('closes every reference when it is closed, and counts none of them afterwards', () => {
    const { count, occurred } = counting();
    const before = count.retain();
    count.close();
    expect(before.closed).toBe(true);
    const after = count.retain();
    before.unsubscribe();
    expect([occurred, count.isOpen]).toEqual([['open 0', 'close 0', 'open 0'], true]);
    after.unsubscribe();
    expect(count.isOpen).toBe(false);
  });

  it('is released with its holder, even if the holder ends while it is being opened', () => {
    const holder = new Subscription();
    const occurred: string[] = [];
    const count = new ReferenceCount(
      {
        open: () => {
          holder.unsubscribe();
          occurred.push('opened');
        },
        close: () => void occurred.push('close'),
      },
      0,
      new VirtualTimeScheduler(),
    );
    count.retain(holder);
    expect([occurred, count.isOpen]).toEqual([['close', 'opened'], false]);
  });

  it.each([0, 5])('does not open for a holder that is closed already, with a linger of %i', (linger) => {
    const { count, occurred, scheduler } = counting(linger);
    const reference = count.retain(Subscription.EMPTY);
    scheduler.flush();
    expect([occurred, reference.closed, count.isOpen, count.isInUse]).toEqual([[], true, false, false]);
  });

  it('lingers no longer if it is used by a holder that is closed already', () => {
    const { count, occurred, scheduler } = counting(5);
    count.retain().unsubscribe();
    scheduler.schedule(() => count.retain(Subscription.EMPTY), 3);
    scheduler.flush();
    expect(occurred).toEqual(['open 0', 'close 5']);
  });

  it('closing a closed reference does nothing', () => {
    const { count, occurred } = counting();
    count.close();
    expect(occurred).toEqual([]);
  });
});
