import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Scenario } from './scenario.js';
import type { Step } from './session.js';

/**
 * Returns the file with the responses of the real server. scripts/record-wire-transcripts.ts writes
 * it.
 */
export function transcriptFile({ name }: Scenario): string {
  return join('test', 'wire', 'transcripts', `${name}.json`);
}

export function readTranscript(scenario: Scenario): readonly Step[] {
  return JSON.parse(readFileSync(transcriptFile(scenario), 'utf8')) as readonly Step[];
}
