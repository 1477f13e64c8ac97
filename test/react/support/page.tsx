import { act, render, type RenderResult } from '@testing-library/react';
import { StrictMode, type ReactNode } from 'react';
import { BehaviorSubject } from 'rxjs';
import { createIndexer, indexByNode, informerRegistry, type KubeClient, type Pod } from 'rx-informers';
import { InformersProvider } from 'rx-informers/react';
import { aPod, virtualClock, type VirtualClock } from 'rx-informers/testing';

/** A page whose frames, clock and visibility a test has in its hand. */
export interface Page extends RenderResult {
  /** Everything that is shown, as text. */
  text(): string;
  /** Shows something else in the same page. */
  show(content: ReactNode): void;
  /** Does something, and lets React finish; no frame is drawn for it. */
  run(work: () => void): void;
  /** The same, and the time passes that a frame takes, or as many milliseconds as are said. */
  pass(milliseconds?: number): Promise<void>;
  hide(): void;
  reveal(): void;
  readonly scheduler: VirtualClock;
}

export interface PageOptions {
  readonly client?: KubeClient | undefined;
  readonly linger?: number | undefined;
  readonly isStrict?: boolean;
  readonly scheduler?: VirtualClock;
  readonly isHidden?: boolean;
}

/** Draws `content` with a provider around it. */
export function open(content: ReactNode, options: PageOptions = {}): Page {
  const { client, linger = 100, isStrict = false, scheduler = virtualClock(), isHidden = false } = options;
  const registry = client && informerRegistry(client);
  const paused$ = new BehaviorSubject(isHidden);
  const around = (inner: ReactNode): ReactNode => {
    const provided = (
      <InformersProvider
        registry={registry}
        linger={linger}
        paused$={paused$}
        frameScheduler={scheduler}
        scheduler={scheduler}
      >
        {inner}
      </InformersProvider>
    );
    return isStrict ? <StrictMode>{provided}</StrictMode> : provided;
  };
  const run = (work: () => void): void => {
    act(work);
  };
  const result = render(around(content));
  return Object.assign(result, {
    text: () => result.container.textContent,
    show(next: ReactNode) {
      result.rerender(around(next));
    },
    run,
    async pass(milliseconds = 16) {
      await act(async () => {
        scheduler.advance(milliseconds);
      });
    },
    hide() {
      run(() => {
        paused$.next(true);
      });
    },
    reveal() {
      run(() => {
        paused$.next(false);
      });
    },
    scheduler,
  });
}

export type Pods = ReturnType<typeof podsOf>;

/** Pods without a cluster, that know on which node they run. */
export function podsOf(...pods: readonly Pod[]) {
  const indexer = noPods();
  indexer.replace(pods);
  return indexer;
}

/** The same, of which nothing is known yet. */
export function noPods() {
  return createIndexer(({ metadata }: Pod) => metadata.name, { node: indexByNode });
}

let resourceVersion = 0;

/** Each time another version of the pod. */
export function podOn(node: string, name: string, phase: 'Running' | 'Pending' | 'Failed' = 'Running'): Pod {
  return aPod({ name, node, phase, resourceVersion: ++resourceVersion });
}

export function namesOf(pods: readonly Pod[]): string {
  return pods.map(({ metadata }) => metadata.name).join(' ');
}
