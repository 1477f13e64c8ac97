import {
  createContext,
  createElement,
  useContext,
  useMemo,
  useRef,
  type ReactElement,
  type ReactNode,
  type RefObject,
} from 'react';
import type { Collection } from '../collections/collection.js';
import type { InformerRegistry } from '../informer/informer-registry.js';
import { FrameProbe, paceOf, useBeforePaint, type CheckedPace, type PaceOptions } from './pace.js';

/** Omitted properties are inherited from the surrounding provider. */
export interface InformersProviderProps extends PaceOptions {
  /** The registry of `useInformer`; never stopped: informers run while they are used. */
  readonly registry?: InformerRegistry | undefined;
  readonly children?: ReactNode | undefined;
}

/**
 * Provides one registry to all components inside the provider, so that they share one informer for
 * each resource. The provider also sets how often these components render.
 *
 * Without a provider, hooks work with the defaults; only `useInformer` needs a registry.
 *
 * **Guarantees**: rendering the provider again with the same properties does not render the
 * components that use it. Providers can be nested. **Does not guarantee**: that the shown values
 * survive a change of the properties. After such a change, hooks start again with the content of
 * the informers. **Errors**: A `linger` that is too long for a timer throws `RXI_INVALID_OPTION`.
 *
 * @param props the registry or its client, the pace, and the children
 * @returns the children
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
    atMost = outer.options.atMost,
    linger = outer.options.linger,
    paused$ = outer.options.paused$,
    frameScheduler = outer.options.frameScheduler,
    scheduler = outer.options.scheduler,
    children,
  } = props;
  const value = useMemo((): InformersContextValue => {
    const options = { atMost, linger, paused$, frameScheduler, scheduler };
    return { registry, options, pace: paceOf(options) };
  }, [registry, atMost, linger, paused$, frameScheduler, scheduler]);
  // `FrameProbe` comes before the children, because an effect of a child may already request a
  // frame.
  return createElement(
    InformersContext.Provider,
    { value },
    createElement(FrameProbe, { frames: value.pace.frames }),
    children,
  );
}

/** The settings of an `InformersProvider` for the components inside it. */
export interface InformersContextValue {
  readonly registry: InformerRegistry | undefined;
  readonly options: PaceOptions;
  readonly pace: CheckedPace;
}

export const InformersContext = createContext<InformersContextValue>({
  registry: undefined,
  options: {},
  pace: paceOf({}),
});

/** Returns the pace of the surrounding provider. */
export function usePace(): CheckedPace {
  return useContext(InformersContext).pace;
}

/** Creates one value for each collection and pace, cached while both exist. */
export function onceForEach<V>(
  make: (collection: Collection<unknown>, pace: CheckedPace) => V,
): (collection: object, pace: CheckedPace) => V {
  const made = new WeakMap<CheckedPace, WeakMap<object, V>>();
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

/** Returns a reference to the value of the last committed render, for callbacks. */
export function useLatest<V>(value: V): Readonly<RefObject<V>> {
  const latest = useRef(value);
  useBeforePaint(() => {
    latest.current = value;
  });
  return latest;
}
