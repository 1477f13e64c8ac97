import { Subscription, type SchedulerLike } from 'rxjs';
import { Alarm } from './clock.js';
import { inOrder } from './sliced-tasks.js';

/** The next state, and the effects to carry out in the order given. */
export interface Step<State, Effect> {
  readonly state: State;
  readonly effects: readonly Effect[];
}

/** The time at which a protocol continues by itself, and the input that it then receives. */
interface AlarmInput<Input> {
  /** The time in milliseconds of the scheduler; `Infinity` means never. */
  readonly at: number;
  readonly input: Input;
}

/** A protocol: a pure `step` that decides, and a `carryOut` that acts. */
export interface Protocol<State, Input, Effect> {
  readonly initial: State;
  /**
   * Returns the next state and the effects to carry out. It is called when the input is processed,
   * so this is the place to add the time and random numbers to the input.
   */
  readonly step: (state: State, input: Input) => Step<State, Effect>;
  /** Carries out one effect. The run is already in the next state. */
  readonly carryOut: (effect: Effect) => void;
  /** Receives errors of `step` and `carryOut`; by default, `feed` throws the first at its end. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Returns the time at which a state continues by itself, and the input. Default: never. */
  readonly alarm?: ((state: State) => AlarmInput<Input> | undefined) | undefined;
  /** The clock of the alarm, from `steady`. */
  readonly scheduler: SchedulerLike;
  /** The milliseconds after which the timer reads the clock again. Default `Infinity`. */
  readonly heartbeat?: number | undefined;
  /**
   * If true, an input that is fed during an effect is processed at once, before the remaining
   * effects. Use it if the caller of `feed` reads the result immediately. Default false.
   */
  readonly isNested?: boolean | undefined;
}

/** A running protocol. Unsubscribing stops its timer, and ignores further inputs. */
export interface ProtocolRun<State, Input> extends Subscription {
  readonly state: State;
  /** Feeds an input. It may be called at any time, also while effects are carried out. */
  readonly feed: (input: Input) => void;
}

/**
 * Runs a protocol until it is unsubscribed. An input that is fed during effects waits for these.
 * After each round of inputs, the one timer is set to the `alarm` of the state.
 *
 * **Guarantees**: effects are carried out in the order of the steps. If one throws, the others of
 * its step are skipped, and the next input is processed. After `unsubscribe`, nothing happens.
 *
 * @returns the run; before the first `feed`, add it to the subscription that should end it
 */
export function runProtocol<State, Input, Effect>(protocol: Protocol<State, Input, Effect>): ProtocolRun<State, Input> {
  return new Run(protocol);
}

class Run<State, Input, Effect> extends Subscription implements ProtocolRun<State, Input> {
  #state: State;
  #isBusy = false;
  readonly #takeInOrder = inOrder<Input>((input) => {
    if (!this.closed) this.#take(input);
  });
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
    if (this.closed) return;
    const isNested = this.#isBusy;
    this.#isBusy = true;
    if (isNested && this.protocol.isNested) this.#take(input);
    else this.#takeInOrder(input);
    if (isNested) return;
    this.#isBusy = false;
    this.#setAlarm();
    if (this.#failures.length > 0) throw this.#failures.splice(0)[0];
  };

  #take(input: Input): void {
    try {
      const { state, effects } = this.protocol.step(this.#state, input);
      this.#state = state;
      for (const effect of effects) {
        if (this.closed) return;
        this.protocol.carryOut(effect);
      }
    } catch (error) {
      this.#failed(error);
    }
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
    // The alarm is set again when the round ends: the state may be different then.
    if (this.#isBusy) return;
    const due = this.protocol.alarm?.(this.#state);
    if (due) this.feed(due.input);
  }

  #failed(error: unknown): void {
    if (this.protocol.onError) this.protocol.onError(error);
    else this.#failures.push(error);
  }
}
