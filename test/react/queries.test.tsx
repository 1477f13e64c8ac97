/** @jest-environment ./test/react/support/browser-environment.js */
import { act } from '@testing-library/react';
import { memo, type ReactNode } from 'react';
import { type Collection, type Pod } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import {
  InformersProvider,
  useByIndex,
  useChanges,
  useDerived,
  useErrors,
  useIndexValues,
  useList,
  useObject,
  useQuery,
} from 'rx-informers/react';
import { bucketSize, countMatching } from 'rx-informers/store';
import { aPod } from 'rx-informers/testing';
import { BehaviorSubject, defer, finalize } from 'rxjs';
import { errorWith } from '../support/error-with.js';
import { Boundary } from './support/boundary.js';
import { cluster } from './support/cluster.js';
import { expectComplaints } from './support/console-errors.js';
import { namesOf, noPods, open, podOn, podsOf, type Pods } from './support/page.js';

/** Returns what was rendered since the last call. */
const renders: string[] = [];
const rendered = (): readonly string[] => renders.splice(0);

function PodsOf({ pods, node }: { readonly pods: Pods; readonly node: string }): ReactNode {
  const bucket = useByIndex(pods, 'node', node);
  renders.push(node);
  return `${node}: ${namesOf(bucket)}; `;
}

const Row = memo(function Row({ pod }: { readonly pod: Pod }): ReactNode {
  renders.push(pod.metadata.name);
  return `${pod.metadata.name} ${pod.status?.phase}; `;
});

function Rows({ pods, node }: { readonly pods: Pods; readonly node: string }): ReactNode {
  renders.push('table');
  return useByIndex(pods, 'node', node).map((pod) => <Row key={pod.metadata.name} pod={pod} />);
}

beforeEach(() => {
  rendered();
});

