import { SlicedTasks } from '../../src/scheduling/sliced-tasks.js';
import type { Slices } from '../../src/scheduling/slices.js';
import { busyScheduler } from '../informer/support/busy-scheduler.js';

/** A task with a number of steps that records when it computes and when it is done. */
function task(
  name: string,
  steps: number,
  written: string[],
  act: () => void = () => undefined,
): () => Slices<() => void> {
  return function* () {
    for (let step = 1; step < steps; step++) {
      written.push(name);
      yield;
    }
    return () => {
      written.push(`${name} done`);
      act();
    };
  };
}

const rethrow = (error: unknown): never => {
  throw error;
};

describe('SlicedTasks', () => {
  it('has finished a short task when run returns', () => {
    const written: string[] = [];
    const tasks = new SlicedTasks(busyScheduler(), rethrow);
    tasks.run(task('a', 1, written));
    expect(written).toEqual(['a done']);
  });

  it('interrupts a long task, and continues in its next turn', () => {
    const scheduler = busyScheduler();
    const written: string[] = [];
    new SlicedTasks(scheduler, rethrow).run(task('a', 20, written));
    expect(written.length).toBeGreaterThan(1);
    expect(written.length).toBeLessThan(19);
    expect(scheduler.pending).toBe(1);
    scheduler.runAll();
    expect(written).toEqual([...Array<string>(19).fill('a'), 'a done']);
  });

  it('keeps the order of tasks that arrive during a long task', () => {
    const scheduler = busyScheduler();
    const written: string[] = [];
    const tasks = new SlicedTasks(scheduler, rethrow);
    tasks.run(task('a', 20, written));
    tasks.run(task('b', 1, written));
    tasks.inTurn(() => written.push('c done'));
    tasks.run(task('d', 20, written));
    expect(written).not.toContain('b done');
    scheduler.runAll();
    expect(written.filter((line) => line.endsWith('done'))).toEqual(['a done', 'b done', 'c done', 'd done']);
  });

  it('runs tasks at once that the end of a task causes, unless others wait', () => {
    const scheduler = busyScheduler();
    const written: string[] = [];
    const tasks = new SlicedTasks(scheduler, rethrow);
    tasks.run(
      task('a', 1, written, () => {
        tasks.run(task('caused', 1, written));
        written.push('a ends');
      }),
    );
    expect(written).toEqual(['a done', 'caused done', 'a ends']);
    written.length = 0;
    tasks.run(
      task('long', 20, written, () => {
        tasks.run(task('caused', 1, written));
        written.push('long ends');
      }),
    );
    tasks.run(task('waiting', 1, written));
    scheduler.runAll();
    expect(written.slice(-4)).toEqual(['long done', 'long ends', 'waiting done', 'caused done']);
  });

  it('continues with a long task that the end of another one started', () => {
    const scheduler = busyScheduler();
    const written: string[] = [];
    const tasks = new SlicedTasks(scheduler, rethrow);
    tasks.run(
      task('a', 1, written, () => {
        tasks.run(task('long', 20, written));
        tasks.run(task('c', 1, written));
      }),
    );
    expect(scheduler.pending).toBe(1);
    scheduler.runAll();
    expect(written.filter((line) => line.endsWith('done'))).toEqual(['a done', 'long done', 'c done']);
  });

  it('finishes all tasks at once on request', () => {
    const scheduler = busyScheduler();
    const written: string[] = [];
    const tasks = new SlicedTasks(scheduler, rethrow);
    tasks.finish();
    tasks.run(task('a', 20, written));
    tasks.run(task('b', 20, written));
    tasks.finish();
    expect(written.filter((line) => line.endsWith('done'))).toEqual(['a done', 'b done']);
    expect(scheduler.pending).toBe(0);
  });

  it('G8: forgets everything when cleared, and can be used again', () => {
    const scheduler = busyScheduler();
    const written: string[] = [];
    const tasks = new SlicedTasks(scheduler, rethrow);
    tasks.run(task('a', 20, written));
    tasks.run(task('b', 1, written));
    tasks.clear();
    expect(scheduler.pending).toBe(0);
    tasks.run(task('c', 1, written));
    expect(written.filter((line) => line.endsWith('done'))).toEqual(['c done']);
  });

  it.each(['computing', 'acting'])('reports an error of a task during %s, and continues with the next one', (when) => {
    const scheduler = busyScheduler();
    const written: string[] = [];
    const tasks = new SlicedTasks(scheduler, (error) => written.push((error as Error).message));
    const fail = (): never => {
      throw new Error('broken');
    };
    tasks.run(function* () {
      for (let step = 0; step < 20; step++) yield;
      return when === 'computing' ? fail() : fail;
    });
    tasks.run(task('b', 1, written));
    tasks.inTurn(fail);
    scheduler.runAll();
    tasks.run(task('c', 1, written));
    tasks.inTurn(fail);
    expect(written).toEqual(['broken', 'b done', 'broken', 'c done', 'broken']);
  });

  it('drops a task that is cleared by its own computation', () => {
    const written: string[] = [];
    const tasks = new SlicedTasks(busyScheduler(), rethrow);
    tasks.run(function* () {
      tasks.clear();
      tasks.run(task('next', 1, written));
      yield;
      return () => written.push('not reached');
    });
    expect(written).toEqual(['next done']);
  });

  it.each([
    ['its first step', 1],
    ['its last step', 3],
  ])('stops computing if a task is cleared by its own computation in %s', (_name, at) => {
    const written: string[] = [];
    const scheduler = busyScheduler();
    const tasks = new SlicedTasks(scheduler, rethrow);
    tasks.run(function* () {
      for (let step = 1; step <= 3; step++) {
        written.push(`step ${step}`);
        if (step === at) tasks.clear();
        if (step < 3) yield;
      }
      return () => written.push('done');
    });
    tasks.finish();
    expect(written).toEqual(['step 1', 'step 2', 'step 3'].slice(0, at));
    tasks.run(task('b', 1, written));
    expect(written.at(-1)).toBe('b done');
    expect(scheduler.pending).toBe(0);
  });

  it('throws if a task is finished from within its own computation', () => {
    const finished: boolean[] = [];
    const tasks = new SlicedTasks(busyScheduler(), rethrow);
    tasks.run(function* () {
      finished.push(tasks.finish());
      yield;
      return () => finished.push(tasks.finish());
    });
    expect(finished).toEqual([false, true]);
  });
});
