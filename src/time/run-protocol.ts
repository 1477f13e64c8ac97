import { Subscription, type SchedulerLike } from 'rxjs';
import { Alarm } from './clock.js';

/** The next state, and the effects to carry out in the order given. */
export interface Step<State, Effect> {
  readonly state: State;
  readonly effects: readonly Effect[];
}

/** When a protocol continues by itself, and the input that it then receives. */
export interface AlarmInput<Input> {
  /** Milliseconds of the scheduler; `Infinity` for never. */
  readonly at: number;
  readonly input: Input;
}

/** A protocol: a pure `step` that decides, and a `carryOut` that acts. */
export interface Protocol<State, Input, Effect> {
  readonly initial: State;
  /**
   * Returns the next state and the effects to carry out. Called when it is the input's turn, which is
   * the moment to add the time and random numbers to the input.
   */
  readonly step: (state: State, input: Input) => Step<State, Effect>;
  /** Carries out one effect. The state is the next one already. */
  readonly carryOut: (effect: Effect) => void;
  /** Receives what `step` and `carryOut` throw. Default: `feed` throws the first error when the queue is empty. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Returns the moment at which a state continues by itself. Default: it never does. */
  readonly alarm?: ((state: State) => AlarmInput<Input> | undefined) | undefined;
  /** The clock of the alarm, a `steady` one. */
  readonly scheduler: SchedulerLike;
  /** The longest time in milliseconds that the timer waits before it looks at the clock again. Default `Infinity`. */
  readonly heartbeat?: number | undefined;
  /**
   * Processes an input that is fed while an effect is carried out within that effect, instead of after
   * all effects before it. For effects whose caller reads the result at once. Default false.
   */
  readonly isNested?: boolean | undefined;
}

/** A running protocol. Unsubscribing stops its timer, and ignores all further inputs and effects. */
export interface ProtocolRun<State, Input> extends Subscription {
  readonly state: State;
  /** Feeds an input. It may be called at any time, also while effects are carried out. */
  readonly feed: (input: Input) => void;
}

/**
 * Runs a protocol until it is unsubscribed.
 *
 * An input that is fed while effects are carried out waits until those are done. There is one timer,
 * set after each round of inputs to the moment that `alarm` returns for the state. If the moment moves
 * while the timer rings, the input is fed at the new moment.
 *
 * **Guarantees**: effects are carried out in the order of the steps. If an effect throws, the other
 * effects of its step are skipped, and the next input is processed as always. After `unsubscribe`, no
 * step is made, no effect is carried out, and no timer is left.
 *
 * @returns the run; add it to the subscription that it belongs to before the first `feed`
 */
export function runProtocol<State, Input, Effect>(protocol: Protocol<State, Input, Effect>): ProtocolRun<State, Input> {
  return new Run(protocol);
}

class Run<State, Input, Effect> extends Subscription implements ProtocolRun<State, Input> {
  #state: State;
  #isBusy = false;
  readonly #waiting: Input[] = [];
  readonly #failures: unknown[] = [];
  readonly #alarm: Alarm | undefined;

  constructor(private readonly protocol: Protocol<State, Input, Effect>) {
    super();
    const { initial, alarm, scheduler, heartbeat = Infinity } = protocol;
    this.#state = initial;
    if (!alarm) return;
    this.#alarm = new Alarm(() => this.#ring(), scheduler, heartbeat);
    this.#alarm.set(alarm(initial)?.at);
    this.add(() => this.#alarm?.set());
  }

  get state(): State {
    return this.#state;
  }

  readonly feed = (input: Input): void => {
    if (this.#isBusy) {
      if (this.protocol.isNested) this.#take(input);
      else this.#waiting.push(input);
      return;
    }
    this.#isBusy = true;
    this.#take(input);
    while (this.#waiting.length > 0) this.#take(this.#waiting.shift() as Input);
    this.#isBusy = false;
    this.#setAlarm();
    if (this.#failures.length > 0) throw this.#failures.splice(0)[0];
  };

  #take(input: Input): void {
    if (this.closed) return;
    try {
      const { state, effects } = this.protocol.step(this.#state, input);
      this.#state = state;
      for (const effect of effects) this.#carryOut(effect);
    } catch (error) {
      this.#failed(error);
    }
  }

  #carryOut(effect: Effect): void {
    if (!this.closed) this.protocol.carryOut(effect);
  }

  #setAlarm(): void {
    if (this.closed || !this.#alarm) return;
    try {
      this.#alarm.set(this.protocol.alarm?.(this.#state)?.at);
    } catch (error) {
      this.#failed(error);
    }
  }

  #ring(): void {
    // In the middle of a round, the alarm is set again at its end: the state may be another one then.
    if (this.#isBusy) return;
    const due = this.protocol.alarm?.(this.#state);
    if (due) this.feed(due.input);
  }

  #failed(error: unknown): void {
    if (this.protocol.onError) this.protocol.onError(error);
    else this.#failures.push(error);
  }
}
