import { differences } from '../../wire/compare.js';
import { realServer } from '../../wire/real-server.js';
import { runScenario } from '../../wire/run-scenario.js';
import { serverFlags } from '../../wire/scenario.js';
import { scenarios } from '../../wire/scenarios.js';
import { readTranscript } from '../../wire/transcripts.js';
import type { WireTarget } from '../../wire/wire-target.js';
import { startRig, type Rig } from '../support/rig.js';

describe.each([
  ['with its defaults', undefined],
  ['without a watch cache', 'no-watch-cache'],
] as const)('the real API server, %s', (_, server) => {
  let rig: Rig;
  let target: WireTarget;

  beforeAll(async () => {
    rig = await startRig({ flags: server === undefined ? [] : serverFlags[server] });
    target = { ...(await realServer(rig.kubeConfigFile)), compact: () => rig.compact() };
  });
  afterAll(() => rig.stop());

  it.each(
    scenarios.filter((scenario) => scenario.server === server).map((scenario) => [scenario.name, scenario] as const),
  )('still answers as in the transcript that the embedded API server is compared with: %s', async (_name, scenario) => {
    expect(differences(readTranscript(scenario), await runScenario(target, scenario))).toEqual([]);
  });
});
