import type { Source, Pod } from 'rx-informers';
import type { WatchEvent } from 'rx-informers/store';
import { aPod } from 'rx-informers/testing';
import { takeUntil, timer } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { toBatch } from '../../../src/sources/model/watch-event.js';

export const a = aPod({ name: 'a', node: 'n1' });
export const b = aPod({ name: 'b', node: 'n1' });
export const c = aPod({ name: 'c', node: 'n2' });
export const objects = { a, b, c };

/** Returns an event in short form: `A(a@1)`, `L2(a@1 b@2)`, `B3`, `410`, `X`, `S(watching)`. */
export function spellEvent(event: WatchEvent<Pod>): string {
  switch (event.type) {
    case 'LISTED':
      return `L${event.resourceVersion}(${event.items.map(spellPod).join(' ')})`;
    case 'BOOKMARK':
      return `B${event.resourceVersion}`;
    case 'ERROR':
      return event.error.code === 'RXI_STATUS' ? String(event.error.statusCode) : event.error.code;
    case 'STATUS':
      return `S(${event.status.state})`;
    default:
      return `${event.type.slice(0, 1)}(${spellPod(event.object)})`;
  }
}

/** Returns the emissions of a source in virtual time, one text for each batch: `3: A(a@1) B2`. */
export function record(source: () => Source<Pod>, until = 1000): string[] {
  const seen: string[] = [];
  const scheduler = new TestScheduler(() => {});
  scheduler.run(({ flush }) => {
    const at = (text: string): number => seen.push(`${scheduler.now()}: ${text}`);
    source()
      .pipe(takeUntil(timer(until + 0.5)))
      .subscribe({
        next: (emitted) => at(toBatch(emitted).map(spellEvent).join(' ')),
        error: (error: Error) => at(`# ${error.message}`),
        complete: () => scheduler.now() <= until && at('|'),
      });
    flush();
  });
  return seen;
}

function spellPod({ metadata }: Pod): string {
  const [, primes = ''] = /('*)$/.exec(metadata.uid) ?? [];
  return `${metadata.name}${primes}@${metadata.resourceVersion}`;
}
