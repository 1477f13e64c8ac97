/** What a shared worker must know when it starts. Tabs for which any of it differs use another worker. */
interface WorkerStart {
  /** The base path of the API. */
  readonly baseUrl: string;
  /** Whether the server of the page has a sign-in, so that it may have a hub. */
  readonly isTeam: boolean;
}

const ofTeam = 'team:';

/** Returns the name of the worker: the base path, which begins with a slash or is empty. */
export function workerName({ baseUrl, isTeam }: WorkerStart): string {
  return isTeam ? `${ofTeam}${baseUrl}` : baseUrl;
}

/** Returns what `workerName` has put into a name. */
export function parseWorkerName(name: string): WorkerStart {
  const isTeam = name.startsWith(ofTeam);
  return { baseUrl: isTeam ? name.slice(ofTeam.length) : name, isTeam };
}
