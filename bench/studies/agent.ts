import { configMaps, daemonSets, deployments, events, jobs, nodes, pods, services, statefulSets } from 'rx-informers';
import { resourcePath } from 'rx-informers/client';
import { requestJson } from 'rx-informers/requests';
import { aPod, createInMemoryApiServer, randomFromSeed, workload } from 'rx-informers/testing/in-memory';
import { skip, VirtualTimeScheduler } from 'rxjs';
import { answer, answer$, changesSince, questionOf } from '../../examples/agent/answers.js';
import { clusterFacts } from '../../examples/agent/cluster-facts.js';

// Measures the answers of examples/agent about 3,000 pods with 20 changes a second, of which 30
// have failed: the tokens and the requests of each answer, beside an agent that lists the objects
// again for each question. Four characters count as a token. A list is one request, in compact
// JSON.
//
//   npx tsx bench/studies/agent.ts

const scheduler = new VirtualTimeScheduler();
const server = createInMemoryApiServer({ scheduler, random: randomFromSeed(1) });
const changing = workload(server, {
  nodes: 50,
  pods: 3000,
  rate: 20,
  random: randomFromSeed(1),
  scheduler,
}).subscribe();
server.apply(
  Array.from({ length: 30 }, (_, index) => aPod({ name: `failed-${index}`, node: 'worker-1', phase: 'Failed' })),
);
let requests = 0;
server.requests$.subscribe(() => (requests += 1));
const facts = clusterFacts(server.client);
facts.connect();
runFor(60_000);

const workloads = [deployments, statefulSets, daemonSets, jobs].map((resource) => resourcePath(resource));
const all = [resourcePath(pods), resourcePath(nodes), ...workloads];
const [pod] = server.objects.list(pods);
const { name = '', namespace = '' } = pod?.metadata ?? {};
const eventsAbout = (involved: string): string =>
  `${resourcePath(events)}?fieldSelector=involvedObject.name=${involved}`;
const onNode = `${resourcePath(pods)}?fieldSelector=spec.nodeName=worker-1`;
const everything = [...all, resourcePath(services), resourcePath(configMaps), resourcePath(events)];

const rows = [
  row('overview', () => ask('overview'), all),
  row('what is wrong', () => ask('problems'), [...all, resourcePath(events)]),
  // Without a history, the agent compares two lists.
  row('what changed in 30 s', () => answer(facts, { lines: () => changesSince(facts, 30) }), [
    ...everything,
    ...everything,
  ]),
  row('one object', () => ask(`object/pod/${namespace}/${name}`), [
    resourcePath(pods, { namespace, name }),
    eventsAbout(name),
  ]),
  row('one node', () => ask('node/worker-1'), [
    resourcePath(nodes, { name: 'worker-1' }),
    onNode,
    eventsAbout('worker-1'),
  ]),
];
console.table(Object.fromEntries(rows));

changing.unsubscribe();
let notifications = 0;
answer$(facts, questionOf(facts, 'problems'))
  .pipe(skip(1))
  .subscribe(() => (notifications += 1));
for (let change = 0; change < 200; change++) {
  server.apply(aPod({ name: `calm-${change % 50}`, node: 'worker-1', annotations: { change: String(change) } }));
  if (change === 100) server.apply(aPod({ name: 'broken', node: 'worker-1', phase: 'Failed' }));
  runFor(100);
}
console.log(`200 changes, of which one changes what is wrong: ${notifications} notification`);

function ask(question: string): string {
  return answer(facts, questionOf(facts, question));
}

function row(question: string, text: () => string, paths: readonly string[]): readonly [string, object] {
  const before = requests;
  const tokens = tokensOf(text());
  const requestsOfAnswer = requests - before;
  const lists = paths.map((path) => {
    let size = 0;
    const url = new URL(path, 'http://localhost');
    const query = Object.fromEntries(url.searchParams);
    requestJson(server.client, { method: 'GET', path: url.pathname, query }).subscribe(
      (json) => (size = tokensOf(JSON.stringify(json))),
    );
    runFor(1);
    if (size === 0) throw new Error(`no answer to ${path}`);
    return size;
  });
  const tokensOfLists = lists.reduce((sum, each) => sum + each, 0);
  return [
    question,
    { tokens, requests: requestsOfAnswer, 'tokens of lists': tokensOfLists, 'requests of lists': paths.length },
  ];
}

function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}

function runFor(milliseconds: number): void {
  scheduler.schedule(() => undefined, milliseconds);
  scheduler.maxFrames = scheduler.frame + milliseconds;
  scheduler.flush();
}