describe('useByIndex', () => {
  it('shows a bucket in the first render, and its changes with the next frame', async () => {
    const pods = podsOf(podOn('n1', 'a'), podOn('n2', 'b'));
    const page = open(<PodsOf pods={pods} node="n1" />);
    expect([page.text(), rendered()]).toEqual(['n1: a; ', ['n1']]);
    page.run(() => pods.add(podOn('n1', 'c')));
    expect(page.text()).toBe('n1: a; ');
    await page.pass();
    expect(page.text()).toBe('n1: a c; ');
  });

  it('G2: does not render if another bucket changes', async () => {
    const pods = podsOf(podOn('n1', 'a'), podOn('n2', 'b'));
    const page = open([<PodsOf key="1" pods={pods} node="n1" />, <PodsOf key="2" pods={pods} node="n2" />]);
    rendered();
    pods.add(podOn('n1', 'c'));
    pods.resync();
    await page.pass();
    expect(rendered()).toEqual(['n1']);
  });

  it('renders only the rows of changed objects if rows use memo', async () => {
    const pods = podsOf(podOn('n1', 'a'), podOn('n1', 'b'), podOn('n1', 'c'));
    const page = open(<Rows pods={pods} node="n1" />);
    rendered();
    pods.update(podOn('n1', 'b', 'Failed'));
    await page.pass();
    expect(rendered()).toEqual(['table', 'b']);
    expect(page.text()).toBe('a Running; b Failed; c Running; ');
  });

  it('renders once for all changes of one frame, in all components together', async () => {
    const pods = podsOf(podOn('n1', 'a'), podOn('n2', 'b'));
    const page = open([<PodsOf key="1" pods={pods} node="n1" />, <PodsOf key="2" pods={pods} node="n2" />]);
    const commits: string[] = [];
    const observer = new MutationObserver(() => commits.push(page.text()));
    observer.observe(page.container, { characterData: true, childList: true, subtree: true });
    rendered();
    for (let n = 0; n < 100; n++) {
      pods.add(podOn('n1', `x${n % 3}`));
      pods.add(podOn('n2', `y${n % 3}`));
    }
    await page.pass();
    expect(rendered()).toEqual(['n1', 'n2']);
    observer.disconnect();
    expect(commits).toEqual(['n1: a x0 x1 x2; n2: b y0 y1 y2; ']);
  });

  it('does not render while the tab is hidden, and catches up in one render when it is shown', async () => {
    const pods = podsOf(podOn('n1', 'a'));
    const page = open(<PodsOf pods={pods} node="n1" />);
    rendered();
    page.hide();
    for (const name of ['b', 'c', 'd']) {
      pods.add(podOn('n1', name));
      await page.pass(100);
    }
    page.reveal();
    expect(rendered()).toEqual([]);
    await page.pass();
    expect([page.text(), rendered()]).toEqual(['n1: a b c d; ', ['n1']]);
  });

  it('shows no content in components that are mounted while the tab is hidden', async () => {
    const pods = podsOf(podOn('n1', 'a'), podOn('n2', 'b'));
    const page = open([<PodsOf key="1" pods={pods} node="n1" />]);
    page.hide();
    page.show([<PodsOf key="1" pods={pods} node="n1" />, <PodsOf key="2" pods={pods} node="n2" />]);
    expect(page.text()).toBe('n1: a; n2: ; ');
    pods.add(podOn('n2', 'c'));
    page.show([<PodsOf key="2" pods={pods} node="n2" />]);
    page.reveal();
    await page.pass();
    expect(page.text()).toBe('n2: b c; ');
  });

  it('shows no content in a tab that is opened in the background, and all content when it is shown', async () => {
    const pods = podsOf(podOn('n1', 'a'));
    const page = open(<PodsOf pods={pods} node="n1" />, { isHidden: true });
    expect(page.text()).toBe('n1: ; ');
    page.reveal();
    await page.pass();
    expect([page.text(), rendered()]).toEqual(['n1: a; ', ['n1', 'n1']]);
  });

  it('shows the same version everywhere: a component mounted later is not ahead within a frame', async () => {
    const pods = podsOf(podOn('n1', 'a'));
    const page = open(<PodsOf pods={pods} node="n1" />);
    pods.add(podOn('n1', 'b'));
    page.show([<PodsOf key="1" pods={pods} node="n1" />, <PodsOf key="2" pods={pods} node="n1" />]);
    expect(page.text()).toBe('n1: a; n1: a; ');
    await page.pass();
    expect(page.text()).toBe('n1: a b; n1: a b; ');
  });

  it('switches to another bucket or collection within the render that requests it', () => {
    const pods = podsOf(podOn('n1', 'a'), podOn('n2', 'b'));
    const page = open(<PodsOf pods={pods} node="n1" />);
    page.show(<PodsOf pods={pods} node="n2" />);
    expect(page.text()).toBe('n2: b; ');
    page.show(<PodsOf pods={podsOf(podOn('n2', 'z'))} node="n2" />);
    expect([page.text(), rendered()]).toEqual(['n2: z; ', ['n1', 'n2', 'n2']]);
  });

  it('shows nothing before the first list, and the first content at once', () => {
    const pods = noPods();
    const page = open(<PodsOf pods={pods} node="n1" />);
    expect(page.text()).toBe('n1: ; ');
    page.run(() => pods.add(podOn('n1', 'a')));
    expect(page.text()).toBe('n1: a; ');
  });

  it("works without a provider, at the rate of the page's frames", async () => {
    const pods = podsOf(podOn('n1', 'a'));
    const page = open(null);
    page.rerender(<PodsOf pods={pods} node="n1" />);
    pods.add(podOn('n1', 'b'));
    expect(page.text()).toBe('n1: a; ');
    await act(() => new Promise<void>((resolve) => requestAnimationFrame(() => resolve())));
    expect(page.text()).toBe('n1: a b; ');
  });

  it('throws RXI_UNKNOWN_INDEX at the error boundary', () => {
    const pods = podsOf();
    const Wrong = (): ReactNode => useByIndex(pods, 'nodde' as 'node', 'n1').length;
    expectComplaints();
    const errors: unknown[] = [];
    const page = open(
      <Boundary errors={errors}>
        <Wrong />
      </Boundary>,
    );
    expect(page.text()).toBe('failed');
    expect(errors).toEqual([errorWith('RXI_UNKNOWN_INDEX')]);
  });
});

describe('useObject', () => {
  function Phase({ pods, name }: { readonly pods: Pods; readonly name: string }): ReactNode {
    renders.push(name);
    return `${name}: ${useObject(pods, name)?.status?.phase}; `;
  }

  it('shows one object, and renders only when that object is added, changed or deleted', async () => {
    const pods = podsOf(podOn('n1', 'a'));
    const page = open([<Phase key="1" pods={pods} name="a" />, <Phase key="2" pods={pods} name="b" />]);
    expect(page.text()).toBe('a: Running; b: undefined; ');
    rendered();
    pods.add(podOn('n1', 'b', 'Pending'));
    await page.pass();
    pods.delete('a');
    await page.pass();
    expect([page.text(), rendered()]).toEqual(['a: undefined; b: Pending; ', ['b', 'a']]);
  });
});

