import { VirtualAction, VirtualTimeScheduler } from 'rxjs';

/** Time that passes only when a test says so. */
export interface VirtualClock {
  readonly scheduler: VirtualTimeScheduler;
  /** How many timers are set. */
  readonly timers: number;
  advance(milliseconds: number): void;
}

export function virtualClock(): VirtualClock {
  const scheduler = new VirtualTimeScheduler(VirtualAction, 0);
  return {
    scheduler,
    get timers() {
      return scheduler.actions.length;
    },
    advance(milliseconds) {
      scheduler.maxFrames = scheduler.frame + milliseconds;
      scheduler.schedule(() => undefined, milliseconds);
      scheduler.flush();
    },
  };
}
