import { informerTest } from 'rx-informers/testing';
import { asyncScheduler, type SchedulerAction, type SchedulerLike, type Subscription } from 'rxjs';
import { UpstreamLiveness, type OpenStream } from '../../server/upstream-liveness.js';

interface Scene {
  readonly liveness: UpstreamLiveness;
  /** Holds a stream that has received its headers; returns what releases it. */
  hold(stream?: Partial<OpenStream>): () => void;
  /** Acts at a time. */
  at(time: number, act: () => void): void;
  /** The API server stops responding, or responds again. */
  isSilent: boolean;
  /** Time that passes while nothing runs. */
  asleep: number;
}

/** The events until `until`: heartbeats, probes, and aborted streams. */
function play(until: number, act: (scene: Scene) => void): readonly string[] {
  const seen: string[] = [];
  informerTest(
    ({ flush }) => {
      const say = (what: string): void => void seen.push(`${asyncScheduler.now()}: ${what}`);
      const scheduler = new SleepyClock(() => scene.asleep);
      const liveness = new UpstreamLiveness({
        scheduler,
        probe: () => {
          say('probe');
          if (!scene.isSilent) liveness.received();
        },
        giveUp: (reason) => {
          say(reason);
        },
      });
      const scene: Scene = {
        liveness,
        isSilent: false,
        asleep: 0,
        hold(partial = {}) {
          const stream = {
            lastAt: scheduler.now(),
            localAddress: undefined,
            beat: () => {
              stream.lastAt = scheduler.now();
              say('beat');
            },
            breakOff: () => {
              say('broken off');
              release();
            },
            ...partial,
          };
          const release = liveness.hold(stream);
          return release;
        },
        at: (time, then) => asyncScheduler.schedule(then, time),
      };
      act(scene);
      asyncScheduler.schedule(() => {
        throw stop;
      }, until);
      try {
        flush();
      } catch (error) {
        if (error !== stop) throw error;
      }
    },
    { until },
  );
  return seen;
}

const stop = new Error('the end of the test');

class SleepyClock implements SchedulerLike {
  constructor(private readonly asleep: () => number) {}

  now(): number {
    return asyncScheduler.now() + this.asleep();
  }

  schedule<T>(work: (this: SchedulerAction<T>, state?: T) => void, delay?: number, state?: T): Subscription {
    return asyncScheduler.schedule<T>(work, delay, state);
  }
}

describe('a silent API server', () => {
  it('is probed after four seconds, and every stream sends a heartbeat every five while it responds', () => {
    expect(play(11_500, ({ hold }) => hold())).toEqual(['4000: probe', '5000: beat', '8000: probe', '10000: beat']);
  });

  it('is not probed while any stream delivers data', () => {
    const seen = play(21_500, ({ liveness, hold, at }) => {
      hold();
      for (let time = 500; time < 21_500; time += 1_000)
        at(time, () => {
          liveness.received();
        });
    });
    expect(seen).toEqual(['5000: beat', '10000: beat', '15000: beat', '20000: beat']);
  });

  it('D3: is given up after ten seconds, and no heartbeat is sent from the sixth second on', () => {
    const seen = play(12_500, (scene) => {
      scene.isSilent = true;
      scene.hold();
      scene.hold({ lastAt: 3_000 });
    });
    expect(seen).toEqual([
      '4000: probe',
      '5000: beat',
      '8000: probe',
      '10000: the API server has sent nothing for 10 s',
      '10000: broken off',
      '10000: broken off',
    ]);
  });

  it('does not end a watch without headers, which is answered with a 502', () => {
    const seen = play(10_500, (scene) => {
      scene.isSilent = true;
      scene.hold({ lastAt: undefined });
    });
    expect(seen).toEqual(['4000: probe', '8000: probe', '10000: the API server has sent nothing for 10 s']);
  });

  it('D3: is given up at once after the machine slept, regardless of the state of its connections', () => {
    const seen = play(4_500, (scene) => {
      scene.hold();
      scene.at(2_500, () => (scene.asleep = 60_000));
    });
    expect(seen).toEqual(['3000: this machine or this process was suspended', '3000: broken off']);
  });

  it('ends streams that were opened from an address which this machine no longer has', () => {
    const seen = play(5_500, ({ hold }) => {
      hold({ localAddress: '203.0.113.7' });
      hold({ localAddress: '::ffff:127.0.0.1' });
    });
    expect(seen).toEqual(['4000: probe', '5000: broken off', '5000: beat']);
  });

  it('G8: needs no timer while nothing is watched', () => {
    const seen = play(30_000, ({ hold, at }) => {
      const release = hold();
      at(1_500, () => {
        release();
      });
    });
    expect(seen).toEqual([]);
  });
});
