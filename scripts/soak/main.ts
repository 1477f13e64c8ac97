/**
 * Observes a real API server in every way that the library offers, while faults of all kinds are
 * injected. Compares each observer with the server when the faults of a round have ended.
 *
 *   npm run task -- soak --minutes 10
 *   npm run task -- soak --planted
 *
 * `SEED` makes another choice of faults and writes. Needs the folder of an `up.sh` that starts API
 * servers: `--rig`, `$RIG`, or ../shared/rig. Prints one table. Fails if an observer lost an
 * object, showed an object that does not exist, contradicted itself or sent too many requests, if
 * a write failed while the server worked, if the heap grew, or if the process does not exit by
 * itself. Exits with 2 if it has no result. With `--planted`, fails unless it finds every bug of
 * planted-bugs.ts.
 */
import { Command, Option } from 'commander';
import type { ScannerChoice } from '../../src/sources/wire/choose-scanner.js';
import { findPlantedBugs } from './find-planted-bugs.js';
import { soak, type SoakOptions } from './soak.js';

const { planted, ...options } = new Command('soak')
  .option('--minutes <count>', 'how long', Number, 10)
  .option('--kind <kind>', 'rig (recent) or kube120 (1.20, without streaming lists)', 'rig')
  .option('--rig <folder>', 'the folder of up.sh', process.env['RIG'] ?? '../shared/rig')
  .option('--http2', 'observes over HTTP/2, on one connection')
  .addOption(
    new Option('--scanner <name>', 'what reads lists and watches')
      .choices(['wasm', 'none', 'fastest'] satisfies ScannerChoice[])
      .default('fastest'),
  )
  .option('--verbose', 'prints every fault and every error')
  .option(
    '--fail-fast',
    'ends after the first comparison that finds a problem, and not before each fault occurred twice',
  )
  .option('--planted [name]', 'instead, runs the soak on copies with planted bugs, and fails unless it finds each')
  .parse()
  .opts<SoakOptions & { readonly planted?: true | string }>();

if (planted !== undefined) process.exitCode = (await findPlantedBugs(options, planted === true ? '' : planted)) ? 0 : 1;
else {
  // 2 if there is no result, because the API server or the soak itself failed.
  process.exitCode = await soak(options).then(
    (isRight) => (isRight ? 0 : 1),
    (error: unknown) => {
      console.error('the soak has no result:', error);
      return 2;
    },
  );
  // This timer does not keep the process alive. It fires only if something else does.
  setTimeout(() => {
    console.error(`the process does not exit by itself: ${process.getActiveResourcesInfo().join(', ')}`);
    process.exit(1);
  }, 10_000).unref();
}
