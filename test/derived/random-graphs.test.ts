import fc from 'fast-check';
import { RandomGraph } from './support/random-graph.js';
import { randomCommits, randomOf } from './support/random.js';

const stepsOfGraph = 40;
it('J1, J2: random commits to random graphs never show two collections of different versions', () => {
  let committed = 0;
  const agrees = fc.property(
    fc.nat(),
    fc.array(fc.nat(), { minLength: stepsOfGraph, maxLength: stepsOfGraph, size: 'max' }),
    (shape, history) => {
      const graph = new RandomGraph(randomOf(shape));
      for (const seed of history) {
        graph.step(randomOf(seed));
        graph.checkSubscribers();
      }
      graph.finish();
      committed += graph.commits;
    },
  );
  while (committed < randomCommits) {
    fc.assert(agrees, { numRuns: Math.ceil((randomCommits - committed) / stepsOfGraph), endOnFailure: false });
  }
  expect(committed).toBeGreaterThanOrEqual(randomCommits);
});
