import fc from 'fast-check';
import { takeUntil, timer } from 'rxjs';
import { listWatch } from 'rx-informers';
import { added, pods, type Pod } from './support/pod.js';
import { list } from './support/run-list-watch.js';
import { respond, scriptedClient } from './support/scripted-client.js';
import { inVirtualTime } from './support/timeline.js';

describe('G4: failures of a transform', () => {
  it('are all reported, however many events of one read of the watch fail', () => {
    const read = fc.array(fc.boolean(), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.array(read, { minLength: 1, maxLength: 4 }), (reads) => {
        let thrown = 0;
        let reported = 0;
        const transform = (pod: Pod): Pod => {
          if (!pod.metadata?.name?.startsWith('bad')) return pod;
          thrown += 1;
          throw new Error('a bug of the caller');
        };
        const watches = reads.map((events, at) =>
          respond([
            [1, events.map((isBad, n) => added(`${isBad ? 'bad' : 'good'}-${n}@${20 + 10 * at + n}`)).join('')],
          ]),
        );
        inVirtualTime(({ flush }) => {
          const answers = watches.flatMap((watch) => [list('10'), watch]);
          listWatch(scriptedClient(answers), pods, { initialList: 'pages', transform, random: () => 0 })
            .pipe(takeUntil(timer(200_000)))
            .subscribe((batch) => {
              for (const event of batch)
                if (event.type === 'ERROR' && event.error.name === 'TransformError') reported += 1;
            });
          flush();
        });
        expect(reported).toBe(thrown);
      }),
      { numRuns: 50 },
    );
  });
});
