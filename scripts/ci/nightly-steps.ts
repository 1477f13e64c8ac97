import { installHouses, installTools, packPackage, type Step } from './steps.js';

const allHouses = installHouses(
  ...['site', 'apps/dashboard', 'bench', 'scripts', 'examples'],
  ...['test/react', 'test/react/react-18', 'test/react/react-19.2', 'test/frameworks'],
);
const rig = '../shared/rig/install.sh && export RIG=$(realpath ../shared/rig)';
const soak = (options: string): string =>
  `../shared/rig/install.sh && npm run --silent task -- soak --minutes 30 --rig ../shared/rig ${options}`;
const machine = { processors: Infinity } as const;

/*
 * Each part takes at most 80 minutes on two processors, so that it can run on a machine that is
 * lent for 90.
 */
const stepsOfPart: Readonly<Record<string, readonly Step[]>> = {
  // New seeds, and ten times as many cases.
  1: [],
};

/** The numbers of the parts. */
export const parts = Object.keys(stepsOfPart);

/**
 * Returns the checks of the night: everything that takes longer, or depends more on the machine,
 * than a check after each change may. Random tests have new seeds and ten times as many cases.
 *
 * @param part number of the part to run; if undefined, all parts run, one after another
 * @throws Error if there is no such part
 */
export function nightlySteps(part?: string): readonly Step[] {
  if (part !== undefined && !parts.includes(part))
    throw new Error(`there is no part ${part} of the night; the parts are ${parts.join(', ')}`);
  const steps = part === undefined ? Object.values(stepsOfPart).flat() : (stepsOfPart[part] ?? []);
  return [installTools, allHouses, packPackage, ...steps];
}
