import type { Circumstances } from '../results/measurement.js';

/** Returns a text such as `2 × AMD EPYC 7B13, 8 GB, Linux 6.1.0 x64, Node v20.20.2`. */
export function describeMachine({ machine }: Circumstances): string {
  const { processor, cores, memoryGigabytes, operatingSystem, node } = machine;
  return `${cores} × ${processor}, ${memoryGigabytes} GB, ${operatingSystem}, Node ${node}`;
}

/** Returns a text such as `5 rounds on 2026-11-21, at commit 0123456789ab, with rxjs 7.8.2`. */
export function describeRun({ date, commit, rounds, libraries }: Circumstances): string {
  return [
    `${rounds} ${rounds === 1 ? 'round' : 'rounds'} on ${date}`,
    ...(commit === undefined ? [] : [describeCommit(commit)]),
    `with ${Object.entries(libraries)
      .map(([name, version]) => `${name} ${version}`)
      .join(', ')}`,
  ].join(', ');
}

function describeCommit(commit: string): string {
  return commit.endsWith('+')
    ? `at commit ${commit.slice(0, -1)} with changes that were not committed yet`
    : `at commit ${commit}`;
}