describe('useList', () => {
  const web = aPod({ name: 'a', labels: { app: 'web' } });

  function Listed({ pods, app }: { readonly pods: Pods; readonly app?: string }): ReactNode {
    renders.push('list');
    return namesOf(useList(pods, app === undefined ? undefined : { matchLabels: { app } }));
  }

  it('shows the objects that a selector matches, also if the selector is a new object in each render', async () => {
    const pods = podsOf(web, podOn('n1', 'b'));
    const page = open(<Listed pods={pods} app="web" />);
    expect(page.text()).toBe('a');
    pods.update(podOn('n1', 'b', 'Failed'));
    await page.pass();
    page.show(<Listed pods={pods} />);
    expect([page.text(), rendered()]).toEqual(['a b', ['list', 'list']]);
  });

  it('throws RXI_INVALID_SELECTOR at the error boundary', () => {
    expectComplaints();
    const errors: unknown[] = [];
    const pods = podsOf();
    const Wrong = (): ReactNode => useList(pods, 'a in').length;
    open(
      <Boundary errors={errors}>
        <Wrong />
      </Boundary>,
    );
    expect(errors).toEqual([errorWith('RXI_INVALID_SELECTOR')]);
  });
});

describe('useIndexValues', () => {
  function Nodes({ pods }: { readonly pods: Pods }): ReactNode {
    renders.push('nodes');
    return useIndexValues(pods, 'node').join(' ');
  }

  it('shows the values, and renders only when one is added or removed', async () => {
    const pods = podsOf(podOn('n1', 'a'));
    const page = open(<Nodes pods={pods} />);
    pods.add(podOn('n1', 'b'));
    await page.pass();
    pods.add(podOn('n2', 'c'));
    await page.pass();
    expect([page.text(), rendered()]).toEqual(['n1 n2', ['nodes', 'nodes']]);
  });
});

describe('InformersProvider', () => {
  it('renders no consumer when it is rendered again with the same properties', () => {
    const pods = podsOf(podOn('n1', 'a'));
    const content = <PodsOf pods={pods} node="n1" />;
    const page = open(content);
    page.show(content);
    expect(rendered()).toEqual(['n1']);
  });

  it('inherits missing settings from the provider around it', async () => {
    const pods = podsOf(podOn('n1', 'a'));
    const page = open(
      <InformersProvider linger={0}>
        <PodsOf pods={pods} node="n1" />
      </InformersProvider>,
    );
    expect(page.text()).toBe('n1: a; ');
    page.hide();
    pods.add(podOn('n1', 'b'));
    await page.pass();
    expect(page.text()).toBe('n1: a; ');
    page.reveal();
    await page.pass();
    expect(page.text()).toBe('n1: a b; ');
  });

  it('subscribes once to the visibility of the tab for all components, and leaves nothing behind (G8)', async () => {
    const pods = podsOf(podOn('n1', 'a'), podOn('n2', 'b'));
    const hidden$ = new BehaviorSubject(false);
    const requested = { open: 0, ever: 0 };
    const paused$ = defer(() => {
      requested.open++;
      requested.ever++;
      return hidden$;
    }).pipe(finalize(() => requested.open--));
    const names = ['n1', 'n2', 'n3'].map((node) => <PodsOf key={node} pods={pods} node={node} />);
    const page = open(<InformersProvider paused$={paused$}>{names}</InformersProvider>);
    expect(requested).toEqual({ open: 1, ever: 1 });
    page.show(null);
    await page.pass(100);
    expect(requested).toEqual({ open: 0, ever: 1 });
  });

  it.each([-1, NaN, 2 ** 31])('throws for a linger time of %p ms', (linger) => {
    expectComplaints();
    const errors: unknown[] = [];
    open(
      <Boundary errors={errors}>
        <InformersProvider linger={linger} />
      </Boundary>,
    );
    expect(errors).toEqual([errorWith('RXI_INVALID_OPTION')]);
  });
});

describe('useQuery', () => {
  const counted: string[] = [];
  function Load({ pods, node }: { readonly pods: Pods; readonly node: string }): ReactNode {
    const load = useQuery(pods, bucketSize('node', node));
    counted.push(node);
    return `${node}: ${load}; `;
  }

  it('renders only if the result differs, and shares the store of an inline query', async () => {
    const pods = podsOf(podOn('n1', 'a'), podOn('n2', 'b'));
    const page = open([<Load key="1" pods={pods} node="n1" />, <Load key="2" pods={pods} node="n2" />]);
    expect(page.text()).toBe('n1: 1; n2: 1; ');
    counted.splice(0);
    pods.update(podOn('n1', 'a', 'Failed'));
    pods.update(podOn('n2', 'b', 'Failed'));
    await page.pass();
    expect(counted).toEqual([]);
    pods.add(podOn('n1', 'c'));
    await page.pass();
    expect(counted).toEqual(['n1']);
    expect(page.text()).toBe('n1: 2; n2: 1; ');
  });
});

