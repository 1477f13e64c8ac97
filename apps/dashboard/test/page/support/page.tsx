import { act, render, type RenderResult } from '@testing-library/react';
import type { ReactNode } from 'react';
import { informerRegistry, type KubeClient } from 'rx-informers';
import { InformersProvider } from 'rx-informers/react';
import { virtualClock, type VirtualClock } from 'rx-informers/testing';
import { BehaviorSubject } from 'rxjs';

/** A page whose frames and clock a test controls. */
export interface Page extends RenderResult {
  /** Returns the visible text. */
  text(): string;
  /** Runs an action and lets React finish. No frame is drawn. */
  run(work: () => void): void;
  /** Passes the time of a frame, or the given number of milliseconds, and lets React finish. */
  pass(milliseconds?: number): Promise<void>;
}

export interface PageOptions {
  readonly client?: KubeClient | undefined;
  readonly scheduler?: VirtualClock;
}

/** Renders `content` inside a provider. The page is always visible. */
export function open(content: ReactNode, { client, scheduler = virtualClock() }: PageOptions): Page {
  const result = render(
    <InformersProvider
      registry={client && informerRegistry(client)}
      linger={100}
      paused$={new BehaviorSubject(false)}
      frameScheduler={scheduler}
      scheduler={scheduler}
    >
      {content}
    </InformersProvider>,
  );
  return Object.assign(result, {
    text: () => result.container.textContent,
    run: (work: () => void) => {
      act(work);
    },
    async pass(milliseconds = 16) {
      await act(async () => {
        scheduler.advance(milliseconds);
      });
    },
  });
}
