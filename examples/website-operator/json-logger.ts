import type { Logger, LogFields } from 'rx-informers/controller';

/** One line of JSON for each message, as log collectors want it; in production this would be pino. */
export function jsonLogger(write: (line: string) => void, now: () => number = Date.now): Logger {
  const log = (level: string) => (fields: LogFields, message: string) => {
    write(JSON.stringify({ time: new Date(now()).toISOString(), level, message, ...fields }, showErrors));
  };
  return { debug: () => undefined, info: log('info'), warn: log('warn'), error: log('error') };
}

function showErrors(_name: string, value: unknown): unknown {
  return value instanceof Error ? `${value.name}: ${value.message}` : value;
}
