import { act, configure, render, type RenderResult } from '@testing-library/react';
import { StrictMode, type ReactNode } from 'react';
import { createIndexer, indexByNode, informerRegistry, type KubeClient, type Pod } from 'rx-informers';
import { InformersProvider } from 'rx-informers/react';
import { aPod, virtualClock, type VirtualClock } from 'rx-informers/testing';
import { BehaviorSubject } from 'rxjs';

// The default, 1 s, is too short to load a part of a page on a busy machine.
configure({ asyncUtilTimeout: 20_000 });

/** A page whose frames, clock and visibility a test controls. */
export interface Page extends RenderResult {
  /** Returns the visible text. */
  text(): string;
  /** Renders other content in the same page. */
  show(content: ReactNode): void;
  /** Runs an action and lets React finish. No frame is drawn. */
  run(work: () => void): void;
  /** Passes the time of a frame, or the given number of milliseconds, and lets React finish. */
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

/** Renders `content` inside a provider. */
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

/** Returns an indexer with these pods, indexed by node. There is no cluster. */
export function podsOf(...pods: readonly Pod[]) {
  const indexer = noPods();
  indexer.replace(pods);
  return indexer;
}

/** Returns an indexer by node before its first list. */
export function noPods() {
  return createIndexer(({ metadata }: Pod) => metadata.name, { node: indexByNode });
}

let resourceVersion = 0;

/** Returns a pod with a new version at each call. */
export function podOn(node: string, name: string, phase: 'Running' | 'Pending' | 'Failed' = 'Running'): Pod {
  return aPod({ name, node, phase, resourceVersion: ++resourceVersion });
}

export function namesOf(pods: readonly Pod[]): string {
  return pods.map(({ metadata }) => metadata.name).join(' ');
}