describe('hooks without an argument', () => {
  const everyAnswer = (of: Pods | undefined, node: string | undefined, key: string | undefined): ReactNode[] => [
    useQuery(of, bucketSize('node', 'n1')),
    useQuery(of, of && bucketSize('node', 'n1')) ?? 'none',
    useByIndex(of, 'node', node).length,
    useObject(of, key)?.metadata.name ?? 'none',
    useList(of, 'app=web').length,
    useList(of).length,
    useIndexValues(of, 'node').length,
  ];

  it('return the result for an empty collection if the collection is undefined, the same each time', () => {
    const lists: unknown[] = [];
    function Answers({ of }: { readonly of: Pods | undefined }): ReactNode {
      lists.push(useList(of));
      useChanges(of, () => renders.push('changes'));
      useErrors(of, () => renders.push('errors'));
      return everyAnswer(of, 'n1', 'a').join();
    }
    const page = open(<Answers of={undefined} />);
    expect(page.text()).toBe('0,none,0,none,0,0,0');
    page.show(<Answers of={undefined} />);
    expect(new Set(lists).size).toBe(1);
    page.show(<Answers of={podsOf(podOn('n1', 'a'))} />);
    expect([page.text(), rendered()]).toEqual(['1,1,1,a,0,1,1', ['changes']]);
  });

  it('start nothing if the key or value is undefined', async () => {
    const { scheduler, lists, ...rest } = cluster();
    const all = rest.informer();
    const One = ({ name }: { readonly name?: string }): ReactNode => useObject(all, name)?.metadata.name ?? 'none';
    const page = open(<One />, { scheduler });
    await page.pass();
    expect([page.text(), lists.count]).toEqual(['none', 0]);
    page.show(<One name="default/a" />);
    expect([page.text(), lists.count]).toEqual(['a', 1]);
  });
});

describe('useQuery with a count', () => {
  it('renders only when the count changes, regardless of changes of the objects', async () => {
    const pods = podsOf(podOn('n1', 'a', 'Failed'), podOn('n1', 'b'));
    const failed = countMatching(({ status }: Pod) => status?.phase === 'Failed');
    function Failed(): ReactNode {
      renders.push('failed');
      return useQuery(pods, failed);
    }
    const page = open(<Failed />);
    for (let n = 0; n < 10; n++) {
      pods.update(podOn('n1', n % 2 === 0 ? 'a' : 'b', n % 2 === 0 ? 'Failed' : 'Running'));
      await page.pass();
    }
    expect([page.text(), rendered()]).toEqual(['1', ['failed']]);
    pods.update(podOn('n1', 'b', 'Failed'));
    await page.pass();
    expect([page.text(), rendered()]).toEqual(['2', ['failed']]);
  });
});

describe('useDerived', () => {
  const perNode = (pods: Collection<Pod, 'node'>) => derived.groupBy(pods, 'node', { pods: derived.count() });

  function Load({ of, node }: { readonly of: Pods | undefined; readonly node: string }): ReactNode {
    const groups = useDerived(perNode, of);
    renders.push(node);
    return `${node} ${useObject(groups, node)?.pods ?? 0}; `;
  }

  it('returns groups, each of which renders only when its value changes', async () => {
    const pods = podsOf(podOn('n1', 'a'), podOn('n2', 'b'));
    const page = open([<Load key="1" of={pods} node="n1" />, <Load key="2" of={pods} node="n2" />]);
    expect(page.text()).toBe('n1 1; n2 1; ');
    rendered();
    pods.update(podOn('n1', 'a', 'Failed'));
    await page.pass();
    expect(rendered()).toEqual([]);
    pods.add(podOn('n2', 'c'));
    await page.pass();
    expect([page.text(), rendered()]).toEqual(['n1 1; n2 2; ', ['n2']]);
  });

  it('calls a definition once for the same collections, in all components and renders', () => {
    const pods = podsOf(podOn('n1', 'a'));
    const made: unknown[] = [];
    const define = (all: Collection<Pod, 'node'>, other: Collection<Pod, 'node'>): object => {
      made.push([all, other]);
      return {};
    };
    const Derived = (): ReactNode => void input.push(useDerived(define, pods, pods));
    const input: unknown[] = [];
    const page = open([<Derived key="1" />, <Derived key="2" />], { isStrict: true });
    page.show([<Derived key="3" />]);
    expect([made, new Set(input).size]).toEqual([[[pods, pods]], 1]);
  });

  it('returns undefined without a collection, and calls nothing', () => {
    const page = open(<Load of={undefined} node="n1" />);
    expect(page.text()).toBe('n1 0; ');
  });
});
