import { memo, startTransition, useDeferredValue, useState, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { createIndexer, type Pod } from 'rx-informers';
import { InformersProvider, useList } from 'rx-informers/react';
import { metaNamespaceKey } from 'rx-informers/store';

/** The commands that a test sends to the page. */
export interface StarvationPage {
  /** Renders one scene: `transition` or `deferred`, with or without a provider. */
  show(scene: 'transition' | 'deferred', isProvided: boolean): void;
  /** Changes this many pods a second from this call on. */
  churn(updatesPerSecond: number): void;
  /**
   * Returns the time in milliseconds until a change by the user is on the page. Returns `patience`
   * if that takes longer.
   */
  measure(patience: number): Promise<number>;
  /** Returns the number of renders of the live part since the last call. */
  rendered(): number;
}

let version = 0;
let renders = 0;
let marks = 0;
let act: () => void = () => undefined;

const pods = createIndexer<Pod>(metaNamespaceKey, {});
pods.replace(Array.from({ length: 1000 }, (_, of) => podOf(of, 0)));

function podOf(of: number, mark: number): Pod {
  const resourceVersion = String(++version);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      uid: `pod-${of}`,
      name: `pod-${of}`,
      namespace: 'default',
      labels: { mark: String(mark) },
      resourceVersion,
    },
  };
}

/** Keeps the thread busy for this many milliseconds. */
function work(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end;);
}

function Item({ of }: { readonly of: unknown }): ReactNode {
  work(0.4);
  return <li>{typeof of}</li>;
}

/**
 * Renders the given number of items, which take 0.4 ms each. It renders again when `of` changes.
 */
const Heavy = memo(({ items, of }: { readonly items: number; readonly of: unknown }) => (
  <ul>
    {Array.from({ length: items }, (_, item) => (
      <Item key={item} of={of} />
    ))}
  </ul>
));

function Live(): ReactNode {
  renders += 1;
  return <p>{useList(pods).filter(({ metadata }) => metadata.labels?.['mark'] !== '0').length}</p>;
}

function Transition(): ReactNode {
  const [text, setText] = useState('0');
  act = () => {
    startTransition(() => {
      setText(String(++marks));
    });
  };
  return (
    <>
      <Live />
      <output>{text}</output>
      <Heavy items={333} of={text} />
    </>
  );
}

function Deferred(): ReactNode {
  renders += 1;
  const shown = useDeferredValue(useList(pods));
  act = () => {
    pods.update(podOf(0, ++marks));
  };
  const text = shown.find(({ metadata }) => metadata.name === 'pod-0')?.metadata.labels?.['mark'] ?? '';
  return (
    <>
      <output>{text}</output>
      <Heavy items={212} of={shown} />
    </>
  );
}

let root = createRoot(document.body);
let churning: ReturnType<typeof setInterval> | undefined;

export const starvation: StarvationPage = {
  show(scene, isProvided) {
    root.unmount();
    root = createRoot(document.body);
    const content = scene === 'transition' ? <Transition /> : <Deferred />;
    root.render(isProvided ? <InformersProvider>{content}</InformersProvider> : content);
  },
  churn(updatesPerSecond) {
    clearInterval(churning);
    if (updatesPerSecond === 0) return;
    const startedAt = performance.now();
    let done = 0;
    churning = setInterval(
      () => {
        for (const due = ((performance.now() - startedAt) * updatesPerSecond) / 1000; done < due; done++) {
          pods.update(podOf(1 + (done % 999), 1 + done));
        }
      },
      Math.min(1000 / updatesPerSecond, 20),
    );
  },
  async measure(patience) {
    const startedAt = performance.now();
    act();
    while (
      document.querySelector('output')?.textContent !== String(marks) &&
      performance.now() - startedAt < patience
    ) {
      await new Promise((resume) => setTimeout(resume, 5));
    }
    return performance.now() - startedAt;
  },
  rendered() {
    const since = renders;
    renders = 0;
    return since;
  },
};
