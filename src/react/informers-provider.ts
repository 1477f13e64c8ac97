import {
  createElement,
  useContext,
  useMemo,
  type ReactElement,
  type ReactNode,
  createContext,
  useEffect,
  useLayoutEffect,
  useRef,
  type RefObject,
} from 'react';
import type { InformerRegistry } from '../informer/informer-registry.js';
import {
  ReplaySubject,
  share,
  type Observable,
  type SchedulerLike,
  filter,
  repeat,
  type MonoTypeOperatorFunction,
  timer,
  type Subscription,
} from 'rxjs';
import { steady, checkedDuration } from '../time/clock.js';
import type { Collection } from '../informer/collection.js';
import { conflateChanges } from '../operators/conflate-changes.js';
import type { ChangeSet } from '../store/change.js';
import { coalesceFrames, frame } from '../views/frames.js';
import { pauseChangesWhile, pauseWhile, tabHidden$ } from '../views/pause-while.js';

/** What `InformersProvider` takes; what is left out, it takes over from the provider around it. */
export interface InformersProviderProps extends PaceOptions {
  /** Where `useInformer` asks. It is not stopped by the provider: what runs in it runs for as long as somebody uses it. */
  readonly registry?: InformerRegistry | undefined;
  readonly children?: ReactNode | undefined;
}

/**
 * Gives all components in it one registry, and so one informer for each resource, and says how fast they are drawn.
 *
 * Hooks work without it, with the defaults; only `useInformer` needs a registry.
 *
 * **Guarantees**: rendered again with the same properties, it renders none of those who use it. Providers can be nested.
 * **Does not guarantee**: that what is shown survives other properties than before: hooks then begin anew, with what the informers have.
 * **Errors**: `RangeError` for a `linger` that no timer can wait.
 *
 * @example
 * import { createElement } from 'react';
 *
 * const registry = informerRegistry(client);
 * const page = createElement(InformersProvider, { registry }, createElement('main'));
 */
export function InformersProvider(props: InformersProviderProps): ReactElement {
  const outer = useContext(InformersContext);
  const {
    registry = outer.registry,
    linger = outer.options.linger,
    paused$ = outer.options.paused$,
    frameScheduler = outer.options.frameScheduler,
    scheduler = outer.options.scheduler,
    children,
  } = props;
  const value = useMemo((): InformersContextValue => {
    const options = { linger, paused$, frameScheduler, scheduler };
    return { registry, options, pace: paceOf(options) };
  }, [registry, linger, paused$, frameScheduler, scheduler]);
  return createElement(InformersContext.Provider, { value }, children);
}

/** What an `InformersProvider` says to the components in it. */
export interface InformersContextValue {
  readonly registry: InformerRegistry | undefined;
  readonly options: PaceOptions;
  readonly pace: Pace;
}

export const InformersContext = createContext<InformersContextValue>({
  registry: undefined,
  options: {},
  pace: paceOf({}),
});

export function usePace(): Pace {
  return useContext(InformersContext).pace;
}

/** When components hear of what has changed, and for how long what they left is kept. */
export interface PaceOptions {
  /**
   * For how many milliseconds the stream of a hook stays subscribed after the last component that
   * used it has gone. Default 5000: long enough to go to another page and back. The informer stays
   * connected for its own `linger` (default 1 s) after that. At most 2^31 - 1.
   */
  readonly linger?: number | undefined;
  /** While this says `true` nothing is drawn, and everything at once afterwards. Default `tabHidden$()`; `of(false)` draws in hidden tabs as well. */
  readonly paused$?: Observable<boolean> | undefined;
  /** What gives the frames that changes are drawn with; as for `frame`. */
  readonly frameScheduler?: SchedulerLike | undefined;
  /** The clock of lingering (default `asyncScheduler`); a test gives its own. */
  readonly scheduler?: SchedulerLike | undefined;
}

/** `PaceOptions` with nothing left open. What hooks share is shared by those of one pace. */
export interface Pace {
  readonly linger: number;
  readonly scheduler: SchedulerLike;
  /** For values of which the latest counts. */
  readonly latest: <V>(value$: Observable<V>) => Observable<V>;
  /** For change sets, which are added up. */
  readonly changes: <T>(set$: Observable<ChangeSet<T>>) => Observable<ChangeSet<T>>;
}

/** Throws `RangeError` for a `linger` that no timer can wait. */
export function paceOf(options: PaceOptions): Pace {
  const { linger = 5000, paused$ = tabHidden$(), frameScheduler } = options;
  // A page of ten thousand rows listens to its document once.
  const shared$ = paused$.pipe(share({ connector: () => new ReplaySubject<boolean>(1) }));
  return {
    linger: checkedDuration('linger', linger),
    scheduler: steady(options.scheduler),
    latest: (value$) => value$.pipe(pauseWhile(shared$), coalesceFrames(frameScheduler)),
    changes: (set$) =>
      set$.pipe(pauseChangesWhile(shared$), conflateChanges({ release: frame(frameScheduler), leading: true })),
  };
}

/** Something for each collection and pace, made when it is first asked for, and forgotten with them. */
export function onceForEach<V>(
  make: (collection: Collection<unknown>, pace: Pace) => V,
): (collection: object, pace: Pace) => V {
  const made = new WeakMap<Pace, WeakMap<object, V>>();
  return (collection, pace) => {
    const ofPace = made.get(pace) ?? new WeakMap<object, V>();
    made.set(pace, ofPace);
    const known = ofPace.get(collection);
    if (known !== undefined) return known;
    const value = make(collection as Collection<unknown>, pace);
    ofPace.set(collection, value);
    return value;
  };
}

/**
 * Subscribes again when an informer that was stopped is started again. Its streams complete when it
 * stops, so a mounted component would otherwise keep its last value (G6). Starts nothing itself.
 */
export function throughRestarts<V>({ status$ }: Pick<Collection<unknown>, 'status$'>): MonoTypeOperatorFunction<V> {
  return repeat({ delay: () => status$.pipe(filter(({ state }) => state !== 'stopped')) });
}

/** A query that keeps an informer running, and is asked nothing: no object has this key. */
const NO_KEY = '';

/** Keeps a collection connected for so many milliseconds. */
export function keepConnected(collection: Collection<unknown>, milliseconds: number, scheduler: SchedulerLike): void {
  const connection: Subscription = collection.get$(NO_KEY).subscribe();
  timer(milliseconds, scheduler).subscribe(() => {
    connection.unsubscribe();
  });
}

/** For what must be done before the browser paints; on a server, where nothing is painted, React 18 warns of layout effects. */
export const useBeforePaint = typeof document === 'undefined' ? useEffect : useLayoutEffect;

/** The value of the last render that was kept, for callbacks. */
export function useLatest<V>(value: V): Readonly<RefObject<V>> {
  const latest = useRef(value);
  useBeforePaint(() => {
    latest.current = value;
  });
  return latest;
}
