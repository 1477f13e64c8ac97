import { typedHouses } from './houses.mjs';
import { compile } from './project/native-compiler.mjs';

/*
 * Type-checks the project, with the type tests in test/types, and then each folder that has its own
 * packages and a tsconfig.json. Names the folders that it leaves out because their packages are not
 * installed.
 */
const houses = typedHouses();

for (const path of ['.', ...houses.filter(({ isInstalled }) => isInstalled).map((house) => house.path)]) {
  const { status, output } = compile(path, process.stdout.isTTY ? ['--pretty'] : []);
  process.stdout.write(output);
  if (status !== 0) process.exitCode = 1;
}
for (const { path } of houses.filter(({ isInstalled }) => !isInstalled))
  console.warn(`not checked, because its packages are not installed: ${path} (node scripts/install.mjs ${path})`);
