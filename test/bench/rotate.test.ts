import { rotate } from '../../bench/run/rotate.js';

describe('the order of contestants', () => {
  it('changes with the round, so that each contestant comes first equally often', () => {
    const rounds = [0, 1, 2, 3].map((round) => rotate(['a', 'b', 'c'], round).join(''));
    expect(rounds).toEqual(['abc', 'bca', 'cab', 'abc']);
  });

  it('of an empty list is an empty list', () => {
    expect(rotate([], 3)).toEqual([]);
  });
});
