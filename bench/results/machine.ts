import { arch, cpus, release, totalmem, type } from 'node:os';

/** The properties of the machine on which the figures depend. */
export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGigabytes: number;
  readonly operatingSystem: string;
  readonly node: string;
}

export function thisMachine(): Machine {
  const processors = cpus();
  return {
    processor: processors[0]?.model.trim() || 'unknown processor',
    cores: processors.length,
    memoryGigabytes: Math.round(totalmem() / 1024 ** 3),
    operatingSystem: `${type()} ${release()} ${arch()}`,
    node: process.version,
  };
}
