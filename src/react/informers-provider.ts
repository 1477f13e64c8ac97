import { createElement, useContext, useMemo, type ReactElement, type ReactNode } from 'react';
import type { InformerRegistry } from '../informer/informer-registry.js';
import { InformersContext, type InformersContextValue } from './informers-context.js';
import { paceOf, type PaceOptions } from './pace.js';

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
