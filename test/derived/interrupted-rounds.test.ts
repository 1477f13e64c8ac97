import fc from 'fast-check';
import { InterruptedGraph } from './support/interrupted-graph.js';
import { randomCommits, randomOf } from './support/random.js';

it('J1, J8: random commits whose computation is interrupted show one version of each input, and each is announced once', () => {
  let [commits, overtakes] = [0, 0];
  const agrees = fc.property(fc.nat(), (seed) => {
    const graph = new InterruptedGraph(randomOf(seed));
    for (let steps = 0; steps < 80; steps++) graph.step();
    graph.finish();
    commits += graph.commits;
    overtakes += graph.overtakes;
  });
  while (commits < randomCommits) fc.assert(agrees, { numRuns: 20, endOnFailure: false });
  expect(overtakes).toBeGreaterThan(commits / 100);
});
