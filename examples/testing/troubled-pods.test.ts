import { informer, indexByNode, type Collection, type Pod } from 'rx-informers';
import { aPod, informerTest } from 'rx-informers/testing';
import { distinctUntilChanged, map, type Observable } from 'rxjs';

/** The stream under test: emits the pods of a node that need attention. */
function troubled$(pods: Collection<Pod, 'node'>, node: string): Observable<readonly Pod[]> {
  return pods.byIndex$('node', node).pipe(
    map((onNode) => onNode.filter(({ status }) => status?.phase !== 'Running')),
    distinctUntilChanged((before, now) => before.length === 0 && now.length === 0),
  );
}

const options = { indexers: { node: indexByNode } };
const web = { name: 'web', node: 'n1' };
const objects = {
  w: aPod(web),
  f: aPod({ ...web, phase: 'Failed' }), // the same pod, in another state
  d: aPod({ name: 'db', node: 'n1' }),
  o: aPod({ name: 'other', node: 'n2', phase: 'Failed' }),
};

describe('the example of pods that need attention', () => {
  it('selects the pods of the node that do not run, and emits only if they differ', () => {
    informerTest(objects, ({ source, expectObjects }) => {
      const traffic = '        -L(wd)--M(f)--M(d)-A(o)-M(w)--D(d)|';
      const expected = '       -()-----f-----f---------()--------|';
      expectObjects(troubled$(informer(source(traffic), options), 'n1')).toBe(expected);
    });
  });

  it('is correct after an outage of five seconds in which one of the pods was deleted', () => {
    informerTest(objects, ({ source, expectObjects }) => {
      const pods = informer(source('L(fd) 1s [X S(r)] 5s L(d)'), options);
      expectObjects(troubled$(pods, 'n1')).toBe('f 6011ms ()');
    });
  });
});
