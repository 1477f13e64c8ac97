import { writeFileSync } from 'node:fs';
import { format } from 'oxfmt';
import { startRig } from '../test/cluster/support/rig.js';
import { realServer } from '../test/wire/real-server.js';
import { runScenario } from '../test/wire/run-scenario.js';
import { serverFlags } from '../test/wire/scenario.js';
import { scenarios } from '../test/wire/scenarios.js';
import { transcriptFile } from '../test/wire/transcripts.js';

/*
 * Sends every request of test/wire to a real API server, and records its answers. The embedded API
 * server must give the same answers. RIG is the folder of `up.sh` (test/cluster/README.md). The
 * arguments are names of scenarios; default: all scenarios.
 *
 *     RIG=… npx tsx scripts/record-wire-transcripts.ts list-pages watch-from
 */
const wanted = process.argv.slice(2);
const chosen = scenarios.filter(({ name }) => wanted.length === 0 || wanted.includes(name));

for (const server of new Set(chosen.map((scenario) => scenario.server))) {
  const rig = await startRig({ flags: server === undefined ? [] : serverFlags[server] });
  try {
    const target = { ...(await realServer(rig.kubeConfigFile)), compact: () => rig.compact() };
    for (const scenario of chosen.filter((candidate) => candidate.server === server)) {
      const transcript = await runScenario(target, scenario);
      const file = transcriptFile(scenario);
      writeFileSync(file, (await format(file, JSON.stringify(transcript), { printWidth: 120 })).code);
      console.log(`${scenario.name}: ${transcript.length} steps`);
    }
  } finally {
    await rig.stop();
  }
}
