import type { Circumstances, Measurement } from '../../results/measurement.js';
import { wordCount } from './word-count.js';

export const circumstances: Circumstances = {
  date: '2026-11-21',
  commit: '0123456789ab',
  scale: 'full',
  rounds: 3,
  machine: {
    processor: 'Abacus 3000',
    cores: 2,
    memoryGigabytes: 8,
    operatingSystem: 'Linux 6.1.0 x64',
    node: 'v20.20.2',
  },
  libraries: { rxjs: '7.8.2' },
};

/**
 * Results of three rounds. This library took 1.2 times as long as the floor, and used more memory
 * than its target allows.
 */
export const wordCounted: Measurement = {
  scenario: wordCount.name,
  circumstances,
  figures: {
    'rx-informers': { time: [120, 110, 1300], heap: [60, 61, 62] },
    'client-node': { time: [240, 250, 230], heap: [90, 91, 92] },
    floor: { time: [100, 101, 99] },
  },
};
