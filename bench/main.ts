import { cpus } from 'node:os';
import { Command } from 'commander';
import { benchApiServer } from './api-server.bench.js';
import { benchStoreUpdate } from './store-update.bench.js';

const program = new Command('bench')
  .description('Measures what one update costs, and prints it.')
  .option('--quick', 'less time for each figure: under 20 seconds, and less stable')
  .option('--sizes <counts>', 'how many objects the store holds, separated by commas', '1000,10000,100000');

program.parse();
const { quick = false, sizes } = program.opts<{ readonly quick?: boolean; readonly sizes: string }>();

const counts = sizes.split(',').map(Number);
if (!counts.every((count) => Number.isSafeInteger(count) && count > 0)) {
  program.error(`--sizes takes positive whole numbers, separated by commas, not ${JSON.stringify(sizes)}`);
}

const [cpu] = cpus();
console.log(`Node ${process.version}, ${cpus().length} × ${cpu?.model.trim() || 'unknown processor'}`);
console.log(benchStoreUpdate({ sizes: counts, milliseconds: quick ? 300 : 2000 }));
console.log(await benchApiServer({ seconds: quick ? 2 : 10 }));
