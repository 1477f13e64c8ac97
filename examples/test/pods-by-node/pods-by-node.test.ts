import { stripVTControlCharacters } from 'node:util';
import { nodes, pods } from 'rx-informers';
import { aNode, aPod, createInMemoryApiServer, serverFaults } from 'rx-informers/testing';
import { merge, VirtualTimeScheduler } from 'rxjs';
import { clusterView } from '../../pods-by-node/cluster-view.js';
import { frames$ } from '../../pods-by-node/frames.js';
import { lines$ } from '../../pods-by-node/lines.js';

const n1 = aNode({ name: 'n1', zone: 'zone-a', capacity: { cpu: '4' } });
const web = aPod({ name: 'web', node: 'n1', labels: { app: 'web' }, requests: { cpu: '250m' } });
const job = aPod({ name: 'job', node: 'n1', labels: { app: 'job' }, requests: { cpu: '1' } });

describe('the example pods-by-node', () => {
  it('prints a line for each node with its zone and the requested share of its CPU, and one for each app', () => {
    const { server, lines } = cluster();
    server.apply([n1, aNode({ name: 'n2', zone: 'zone-b', capacity: { cpu: '2500m' } }), web, job]);
    expect(lines()).toEqual([
      'app job: 1 pods, 1 running, 0 pending, 0 other, 1 CPU requested',
      'app web: 1 pods, 1 running, 0 pending, 0 other, 0.25 CPU requested',
      'node n1: 2 pods, 2 running, 0 pending, 0 other, 1.25 of 4 CPU requested, zone-a',
      'node n2: 0 pods, 0 running, 0 pending, 0 other, 0 of 2.5 CPU requested, zone-b',
    ]);
  });

  it('prints a line for each difference, and none for a pod whose node and app look the same afterwards', () => {
    const { server, lines } = cluster();
    server.apply([n1, web, job]);
    lines();

    server.apply({ ...web, metadata: { ...web.metadata, annotations: { note: 'looks the same' } } });
    expect(lines()).toEqual([]);
    server.remove(pods, 'job', 'default');
    expect(lines()).toEqual([
      'app job: gone',
      'node n1: 1 pods, 1 running, 0 pending, 0 other, 0.25 of 4 CPU requested, zone-a',
    ]);
    server.apply(aNode({ name: 'n1', zone: 'zone-b', capacity: { cpu: '8' } }));
    expect(lines()).toEqual(['node n1: 1 pods, 1 running, 0 pending, 0 other, 0.25 of 8 CPU requested, zone-b']);
  });

  it('counts a finished pod, but not its requests', () => {
    const { server, lines } = cluster();
    server.apply([n1, web, aPod({ name: 'job', node: 'n1', phase: 'Succeeded', requests: { cpu: '1' } })]);
    expect(lines()).toContain('node n1: 2 pods, 1 running, 0 pending, 1 other, 0.25 of 4 CPU requested, zone-a');
  });

  it('shows the pods of a missing node without zone and capacity until the node exists', () => {
    const { server, lines } = cluster();
    server.apply([web]);
    expect(lines()).toContain('node n1: 1 pods, 1 running, 0 pending, 0 other, 0.25 CPU requested');
    server.apply(n1);
    expect(lines()).toEqual(['node n1: 1 pods, 1 running, 0 pending, 0 other, 0.25 of 4 CPU requested, zone-a']);
    server.remove(nodes, 'n1');
    expect(lines()).toEqual(['node n1: 1 pods, 1 running, 0 pending, 0 other, 0.25 CPU requested']);
  });

  it('shows pods even if nodes may not be listed, and adds zone and capacity as soon as they may', () => {
    const { server, lines, statusLines } = cluster();
    server.faults.always(({ path }) => path.endsWith('/nodes'), serverFaults.respond(403));
    server.apply([n1, web]);
    expect(lines()).toEqual([
      'app web: 1 pods, 1 running, 0 pending, 0 other, 0.25 CPU requested',
      'node n1: 1 pods, 1 running, 0 pending, 0 other, 0.25 CPU requested',
    ]);
    expect(statusLines()).toContainEqual(expect.stringMatching(/^nodes: forbidden, try \d+ in \d+ s: /));

    server.faults.clear();
    expect(lines(120_000)).toEqual(['node n1: 1 pods, 1 running, 0 pending, 0 other, 0.25 of 4 CPU requested, zone-a']);
    expect(statusLines().at(-1)).toBe('nodes: watching');
  });

  it('draws the same data as tables on a terminal', () => {
    const { server, frame } = cluster();
    server.apply([n1, aNode({ name: 'n2', zone: 'zone-b', capacity: { cpu: '2500m' } }), web, job]);
    const screen = frame();
    expect(screen).toContain('\npods: watching · last message 1 s ago\n2 pods on 2 nodes\n');
    expect(screen).toMatch(/│ node +│ zone +│ pods │ running │ pending │ other │ +CPU │/);
    expect(screen).toMatch(/│ n1 +│ zone-a │ +2 │ +2 │ +0 │ +0 │ +1.25 of 4 │ █{6} │/);
    expect(screen).toMatch(/│ n2 +│ zone-b │ +0 │ +0 │ +0 │ +0 │ +0 of 2.5 │ +│/);
    expect(screen).toMatch(/│ web +│ +1 │ +1 │ +0 │ +0 │ +0.25 │ █{6} │/);
  });

  it('counts in a last row of each table the rows that do not fit on a low terminal', () => {
    const { server, frame } = cluster();
    server.apply(['n1', 'n2', 'n3', 'n4'].map((name) => aNode({ name })));
    expect(frame(10)).toMatch(/│ n2 .*\n│ … 2 more /);
  });

  it('reports on the terminal that nodes may not be listed', () => {
    const { server, frame } = cluster();
    server.faults.always(({ path }) => path.endsWith('/nodes'), serverFaults.respond(403));
    server.apply([n1, web]);
    const screen = frame();
    expect(screen).toMatch(/\nnodes: forbidden, try \d+ in \d+ s: /);
    expect(screen).toMatch(/│ n1 +│ +│ +1 │ +1 │ +0 │ +0 │ 0.25 │/);
  });
});

function cluster() {
  const scheduler = new VirtualTimeScheduler();
  const server = createInMemoryApiServer({ scheduler });
  const view = clusterView(server.client);
  // Errors that are not observed are printed.
  merge(view.podInformer.errors$, view.nodeInformer.errors$).subscribe();
  const runFor = (milliseconds: number): void => {
    scheduler.maxFrames = scheduler.frame + milliseconds;
    scheduler.flush();
  };
  const printed: string[] = [];
  const isStatus = (line: string): boolean => /^(pods|nodes): /.test(line);
  let seen = 0;
  return {
    server,
    /** The lines of nodes and apps that are printed next, in order, without their times. */
    lines(milliseconds = 1000): readonly string[] {
      if (printed.length === 0) lines$('title', view, scheduler).subscribe((line) => printed.push(line));
      runFor(milliseconds);
      const next = printed.slice(Math.max(seen, 1)).map(withoutTime);
      seen = printed.length;
      return next.filter((line) => !isStatus(line)).toSorted();
    },
    statusLines: (): readonly string[] => printed.slice(1).map(withoutTime).filter(isStatus),
    /** What a terminal with so many rows shows after a second. */
    frame(rows = 40): string {
      let last = '';
      frames$('title', view, () => rows, scheduler).subscribe((frame) => (last = frame));
      runFor(1000);
      return stripVTControlCharacters(last);
    },
  };
}

function withoutTime(line: string): string {
  return line.slice(line.indexOf(' ') + 1);
}
