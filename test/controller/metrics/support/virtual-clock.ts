import { VirtualTimeScheduler } from 'rxjs';

/** A scheduler whose time passes when the test says so: collecting metrics is asynchronous, so a TestScheduler would not do. */
export function virtualClock(): { readonly scheduler: VirtualTimeScheduler; advance(by: number): void } {
  const scheduler = new VirtualTimeScheduler(undefined, 0);
  return {
    scheduler,
    advance(by) {
      scheduler.maxFrames = scheduler.frame + by;
      scheduler.flush();
      scheduler.frame = scheduler.maxFrames;
    },
  };
}
